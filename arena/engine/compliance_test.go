package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// The positions of the check are what they are said to be.
func TestCompliancePositions(t *testing.T) {
	for _, fen := range onlyMoves {
		var l movegen.MoveList
		if gameFrom(t, fen).Position().Legal(&l); l.Len() != 1 {
			t.Errorf("%q has %d legal moves, want 1", fen, l.Len())
		}
	}
	for name, c := range map[string]cycle{"check": perpetualCheck, "chase": perpetualChase} {
		g := gameFrom(t, c.fen)
		for _, text := range append(c.moves[:len(c.moves):len(c.moves)], c.last) {
			m, err := movegen.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Play(m); err != nil {
				t.Fatal(err)
			}
		}
		if v := g.Verdict(); v.Status != referee.BlackWins {
			t.Errorf("perpetual %s: %s by %s, want a win for Black", name, v.Status, v.Reason)
		}
	}
}

func checkReal(t *testing.T, cfg Config) {
	var out bytes.Buffer
	rep := Compliance(context.Background(), cfg, Checks{Perft: true}, &out)
	t.Logf("\n%s", out.String())
	if !rep.Passed {
		t.Errorf("%d steps failed", rep.Failed)
	}
	if text, err := json.Marshal(rep); err != nil || !strings.Contains(string(text), `"state":"pass"`) {
		t.Errorf("as JSON: %v", err)
	}
}

// Fairy-Stockfish passes in both protocols.
func TestComplianceFairy(t *testing.T) {
	needFairy(t)
	for _, proto := range []string{"uci", "ucci"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			checkReal(t, Config{Cmd: fairy, Proto: proto})
		})
	}
}

// A good engine passes; each bad one fails, or is noted, at the step where it is bad.
func TestComplianceFaults(t *testing.T) {
	for _, row := range []struct {
		args   []string
		step   string
		state  State
		detail string
	}{
		{[]string{"-do=no-ok"}, "start", Fail, "no uciok"},
		{[]string{"-do=illegal-move"}, "go depth", Fail, "e0e5"},
		{[]string{"-do=none", "-at=4"}, "go with a clock", Fail, "no move at ply"},
		{[]string{"-do=crash", "-at=2"}, "go nodes", Fail, "ended by SIGKILL"},
		{[]string{"-do=ignore-quit"}, "quit", Fail, "did not end"},
		{[]string{"-info=depth 1"}, "score and depth", Note, "no score"},
		{[]string{"-id="}, "id name", Note, ""},
		{nil, "stop", Note, "before it is stopped"},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			t.Parallel()
			cfg := script(row.args...)
			cfg.Deadlines.Hang = 5 * time.Second
			rep := Compliance(context.Background(), cfg, Checks{}, nil)
			for _, s := range rep.Steps {
				if s.Name == row.step {
					if s.State != row.state || !strings.Contains(s.Detail, row.detail) {
						t.Errorf("%s: %s: %s, want %s with %q", s.Name, s.State, s.Detail, row.state, row.detail)
					}
					if rep.Passed == (row.state == Fail) {
						t.Errorf("passed: %t", rep.Passed)
					}
					return
				}
			}
			t.Errorf("no step %q in %+v", row.step, rep.Steps)
		})
	}
}

// A wrong perft is traced to its move.
func TestPerftDifference(t *testing.T) {
	for do, want := range map[string]string{
		"perft-extra": "in \"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1\" it lists a0b2, which is illegal",
		"perft-less":  "it misses",
		"perft-sum":   "its moves are right, its sum is not",
		"perft-deep":  "it misses",
		"perft":       "",
	} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			cfg := script("-do", do)
			cfg.Deadlines = patient
			k := &checker{ctx: context.Background(), c: New(cfg)}
			defer k.c.Close()
			if err := k.c.NewGame(k.ctx); err != nil {
				t.Fatal(err)
			}
			text, err := k.perft()
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%q, %v; want %q", text, err, want)
			}
		})
	}
}

// An engine of this machine, named by XQLAB_ENGINE, is checked by hand.
func TestComplianceNamed(t *testing.T) {
	cmd := os.Getenv("XQLAB_ENGINE")
	if cmd == "" {
		t.Skip("XQLAB_ENGINE names no engine to check")
	}
	words := strings.Fields(cmd)
	checkReal(t, Config{Cmd: words[0], Args: words[1:], Rules: "computer", MoveLimit: 120, Threads: 1, HashMB: 16})
}
