package referee

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// comparison counts verdicts on which both referees agreed.
type comparison map[string]int

// compare fails unless both referees say the same of the line under every rule set.
func (c comparison) compare(t *testing.T, start *movegen.Position, line []movegen.Move) {
	t.Helper()
	var all [2]Verdict
	for i, name := range Names() {
		want, ply := slowVerdict(start.FEN(), texts(line), name)
		got := play(t, NewGame(start, repetitionOnly(t, name)), texts(line)...)
		if statusWord[got.Status] != want || got.Ply != ply {
			t.Fatalf("%s: %s moves %s: %s (%s) at ply %d, the slow referee says %s at %d", name, start.FEN(),
				strings.Join(texts(line), " "), got.Status, got.Reason, got.Ply, want, ply)
		}
		if i < len(all) {
			all[i] = got
		}
		c[name+" "+got.Reason.String()]++
	}
	if all[0].Status != all[1].Status {
		c["computer differs from axf"]++
	}
}

// atLeast fails if a kind of verdict was met too rarely for the comparison to mean much.
func (c comparison) atLeast(t *testing.T, n int, kinds ...string) {
	t.Helper()
	t.Log(c)
	for _, kind := range kinds {
		if c[kind] < n {
			t.Errorf("%d lines were %q, want %d: the comparison shows too little", c[kind], kind, n)
		}
	}
}

// effort is smaller in short tests and under the race detector's slowness.
func effort(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestSlowRefereeAgreesNearCorpus compares both on the corpus's cycles with a few pieces
// added, taken away or exchanged: chases that hang by a thread.
func TestSlowRefereeAgreesNearCorpus(t *testing.T) {
	cases := readCorpus(t)
	lines := effort(1000)
	rng := rand.New(rand.NewPCG(15, 92))
	c := comparison{}
	for n := 0; n < lines; {
		k := cases[rng.IntN(len(cases))]
		start := mutate(rng, k.FEN)
		if start == nil || len(k.Moves) > 40 {
			continue
		}
		var line []movegen.Move
		w := *start
		for _, text := range k.Moves {
			m, _ := movegen.ParseMove(text)
			var u movegen.Undo
			if !w.IsLegal(m) {
				break
			}
			w.Make(m, &u)
			line = append(line, m)
		}
		if len(line) < len(k.Moves) {
			continue
		}
		for range 6 { // for those who judge at the fourth occurrence
			if m := line[len(line)-4]; w.IsLegal(m) {
				var u movegen.Undo
				w.Make(m, &u)
				line = append(line, m)
			}
		}
		n++
		c.compare(t, start, line)
	}
	c.atLeast(t, max(1, lines/100), "computer perpetual_check", "computer perpetual_chase", "computer mutual_perpetual", "computer repetition",
		"axf perpetual_chase", "axf mutual_perpetual", "ucci-league perpetual_chase", "computer differs from axf")
}

// mutate changes up to four squares of the position at random, nil if nothing valid
// comes out.
func mutate(rng *rand.Rand, fen string) *movegen.Position {
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		return nil
	}
	var board [90]byte
	for s := range movegen.Square(movegen.Squares) {
		if pc := p.At(s); pc != movegen.NoPiece {
			board[s] = pc.Letter()
		}
	}
	for range 1 + rng.IntN(4) {
		s := rng.IntN(90)
		if rng.IntN(2) == 0 { // change or take away a piece, rather than fill a square
			for board[s] == 0 {
				s = rng.IntN(90)
			}
		}
		if kindOf(board[s]) != 'K' {
			board[s] = "AABBNNRRCCPPaabbnnrrccpp\x00\x00\x00\x00"[rng.IntN(28)]
		}
	}
	q, err := movegen.ParseFEN(boardFEN(board) + " " + strings.Fields(fen)[1])
	if err != nil {
		return nil
	}
	return q
}
