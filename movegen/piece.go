package movegen

// Color is a side, Red or Black.
type Color uint8

// The two sides. Red moves first in the start position.
const (
	Red Color = iota
	Black
)

// Other returns the opponent.
func (c Color) Other() Color { return (c ^ 1) & 1 }

// String returns "Red" or "Black".
func (c Color) String() string {
	if c == Red {
		return "Red"
	}
	return "Black"
}

// PieceType is a kind of piece without its colour, 1–7.
type PieceType uint8

// The kinds of pieces; the letters of FEN are K A B N R C P.
const (
	NoType PieceType = iota
	King
	Advisor
	Elephant
	Horse
	Rook
	Cannon
	Pawn
	PieceTypes // one more than the last
)

const (
	typeLetters  = ".KABNRCP"
	pieceLetters = ".KABNRCP.kabnrcp"
)

// String returns the field's name of the piece.
func (t PieceType) String() string {
	return [...]string{"none", "king", "advisor", "elephant", "horse", "rook", "cannon", "soldier"}[t&7]
}

// Letter returns the upper-case letter of FEN.
func (t PieceType) Letter() byte { return typeLetters[t&7] }

// Piece is a coloured piece: colour<<3 | type, or NoPiece for an empty square.
// Values are below Pieces, so that they index arrays of 16.
type Piece uint8

// NoPiece is an empty square.
const NoPiece Piece = 0

// Pieces is the size of tables indexed by Piece.
const Pieces = 16

// NewPiece returns the piece of the type and colour.
func NewPiece(c Color, t PieceType) Piece { return Piece(c)<<3 | Piece(t) }

// Color returns the piece's side; it means nothing for NoPiece.
func (p Piece) Color() Color { return Color(p >> 3 & 1) }

// Type returns the kind of piece, NoType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p & 7) }

// Letter returns the letter of FEN, upper case for Red, '.' for NoPiece.
func (p Piece) Letter() byte { return pieceLetters[p&15] }

// String returns the letter of FEN.
func (p Piece) String() string { return string(p.Letter()) }

// pieceOf returns the piece for a letter of FEN in any of the alphabets in use:
// B or E for the elephant, N or H for the horse, R, C, P (S is met in a few places).
func pieceOf(letter byte) Piece {
	c, l := Red, letter
	if 'a' <= l && l <= 'z' {
		c, l = Black, l-'a'+'A'
	}
	var t PieceType
	switch l {
	case 'K', 'G':
		t = King
	case 'A':
		t = Advisor
	case 'B', 'E':
		t = Elephant
	case 'N', 'H':
		t = Horse
	case 'R':
		t = Rook
	case 'C':
		t = Cannon
	case 'P', 'S':
		t = Pawn
	default:
		return NoPiece
	}
	return NewPiece(c, t)
}
