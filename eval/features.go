package eval

import "github.com/xqlab/xqlab/movegen"

// The features' places in the flat weight vector. Each group begins where the one before
// it ends; groups below describes them in the same order and a test holds both together.
const (
	tempo     = 0
	material  = tempo + 1 // by piece type, advisor to soldier
	psqt      = material + 6
	psqtKing  = psqt
	psqtAdv   = psqtKing + boardCells
	psqtEleph = psqtAdv + boardCells
	psqtHorse = psqtEleph + boardCells
	psqtRook  = psqtHorse + boardCells
	psqtCann  = psqtRook + boardCells
	psqtPawn  = psqtCann + boardCells

	// Features is the number of features, each with a middlegame and an endgame weight.
	Features = psqtPawn + boardCells
)

// A piece-square board has a cell for each rank and for files a–e; files f–i are tied to
// d–a.
const (
	boardRanks = movegen.Ranks
	boardFiles = 5
	boardCells = boardRanks * boardFiles
)

// Shape is how a group of weights is laid out in a file.
type Shape uint8

// The shapes.
const (
	Single Shape = iota // one weight
	Table               // weights by a count from 0 up
	Board               // weights by square, files a–e tied to i–e, seen from the owner
)

// Group describes neighbouring features that belong together.
type Group struct {
	Name  string // as in the weights file: "psqt.horse"
	First int    // index of the first feature
	Size  int
	Shape Shape
	Doc   string // what it measures
}

// groups lists all features in order.
var groups = buildGroups()

// Groups returns the description of all features in the order of the weight vector.
func Groups() []Group { return append([]Group(nil), groups...) }

func buildGroups() []Group {
	list := []Group{{Name: "tempo", Size: 1, Doc: "the side to move"}}
	for t := movegen.Advisor; t < movegen.PieceTypes; t++ {
		list = append(list, Group{Name: "material." + t.String(), Size: 1, Doc: "a " + t.String() + " on the board"})
	}
	for t := movegen.King; t < movegen.PieceTypes; t++ {
		list = append(list, Group{Name: "psqt." + t.String(), Size: boardCells, Shape: Board, Doc: "where the " + t.String() + " stands"})
	}
	first := 0
	for i := range list {
		list[i].First = first
		first += list[i].Size
	}
	return list
}

// psqtIndex returns the feature of the piece's square.
func psqtIndex(pc movegen.Piece, s movegen.Square) int {
	if pc.Color() == movegen.Black {
		s = s.Flip()
	}
	return psqt + (int(pc.Type())-int(movegen.King))*boardCells + s.Rank()*boardFiles + min(s.File(), 8-s.File())
}

// materialIndex returns the feature of the piece type, which is not the king.
func materialIndex(t movegen.PieceType) int { return material + int(t) - int(movegen.Advisor) }

// standable reports whether a game can bring a piece of the type to a board cell; other
// cells are written as zero and never counted.
func standable(t movegen.PieceType, cell int) bool {
	f, r := cell%boardFiles, cell/boardFiles
	switch t {
	case movegen.King:
		return f >= 3 && r <= 2
	case movegen.Advisor:
		return f >= 3 && r <= 2 && (f+r)%2 == 1
	case movegen.Elephant:
		return r <= 4 && r%2 == 0 && f%2 == 0 && (f+r)%4 == 2
	case movegen.Pawn:
		return r >= 5 || r >= 3 && f%2 == 0
	}
	return true
}
