package referee

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// TestEachRuleSetsLimit: the limit of every rule set falls on its ply and not one sooner,
// in the game and at a node.
func TestEachRuleSetsLimit(t *testing.T) {
	for rules, limit := range map[string]int{"computer": 120, "axf": 120, "ucci-league": 100, "check-only": 100} {
		for _, played := range []int{limit - 2, limit - 1} {
			want := Verdict{}
			if played == limit-1 {
				want = Verdict{Draw, MoveLimit, 1}
			}
			g := newGame(t, fmt.Sprintf("%s - - %d 60", idleFEN, played), rules)
			if got := play(t, g, "a0a1"); got != want {
				t.Errorf("%s, ply %d: %v, want %v", rules, played+1, got, want)
			}
			if got := g.Node(1); got != g.outcome(want) {
				t.Errorf("%s, ply %d: a node is %v, want %v", rules, played+1, got, g.outcome(want))
			}
		}
	}
}

// TestLimitMeetsOtherEndsUnderAllRules has the limit fall on the ply of a mate, a stalemate
// and a repetition: those come first.
func TestLimitMeetsOtherEndsUnderAllRules(t *testing.T) {
	const check, checks = "c2a1k3/2c1a2R1/b6P1/8p/9/9/9/9/4K4/9 w", "h8h9 f9f8 h9h8 f8f9"
	for _, name := range Names() {
		r, _ := Named(name)
		plies := 4 * (r.Occurrences - 1) // a turn more than this is never needed
		counter := func(fen string, moves int) string { return fmt.Sprintf("%s - - %d 100", fen, r.Limit-moves) }
		chase := Verdict{BlackWins, PerpetualChase, plies}
		if r.chase == nil {
			chase = Verdict{Draw, Repetition, plies}
		}
		for _, c := range []struct {
			what, fen, moves string
			want             Verdict
		}{
			{"mate", counter("3k5/R8/1R7/9/9/9/9/9/9/4K4 w", 1), "b7b9", Verdict{RedWins, Checkmate, 1}},
			{"stalemate", counter("3k5/9/4R4/9/9/9/9/9/9/4K4 w", 1), "e7e8", Verdict{RedWins, Stalemate, 1}},
			{"chase", counter(chaseFEN, plies), thrice(chaseCycle), chase},
			{"no fault", counter(idleFEN, plies), thrice(idleCycle), Verdict{Draw, Repetition, plies}},
			{"perpetual check", counter(check, plies), thrice(checks), Verdict{BlackWins, PerpetualCheck, plies}},
			{"a ply before the chase", counter(chaseFEN, plies-1), thrice(chaseCycle), Verdict{Draw, MoveLimit, plies - 1}},
		} {
			if got := play(t, newGame(t, c.fen, name), strings.Fields(c.moves)...); got != c.want {
				t.Errorf("%s, %s: %v, want %v", name, c.what, got, c.want)
			}
		}
	}
}

// TestNodeLeavesMateToTheSearch: where the limit or dead material falls on a position
// without legal moves, its end is mate.
func TestNodeLeavesMateToTheSearch(t *testing.T) {
	for _, c := range []struct {
		what, fen, move string
		want            Outcome
	}{
		{"mate on the limit's ply", "3k5/R8/1R7/9/9/9/9/9/9/4K4 w - - 119 100", "b7b9", None},
		{"stalemate on the limit's ply", "3k5/9/4R4/9/9/9/9/9/9/4K4 w - - 119 100", "e7e8", None},
		{"dead material", "3k5/9/9/9/9/9/9/9/9/C3K4 w - - 0 1", "a0a1", Drawn},
	} {
		g := newGame(t, c.fen, "computer")
		push(t, g, c.move)
		if got := g.Node(1); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestBothSidesChecksCountApart: each side has its own ten checks that count, and where
// both check in turn the counter stands still afterwards; elsewhere it has run backwards.
func TestBothSidesChecksCountApart(t *testing.T) {
	const fen, moves = "3akr3/5c3/1P2b4/4R4/9/9/9/9/9/4CK3 w", "f8e8 e7f7 e8f8 f7e7" // each a check
	for rules, most := range map[string]int32{"computer": 20, "axf": 20, "ucci-league": 0, "check-only": 1000} {
		g := newGame(t, fen, rules)
		push(t, g, "e6e7 "+strings.Repeat(moves+" ", 10)) // the first captures
		for i := 1; i <= g.Len(); i++ {
			if p := g.plies[i]; !p.check || p.count != min(int32(i-1), most) {
				t.Fatalf("%s: counter %d at ply %d (check: %v), want %d", rules, p.count, i, p.check, min(int32(i-1), most))
			}
		}
	}
}

// TestCaptureWithCheck: in the league its answer does not count, nor does it itself.
func TestCaptureWithCheck(t *testing.T) {
	for rules, want := range map[string]int32{"computer": 1, "axf": 1, "ucci-league": 0, "check-only": 1} {
		g := newGame(t, "4k3r/9/9/9/9/9/9/9/9/3K4R w - - 7 1", rules)
		push(t, g, "i0i9 e9e8")
		if got := g.plies[2].count; got != want {
			t.Errorf("%s: counter %d after the answer, want %d", rules, got, want)
		}
	}
}

// TestNullMovesKeep: a null move leaves the counter of the limit, the checks given and the
// material as they were.
func TestNullMovesKeep(t *testing.T) {
	g := newGame(t, "4k4/8R/9/9/9/9/9/9/9/3K5 w - - 7 1", "computer")
	push(t, g, strings.Repeat("i8i9 e9e8 i9i8 e8e9 ", 6)) // twelve checks
	g.PushNull()
	if p := g.plies[g.Len()]; p.count != 27 || p.checks != [2]int32{12, 0} {
		t.Errorf("after a null move: %+v", p)
	}
	push(t, g, "e9f9")
	if got := g.plies[g.Len()].count; got != 28 {
		t.Errorf("counter %d after a move that answers no check, want 28", got)
	}
	g = newGame(t, idleFEN+" - - 119 60", "computer")
	g.PushNull()
	if got := g.Node(1); got != None {
		t.Errorf("a null move reaches the limit: %v", got)
	}
	push(t, g, "d9d8")
	if got := g.Node(2); got != Drawn {
		t.Errorf("the limit after a null move: %v", got)
	}
	g = newGame(t, "3k5/9/9/9/9/9/9/9/9/4K4 w", "computer")
	g.PushNull()
	push(t, g, "d9d8")
	if got := g.Node(2); got != Drawn {
		t.Errorf("dead material after a null move: %v", got)
	}
}

// TestEachRuleSetsMaterial: what each rule set takes for dead.
func TestEachRuleSetsMaterial(t *testing.T) {
	for _, c := range []struct{ fen, move, drawn string }{
		{"3k5/9/9/9/9/9/9/9/R8/4K4 w", "e0f0", ""},
		{"3k5/9/9/9/9/9/9/9/C8/4K4 w", "e0f0", "computer"},
		{"3k1a3/9/9/9/9/9/9/9/C8/4K4 w", "e0f0", "computer"},
		{"3k1c3/9/9/9/9/9/9/9/C8/4K4 w", "e0e1", "computer"},
		{"3k5/9/9/9/9/P8/9/9/9/4K4 w", "e0f0", ""},
		{"3k1a3/9/4b4/9/9/9/9/4B4/4A4/4K4 w", "e0f0", "computer axf ucci-league"},
		{"5k3/4a4/3CN4/9/1PP5p/9/8P/4C4/4A4/2B1K4 w", "c0a2", ""}, // has been taken for dead elsewhere
	} {
		for _, name := range Names() {
			v := play(t, newGame(t, c.fen, name), c.move)
			if want := slices.Contains(strings.Fields(c.drawn), name); (v.Reason == InsufficientMaterial) != want {
				t.Errorf("%s %s: %v, dead: %v", name, c.fen, v, want)
			}
		}
	}
	for _, fen := range []string{"3k1a3/9/9/9/9/9/9/9/C8/4K4 w", "3k5/9/9/9/9/9/9/9/C8/4K4 w"} { // whatever moves there are
		p, err := movegen.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := canAnyoneWin(p); got != dead {
			t.Errorf("%s: %d, want dead", fen, got)
		}
	}
}
