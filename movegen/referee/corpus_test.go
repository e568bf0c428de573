package referee

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// corpusCase is a line of testdata/repetition.jsonl: the verdict of the program named in
// source under the rules named, and the ply at which it first falls. The positions come
// from danieltan1517/orange-xiangqi, Fairy-Stockfish's tests, public issues and random
// search, as each line's source says.
type corpusCase struct {
	FEN      string   `json:"fen"`
	Moves    []string `json:"moves"`
	Rules    string   `json:"rules"`
	Expected string   `json:"expected"`
	Ply      int      `json:"ply"` // 0: null, no verdict
	Why      string   `json:"why"`
	Source   string   `json:"source"`
}

// expectedStatus translates the corpus's words.
var expectedStatus = map[string]Status{"none": Ongoing, "draw": Draw, "red_loses": BlackWins, "black_loses": RedWins}

func readCorpus(t testing.TB) []corpusCase {
	t.Helper()
	f, err := os.Open("testdata/repetition.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []corpusCase
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if lines.Err() != nil || len(cases) != 481 {
		t.Fatalf("%d cases, want 481 (%v)", len(cases), lines.Err())
	}
	return cases
}

// newGame begins a game from text.
func newGame(t testing.TB, fen, rules string) *Game {
	t.Helper()
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Named(rules)
	if err != nil {
		t.Fatal(err)
	}
	return NewGame(p, r)
}

// play plays the moves until a verdict falls.
func play(t testing.TB, g *Game, moves ...string) Verdict {
	t.Helper()
	for _, text := range moves {
		m, err := movegen.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := g.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != Ongoing {
			return v
		}
	}
	return g.Verdict()
}

// TestCorpus holds every verdict of the corpus and the ply at which it first falls.
func TestCorpus(t *testing.T) {
	for i, c := range readCorpus(t) {
		v := play(t, newGame(t, c.FEN, c.Rules), c.Moves...)
		if v.Status != expectedStatus[c.Expected] || v.Ply != c.Ply {
			t.Errorf("line %d: %s %s moves %s\n\tgot %s (%s) at ply %d, want %s at %d: %s",
				i+1, c.Rules, c.FEN, strings.Join(c.Moves, " "), v.Status, v.Reason, v.Ply, c.Expected, c.Ply, c.Why)
		}
	}
}
