package eval

// Score is a middlegame and an endgame value in one integer, mg·2³² + eg, so that one
// addition or multiplication serves both. Sums must stay within 31 bits each.
type Score int64

// MakeScore packs two values.
func MakeScore(mg, eg int) Score { return Score(mg)<<32 + Score(eg) }

// MG returns the middlegame part.
func (s Score) MG() int { return int((s + 1<<31) >> 32) }

// EG returns the endgame part.
func (s Score) EG() int { return int(int32(s)) }
