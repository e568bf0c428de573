package referee

import "github.com/xqlab/xqlab/movegen"

// Status is how a game stands.
type Status uint8

// The states of a game.
const (
	Ongoing Status = iota
	RedWins
	BlackWins
	Draw
)

// String returns the names of the command line: ongoing, red_wins, black_wins, draw.
func (s Status) String() string {
	return [...]string{"ongoing", "red_wins", "black_wins", "draw"}[s&3]
}

// WonBy returns the status in which c has won.
func WonBy(c movegen.Color) Status { return RedWins + Status(c) }

// Reason says why a game has ended.
type Reason uint8

// The reasons the rules know.
const (
	NoReason             Reason = iota
	Checkmate                   // 将死
	Stalemate                   // 困毙: no legal move without being in check, lost too
	PerpetualCheck              // 长将, by one side
	PerpetualChase              // 长捉, by one side
	Repetition                  // nobody is at fault
	MutualPerpetual             // both sides are at fault in the same degree
	MoveLimit                   // 自然限着
	InsufficientMaterial        // neither side can win
	reasons
)

// String returns the names of the command line, empty for NoReason.
func (r Reason) String() string {
	if r >= reasons {
		return "unknown"
	}
	return [...]string{"", "checkmate", "stalemate", "perpetual_check", "perpetual_chase", "repetition",
		"mutual_perpetual", "move_limit", "insufficient_material"}[r]
}

// Verdict is what the referee says of a game at a ply.
type Verdict struct {
	Status Status
	Reason Reason
	Ply    int // plies played when the verdict fell, 0 in the given position
}

// Outcome is a verdict inside a search, from the side to move.
type Outcome int8

// The outcomes of a node.
const (
	None Outcome = iota
	Drawn
	Lost
	Won
)
