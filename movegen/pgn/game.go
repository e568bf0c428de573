package pgn

import (
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// Game is a game as a file holds it.
type Game struct {
	Tags    Tags
	FEN     string // the start position, in the form of movegen.Position.FEN
	Comment string // before the first move
	Moves   []movegen.Move
	Notes   []Note // one for each move, or nil when there is none at all
	Result  Result
	Line    int // of its first line in the file, from 1
}

// Result is a result in PGN's words.
type Result string

// The results; 1-0 is Red's.
const (
	RedWins   Result = "1-0"
	BlackWins Result = "0-1"
	Drawn     Result = "1/2-1/2"
	Unknown   Result = "*"
)

// resultWords are the ways in which results are written.
var resultWords = map[string]Result{
	"1-0": RedWins, "1:0": RedWins, "红胜": RedWins, "紅勝": RedWins, "红先胜": RedWins, "紅先勝": RedWins, "先胜": RedWins, "先勝": RedWins,
	"0-1": BlackWins, "0:1": BlackWins, "黑胜": BlackWins, "黑勝": BlackWins, "红负": BlackWins, "紅負": BlackWins, "红先负": BlackWins, "紅先負": BlackWins, "先负": BlackWins, "先負": BlackWins,
	"1/2-1/2": Drawn, "1/2": Drawn, "½-½": Drawn, "½": Drawn, "0.5-0.5": Drawn, "和": Drawn, "和棋": Drawn, "和局": Drawn, "红先和": Drawn, "紅先和": Drawn, "先和": Drawn,
	"*": Unknown, "未知": Unknown, "不明": Unknown,
}

// ParseResult reads a result as PGN files and Chinese texts write it.
func ParseResult(text string) (Result, bool) {
	r, ok := resultWords[strings.TrimSpace(text)]
	return r, ok
}

// Tag is a tag pair.
type Tag struct{ Name, Value string }

// Tags are tag pairs in the order of the file.
type Tags []Tag

// Get returns the value of the tag with the name in any case, or "".
func (t Tags) Get(name string) string {
	if i := t.find(name); i >= 0 {
		return t[i].Value
	}
	return ""
}

func (t Tags) find(name string) int {
	for i := range t {
		if strings.EqualFold(t[i].Name, name) {
			return i
		}
	}
	return -1
}

// Has reports whether there is a tag with the name.
func (t Tags) Has(name string) bool { return t.find(name) >= 0 }

// Set changes the tag with the name, or appends it.
func (t *Tags) Set(name, value string) {
	if i := t.find(name); i >= 0 {
		(*t)[i].Value = value
		return
	}
	*t = append(*t, Tag{name, value})
}

// Player returns the name of the player: the tag Red or Black, else White for Red.
func (t Tags) Player(c movegen.Color) string {
	if c == movegen.Black {
		return t.Get("Black")
	}
	if name := t.Get("Red"); name != "" {
		return name
	}
	return t.Get("White")
}

// Note is what a file says about a move.
type Note struct {
	Comment    string // without the engine's data
	Eval       Eval
	NAGs       []uint8
	Variations []Line // other moves in the place of this one
}

// Line is a variation. Notes are as in Game.
type Line struct {
	Comment string
	Moves   []movegen.Move
	Notes   []Note
}

// Eval is what an engine said of its move, as runners put it into the move's comment.
type Eval struct {
	Book     bool // the move came from the opening
	Scored   bool // Score and Mate hold a score
	Score    int  // centipawns from the mover's view, 0 with a mate
	Mate     int  // plies to the mate the mover gives, negative when it is mated, 0 for none
	Depth    int  // plies
	SelDepth int
	Nodes    uint64
	Time     time.Duration // spent on the move
	CPU      time.Duration // the engine's processor time
	Delay    time.Duration // the machine's scheduling delay
}

// Start returns the start position.
func (g *Game) Start() (*movegen.Position, error) { return movegen.ParseFEN(g.FEN) }

// note returns the note of move i, growing Notes to all moves.
func (g *Game) note(i int) *Note {
	for len(g.Notes) < len(g.Moves) {
		g.Notes = append(g.Notes, Note{})
	}
	return &g.Notes[i]
}
