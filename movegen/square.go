package movegen

import "fmt"

// Board dimensions.
const (
	Files   = 9
	Ranks   = 10
	Squares = Files * Ranks
)

// Square is a point of the board, 0–89: rank*9 + file, rank 0 on Red's side and
// file a on Red's left, so a0 is 0 and i9 is 89.
type Square uint8

// NoSquare is no point of the board.
const NoSquare Square = Squares

// SquareAt returns the square on file 0–8 (a–i) and rank 0–9.
func SquareAt(file, rank int) Square { return Square(rank*Files + file) }

// File returns 0–8 for a–i.
func (s Square) File() int { return int(s) % Files }

// Rank returns 0–9 from Red's side.
func (s Square) Rank() int { return int(s) / Files }

// Mirror returns the square on the other side of the e file.
func (s Square) Mirror() Square { return SquareAt(Files-1-s.File(), s.Rank()) }

// Flip returns the square as the other colour sees it: the same file, ranks counted
// from Black's side.
func (s Square) Flip() Square { return SquareAt(s.File(), Ranks-1-s.Rank()) }

// String returns coordinates with ranks 0–9, as in "h2".
func (s Square) String() string {
	if s >= Squares {
		return "-"
	}
	return string([]byte{byte('a' + s.File()), byte('0' + s.Rank())})
}

// ParseSquare reads coordinates with ranks 0–9, as in "h2".
func ParseSquare(text string) (Square, error) {
	if len(text) != 2 || text[0] < 'a' || text[0] > 'i' || text[1] < '0' || text[1] > '9' {
		return NoSquare, fmt.Errorf("%q is no square; files are a–i, ranks 0–9", text)
	}
	return SquareAt(int(text[0]-'a'), int(text[1]-'0')), nil
}

// Move is a move from one square to another: from<<7 | to in the low 14 bits. The two
// high bits are always zero here and free for those who store moves.
type Move uint16

// NoMove is the zero value, which is no move.
const NoMove Move = 0

// NewMove returns the move from one square to another.
func NewMove(from, to Square) Move { return Move(from)<<7 | Move(to) }

// From returns the square the piece leaves.
func (m Move) From() Square { return Square(m >> 7 & 127) }

// To returns the square the piece goes to.
func (m Move) To() Square { return Square(m & 127) }

// Mirror returns the move on the other side of the e file.
func (m Move) Mirror() Move { return NewMove(m.From().Mirror(), m.To().Mirror()) }

// Flip returns the move with ranks counted from the other side.
func (m Move) Flip() Move { return NewMove(m.From().Flip(), m.To().Flip()) }

// String returns coordinates with ranks 0–9, as in "h2e2"; NoMove is "0000".
func (m Move) String() string {
	if m == NoMove {
		return "0000"
	}
	return m.From().String() + m.To().String()
}

// ParseMove reads coordinates with ranks 0–9, as in "h2e2". It knows nothing of any
// position: ask Position.Legal.
func ParseMove(text string) (Move, error) {
	if len(text) == 4 {
		from, err1 := ParseSquare(text[:2])
		to, err2 := ParseSquare(text[2:])
		if err1 == nil && err2 == nil && from != to {
			return NewMove(from, to), nil
		}
	}
	return NoMove, fmt.Errorf("%q is no move; expected two squares such as h2e2", text)
}
