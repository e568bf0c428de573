package search

// Scores are centipawns from the side to move. A mate in n plies is ±(Mate − n).
const (
	Mate     = 32000
	Infinite = Mate + 1

	// MaxPly bounds the length of a line below the root.
	MaxPly = 128

	mateBound = Mate - 2*MaxPly // scores from here on are mates
	noScore   = -32768          // no static evaluation
)

// IsMate reports whether a score is a forced mate for either side.
func IsMate(score int) bool { return score >= mateBound || score <= -mateBound }

// MateIn returns the moves to a mate as UCI counts them: positive when the side to move
// mates, negative when it is mated, 0 when it is mated already.
func MateIn(score int) int {
	if score > 0 {
		return (Mate - score + 1) / 2
	}
	return -(Mate + score + 1) / 2
}

// toTable turns a score counted from the root into one counted from the node.
func toTable(score, ply int) int {
	if score >= mateBound {
		return score + ply
	}
	if score <= -mateBound {
		return score - ply
	}
	return score
}

// fromTable turns a table score into one counted from the root.
func fromTable(score, ply int) int {
	if score >= mateBound {
		return score - ply
	}
	if score <= -mateBound {
		return score + ply
	}
	return score
}
