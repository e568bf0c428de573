package referee

import (
	"slices"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// twice and thrice repeat a cycle.
func twice(cycle string) string  { return strings.TrimSpace(strings.Repeat(cycle+" ", 2)) }
func thrice(cycle string) string { return strings.TrimSpace(strings.Repeat(cycle+" ", 3)) }

// ruleCases are kinds that the corpus lacks, with the verdict that the text of each rule
// set gives. The cycles are turned thrice, so that the league's fourth occurrence falls too.
var ruleCases = []struct {
	name, fen, moves string
	want             map[string]Verdict
}{
	{
		// The rook stands between its king and the black rook: it could not take the horse.
		// The league does not look at pins.
		"chase by a pinned piece", "3k5/4r4/9/9/9/4R4/9/n8/9/4K4 w", thrice("e4e2 a2b4 e2e4 b4a2"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {BlackWins, PerpetualChase, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The cannon is the victim of every move of Red's, if not always of the same rook.
		"chase by two pieces in turn", "3k5/9/1R7/9/8c/R8/9/9/9/4K4 w", thrice("a4a5 i5i6 b7b6 i6i4 a5a4 i4i7 b6b7 i7i5"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 16}, "axf": {BlackWins, PerpetualChase, 16}, "ucci-league": {BlackWins, PerpetualChase, 24}, "check-only": {Draw, Repetition, 16}},
	}, {
		// The rook d5 protects the cannon, but it is pinned by the rook d1.
		"protection by a pinned piece", "3k5/9/9/9/3r3c1/9/9/9/3R5/4K3R w", thrice("i0h0 h5i5 h0i0 i5h5"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 8}, "axf": {BlackWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// Nothing pins the protector.
		"protection that is real", "3k5/9/9/9/3r3c1/9/9/9/9/4K3R w", thrice("i0h0 h5i5 h0i0 i5h5"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The victim could take the attacker as well: an offer to exchange, not a chase.
		"exchange offered between rooks", "3k5/9/9/9/8r/R8/9/9/9/4K4 w", thrice("a4a5 i5i4 a5a4 i4i5"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The cannon e9 pins Red's rook, which cannot take the one that attacks it.
		"no exchange with a pinned rook", "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w", thrice("e4e3 c4c3 e3e4 c3c4"),
		map[string]Verdict{"computer": {RedWins, PerpetualChase, 8}, "axf": {RedWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The horse d3 sees the horse f2, whose own leg the elephant e2 blocks.
		"no exchange with a horse whose leg is blocked", "5k3/9/9/9/6P2/4c4/3n5/3NBN3/4A4/4K4 w", thrice("e0d0 e4d4 d0e0 d4e4"),
		map[string]Verdict{"computer": {RedWins, PerpetualChase, 8}, "axf": {RedWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// Red's rook attacks the horse all the time; no move of the cycle brings that about.
		"an attack that was there before the cycle", "3k5/9/9/9/R7n/9/9/9/9/4K4 w", thrice("e0e1 d9d8 e1e0 d8d9"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The move that leads into the cycle is no chase, all others are.
		"chase begun by an idle move", "3k4n/9/9/9/9/9/9/9/9/5K1R1 w", "f0e0 d9d8 " + thrice("h0i0 i9h7 i0h0 h7i9"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 10}, "axf": {BlackWins, PerpetualChase, 10}, "ucci-league": {BlackWins, PerpetualChase, 14}, "check-only": {Draw, Repetition, 10}},
	}, {
		// On rank 5 the cannon a5 protects the horse over the rook. The rook that takes is its
		// screen no longer: there is no root. The league sees the protection as it stands.
		"cannon that loses its screen by the capture", "3k5/9/4R4/9/c7n/9/9/9/9/4K4 w", thrice("e7e5 i5h7 e5e7 h7i5"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 8}, "axf": {BlackWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// Crossed, the soldier can be chased; what came before its step cannot come again.
		"soldier that has crossed the river", "5k3/9/9/9/2p6/9/9/9/9/1R2K4 w", "b0c0 c5c4 c0b0 f9f8 " + thrice("b0c0 c4b4 c0b0 b4c4"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 12}, "axf": {BlackWins, PerpetualChase, 12}, "ucci-league": {BlackWins, PerpetualChase, 16}, "check-only": {Draw, Repetition, 12}},
	}, {
		// On its own side of the river the soldier may be attacked for ever.
		"soldier that has not crossed", "5k3/9/9/2p6/9/9/9/9/9/1R2K4 w", thrice("b0c0 f9f8 c0b0 f8f9"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The cannon opens the elephant's way to one of two rooks that protect each other,
		// which counts in the computer rule alone. No line of the corpus hangs on it.
		"elephant attacks protected rooks", "4k4/9/9/9/9/r1r6/3C5/4B4/9/5K3 w", thrice("d3f3 c4g4 f3d3 g4c4"),
		map[string]Verdict{"computer": {BlackWins, PerpetualChase, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// Black chases the cannon with every move, Red checks with every other.
		"chase with every move against some checks", "3k5/3n5/2r6/9/9/9/9/4K4/9/2C3N2 w", thrice("c0d0 c7d7 d0c0 d7c7"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {RedWins, PerpetualChase, 8}, "ucci-league": {RedWins, PerpetualChase, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// One piece is attacked with every move, but some of the moves check. After the first
		// two moves there is a shorter way round to the same position.
		"chase that checks now and then", "4k4/9/3R5/4c4/9/4N4/9/4C4/9/5K3 w", thrice("e4g5 e6f6 d7f7 f6d6 f7d7 d6f6 g5e4 f6e6"),
		map[string]Verdict{"computer": {Draw, Repetition, 10}, "axf": {Draw, Repetition, 10}, "ucci-league": {Draw, Repetition, 14}, "check-only": {Draw, Repetition, 10}},
	}, {
		// The rook adds itself to those who attack a piece that is attacked already.
		"second attacker of the same victim", "2r1k4/2P6/2c2R1R1/9/9/7c1/9/7p1/3K5/1C7 w", thrice("f7f3 h4i4 f3f7 i4h4"),
		map[string]Verdict{"computer": {Draw, Repetition, 8}, "axf": {Draw, Repetition, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// WXF diagrams 39–41: the rook f8 is pinned by the horse g8 and chases it.
		"rook pinned by a horse, chasing back", "2baka3/C4rN2/4b1n2/1Rp5p/6p2/2P6/4c1P1c/4B3C/4A4/4KAB2 w", thrice("b6b8 f9e8 b8b6 e8f9"),
		map[string]Verdict{"computer": {Draw, MutualPerpetual, 8}, "axf": {BlackWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// The moves of the cannon give its like behind it an attack on the horses: discovered.
		"discovered chase", "5k3/8n/7P1/3C4R/7n1/9/9/p6c1/9/4K4 w", thrice("d6h6 h5i3 h6d6 i3h5"),
		map[string]Verdict{"computer": {RedWins, PerpetualChase, 8}, "axf": {RedWins, PerpetualChase, 8}, "ucci-league": {Draw, Repetition, 12}, "check-only": {Draw, Repetition, 8}},
	}, {
		// Red checks with every move; every answer of the king's gives a cannon its screen
		// and so chases the rook. Check is graver.
		"check answered by chase", "c2a1k3/2c1a2R1/b6P1/8p/9/9/9/9/4K4/9 w", thrice("h8h9 f9f8 h9h8 f8f9"),
		map[string]Verdict{"computer": {BlackWins, PerpetualCheck, 8}, "axf": {BlackWins, PerpetualCheck, 8}, "ucci-league": {BlackWins, PerpetualCheck, 12}, "check-only": {BlackWins, PerpetualCheck, 8}},
	},
}

// TestCheckAnsweredByChase: chases that answer checks are told as such and do not lose.
func TestCheckAnsweredByChase(t *testing.T) {
	for _, c := range []struct{ fen, cycle, answer string }{
		{"c2a1k3/2c1a2R1/b6P1/8p/9/9/9/9/4K4/9 w", "h8h9 f9f8 h9h8 f8f9", "f9f8 chase (捉) of the rook h9 by the cannon a9"},
		{"9/9/3k5/9/9/9/4R4/r7B/5K3/9 w", "e3d3 d7e7 d3e3 e7d7", "d7e7 chase (捉) of the elephant i2 by the rook a2"},
		{"2R5c/9/5k3/9/9/9/6n2/4K4/4A4/9 w", "e2d2 g3e4 d2e2 e4g3", "e2d2 chase (捉) of the cannon i9 by the rook c9"},
	} {
		for _, name := range []string{"computer", "axf"} {
			g := newGame(t, c.fen, name)
			v := play(t, g, strings.Fields(twice(c.cycle))...)
			e := g.Explain()
			if v.Reason != PerpetualCheck || !strings.Contains(e.Text, c.answer) {
				t.Errorf("%s under %s: %v, %s, want a perpetual check and %q", c.fen, name, v, e.Text, c.answer)
			}
			for _, m := range e.Cycle {
				if m.Kind == Idle {
					t.Errorf("%s under %s: %s is told as idle", c.fen, name, m.Move)
				}
			}
		}
	}
}

// TestOldThreatsAreToldAsIdle: an attack that a move leaves as it was is not its doing.
func TestOldThreatsAreToldAsIdle(t *testing.T) {
	for _, name := range []string{"computer", "axf"} {
		g := newGame(t, "3k5/9/9/9/R7n/9/9/9/9/4K4 w", name)
		play(t, g, strings.Fields(twice("e0e1 d9d8 e1e0 d8d9"))...)
		e := g.Explain()
		if len(e.Cycle) != 8 {
			t.Fatalf("%s: a cycle of %d plies", name, len(e.Cycle))
		}
		for _, m := range e.Cycle {
			if m.Kind != Idle {
				t.Errorf("%s: %s", name, m)
			}
		}
	}
}

// TestAllChasersAreNamed where two pieces chase in turn.
func TestAllChasersAreNamed(t *testing.T) {
	for _, c := range ruleCases {
		if c.name != "chase by two pieces in turn" {
			continue
		}
		g := newGame(t, c.fen, "computer")
		play(t, g, strings.Fields(c.moves)...)
		if e := g.Explain(); e.Chase == nil || join(e.Chase.Pieces) != "rook a4 and rook b7" || e.Chase.Victim.String() != "cannon i5" {
			t.Errorf("%+v: %s", e.Chase, e.Text)
		}
		return
	}
	t.Error("the case is gone")
}

func TestRuleCases(t *testing.T) {
	for _, c := range ruleCases {
		for rules, want := range c.want {
			g := newGame(t, c.fen, rules)
			got := play(t, g, strings.Fields(c.moves)...)
			if got != want {
				t.Errorf("%s under %s: %v %v at %d, want %v %v at %d: %+v", c.name, rules, got.Status, got.Reason, got.Ply, want.Status, want.Reason, want.Ply, g.Explain())
			}
			if status, ply := slowVerdict(c.fen, strings.Fields(c.moves), rules); status != statusWord[want.Status] || ply != want.Ply {
				t.Errorf("%s under %s: the slow referee says %s at %d", c.name, rules, status, ply)
			}
		}
	}
}

// TestLimitMeetsOtherEnds has the move limit fall on the ply of another end.
func TestLimitMeetsOtherEnds(t *testing.T) {
	chase := "3k4n/9/9/9/9/9/9/9/9/4K2R1 w - - "
	for _, c := range []struct {
		name, fen, moves string
		want             Verdict
	}{
		{"mate comes first", "3k5/R8/1R7/9/9/9/9/9/9/4K4 w - - 119 100", "b7b9", Verdict{RedWins, Checkmate, 1}},
		{"stalemate comes first", "3k5/9/4R4/9/9/9/9/9/9/4K4 w - - 119 100", "e7e8", Verdict{RedWins, Stalemate, 1}},
		{"a check with one answer is no mate", "c3k2C1/4a4/6R2/9/9/9/9/9/9/3K5 w", "g7g9", Verdict{}}, // has been shown as mate elsewhere
		{"a quiet move draws", "3k5/9/9/9/9/9/9/9/4A4/R3K4 w - - 119 100", "a0a1", Verdict{Draw, MoveLimit, 1}},
		{"repetition comes first", chase + "112 60", twice("h0i0 i9h7 i0h0 h7i9"), Verdict{BlackWins, PerpetualChase, 8}},
		{"a ply too early for the repetition", chase + "113 60", twice("h0i0 i9h7 i0h0 h7i9"), Verdict{Draw, MoveLimit, 7}},
		{"a capture begins anew", "3k5/9/9/9/9/9/9/9/r8/R3K4 w - - 119 100", "a0a1 d9d8", Verdict{Ongoing, NoReason, 0}},
		{"limit before material", "3k5/9/9/9/9/9/9/9/9/C3K4 w - - 119 100", "a0a1", Verdict{Draw, MoveLimit, 1}},
	} {
		got := play(t, newGame(t, c.fen, "computer"), strings.Fields(c.moves)...)
		if got.Status == Ongoing {
			got.Ply = 0
		}
		if got != c.want {
			t.Errorf("%s: %v %v at %d, want %v %v at %d", c.name, got.Status, got.Reason, got.Ply, c.want.Status, c.want.Reason, c.want.Ply)
		}
	}
}

// TestChecksInTheLimit: under the computer rule the first ten checks of a side and their
// answers count, the later ones do not.
func TestChecksInTheLimit(t *testing.T) {
	r, err := Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	r.Occurrences = 1000 // so that only the limit ends the game
	p, err := movegen.ParseFEN("4k4/8R/9/9/9/9/9/9/9/3K5 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGame(p, r)
	checks := strings.Fields("i8i9 e9e8 i9i8 e8e9")
	for ply := 1; ply <= 300; ply++ {
		m, _ := movegen.ParseMove(checks[(ply-1)%4])
		v, err := g.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != Ongoing {
			t.Fatalf("the limit fell at ply %d although only the first ten checks count", ply)
		}
	}
	r.countedChecks = allChecks
	g = NewGame(p, r)
	for ply := 1; ; ply++ {
		m, _ := movegen.ParseMove(checks[(ply-1)%4])
		v, err := g.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if v.Status != Ongoing {
			if ply != 120 || v.Reason != MoveLimit {
				t.Errorf("with all checks counted: %v at ply %d, want the limit at 120", v.Reason, ply)
			}
			break
		}
	}
}

// TestDeadMaterial has the endings in which nobody can win, after a move.
func TestDeadMaterial(t *testing.T) {
	for _, c := range []struct {
		name, fen, move string
		want            Verdict
	}{
		{"kings alone", "3k5/9/9/9/9/9/9/9/9/4K4 w", "e0e1", Verdict{Draw, InsufficientMaterial, 1}},
		{"defenders alone", "3k1a3/9/4b4/9/9/9/9/4B4/4A4/4K4 w", "e0f0", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon against king", "3k5/9/9/9/9/9/9/9/9/C3K4 w", "a0a1", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon against advisor", "3k1a3/9/9/9/9/9/9/9/9/C3K4 w", "a0a1", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon against two advisors", "3k1a3/4a4/9/9/9/9/9/9/9/C3K4 w", "a0a1", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon and elephant against advisor", "3k1a3/9/9/9/9/9/9/4B4/9/C3K4 w", "a0a1", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon against cannon", "3k4c/9/9/9/9/9/9/9/9/C3K4 w", "a0a1", Verdict{Draw, InsufficientMaterial, 1}},
		{"cannon and advisor can win", "3k5/9/9/9/9/9/9/9/4A4/C3K4 w", "a0a1", Verdict{}},
		{"horse can win", "3k5/9/9/9/9/9/9/9/9/N3K4 w", "a0b2", Verdict{}},
		{"soldier can win", "3k5/9/9/9/9/P8/9/9/9/4K4 w", "a4a5", Verdict{}},
	} {
		got := play(t, newGame(t, c.fen, "computer"), c.move)
		if got.Status == Ongoing {
			got.Ply = 0
		}
		if got != c.want {
			t.Errorf("%s: %v %v, want %v %v", c.name, got.Status, got.Reason, c.want.Status, c.want.Reason)
		}
	}
}

// swapped returns the word for the other colour.
func swapped(s Status) Status {
	switch s {
	case RedWins:
		return BlackWins
	case BlackWins:
		return RedWins
	}
	return s
}

// TestSymmetry: mirror images have the same verdict, swapped colours the opposite one.
func TestSymmetry(t *testing.T) {
	for i, c := range readCorpus(t) {
		p, err := movegen.ParseFEN(c.FEN)
		if err != nil {
			t.Fatal(err)
		}
		want := play(t, newGame(t, c.FEN, c.Rules), c.Moves...)
		mirror, flip := p.Mirror(), p.Flip()
		for name, x := range map[string]struct {
			start movegen.Position
			move  func(movegen.Move) movegen.Move
			want  Status
		}{
			"mirrored": {mirror, movegen.Move.Mirror, want.Status}, "colours swapped": {flip, movegen.Move.Flip, swapped(want.Status)},
		} {
			r, err := Named(c.Rules)
			if err != nil {
				t.Fatal(err)
			}
			g := NewGame(&x.start, r)
			var moves []string
			for _, text := range c.Moves {
				m, _ := movegen.ParseMove(text)
				moves = append(moves, x.move(m).String())
			}
			if got := play(t, g, moves...); got.Status != x.want || got.Reason != want.Reason || got.Ply != want.Ply {
				t.Errorf("case %d %s: %v, want %v %v", i+1, name, got, x.want, want)
			}
		}
	}
}

// period returns the length of the cycle that moves[:n] ends with, turned twice; 0 if there
// is none.
func period(moves []string, n int) int {
	for l := 4; 2*l <= n; l += 2 {
		if slices.Equal(moves[n-l:n], moves[n-2*l:n-l]) {
			return l
		}
	}
	return 0
}

// TestTurnedOnceMore: the verdict keeps when the judge waits for one occurrence more.
func TestTurnedOnceMore(t *testing.T) {
	turned := 0
	for i, c := range readCorpus(t) {
		want := play(t, newGame(t, c.FEN, c.Rules), c.Moves...)
		l := period(c.Moves, want.Ply)
		if want.Status == Ongoing || l == 0 || want.Reason == MoveLimit || want.Reason == InsufficientMaterial {
			continue
		}
		g := newGame(t, c.FEN, c.Rules)
		g.rules.Occurrences++
		moves := append(slices.Clone(c.Moves[:want.Ply]), c.Moves[want.Ply-l:want.Ply]...)
		turned++
		if got := play(t, g, moves...); got.Status != want.Status || got.Reason != want.Reason {
			t.Errorf("case %d: %v at the next occurrence, %v before", i+1, got, want)
		}
	}
	if turned < 300 {
		t.Errorf("only %d cases were turned", turned)
	}
}

// TestOtherMovesBefore: the verdict keeps, a ply later, when the cycle is entered by a move,
// whatever that move did.
func TestOtherMovesBefore(t *testing.T) {
	entered := 0
	for i, c := range readCorpus(t) {
		want := play(t, newGame(t, c.FEN, c.Rules), c.Moves...)
		p, err := movegen.ParseFEN(c.FEN)
		if err != nil {
			t.Fatal(err)
		}
		inside := positions(t, c)
		for _, e := range entries(p, 6) {
			g := newGame(t, e.fen, c.Rules)
			if inside[g.Position().Key()] {
				continue // that would begin the cycle a ply earlier
			}
			got := play(t, g, append([]string{e.move}, c.Moves...)...)
			if got.Reason == MoveLimit || want.Reason == MoveLimit || got.Reason == InsufficientMaterial {
				continue
			}
			entered++
			wantPly := want.Ply + 1
			if got.Status != want.Status || got.Reason != want.Reason || want.Status != Ongoing && got.Ply != wantPly {
				t.Errorf("case %d (%s) entered by %s from %s: %v, want %v a ply later", i+1, c.Rules, e.move, e.fen, got, want)
			}
		}
	}
	if entered < 1000 {
		t.Errorf("only %d cases were entered", entered)
	}
}

// positions returns the keys of a case's positions.
func positions(t *testing.T, c corpusCase) map[uint64]bool {
	p, err := movegen.ParseFEN(c.FEN)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[uint64]bool{p.Key(): true}
	for _, text := range c.Moves {
		m, err := movegen.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			break
		}
		var u movegen.Undo
		p.Make(m, &u)
		keys[p.Key()] = true
	}
	return keys
}

// entryMove is a position and the move from it that leads into another.
type entryMove struct{ fen, move string }

// entries returns up to n quiet moves that lead into p.
func entries(p *movegen.Position, n int) (list []entryMove) {
	us := p.Side().Other()
	for own := p.Color(us); !own.Empty() && len(list) < n; {
		to := own.Pop()
		for from := movegen.Square(0); from < movegen.Squares && len(list) < n; from += 7 {
			if p.At(from) != movegen.NoPiece {
				continue
			}
			before, ok := unmoved(p, from, to)
			m := movegen.NewMove(from, to)
			if ok && before.IsLegal(m) {
				list = append(list, entryMove{before.FEN(), m.String()})
			}
		}
	}
	return list
}

// unmoved returns p with the piece on to put back to from and the other side to move.
func unmoved(p *movegen.Position, from, to movegen.Square) (*movegen.Position, bool) {
	fields := strings.Fields(p.FEN())
	var b strings.Builder
	for rank := movegen.Ranks - 1; rank >= 0; rank-- {
		for file := range movegen.Files {
			s := movegen.SquareAt(file, rank)
			pc := p.At(s)
			switch s {
			case from:
				pc = p.At(to)
			case to:
				pc = movegen.NoPiece
			}
			if pc == movegen.NoPiece {
				b.WriteByte('1')
			} else {
				b.WriteByte(pc.Letter())
			}
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	side := map[string]string{"w": "b", "b": "w"}[fields[1]]
	before, err := movegen.ParseFEN(b.String() + " " + side)
	return before, err == nil
}

// BenchmarkJudge judges cycles, 10,000 a round: of 12 plies with a chase in every turn, on a
// bare board and on the fullest of the corpus, and of twelve different plies turned twice,
// which nobody is at fault for (that ends the judging early).
func BenchmarkJudge(b *testing.B) {
	b.Run("12plies", func(b *testing.B) {
		benchmarkJudge(b, "3k4n/9/9/9/9/9/9/9/9/4K2R1 w", thrice("h0i0 i9h7 i0h0 h7i9"), 12)
	})
	b.Run("12plies-full", func(b *testing.B) {
		fen, cycle := fullestChase(b)
		benchmarkJudge(b, fen, thrice(cycle), 12)
	})
	b.Run("2x12plies", func(b *testing.B) {
		benchmarkJudge(b, "2b1ka3/4a4/4b4/p2rp4/4n4/4R4/Pr2PC1p1/4B4/4A4/R3KAB2 b", twice("b3b1 f3f6 d6d3 f6f1 b1b6 f1f3 d3d1 f3f6 b6b3 f6f1 d1d6 f1f3"), 24)
	})
}

// fullestChase returns the case with the most pieces that a perpetual chase of four plies
// a turn has lost from its first position.
func fullestChase(b *testing.B) (fen, cycle string) {
	most := 0
	for _, c := range readCorpus(b) {
		g := newGame(b, c.FEN, c.Rules)
		v := play(b, g, c.Moves...)
		n := g.Position().Occupied().Count()
		if c.Rules == "computer" && v.Reason == PerpetualChase && v.Ply == 8 && period(c.Moves, 8) == 4 && n > most {
			most, fen, cycle = n, c.FEN, strings.Join(c.Moves[:4], " ")
		}
	}
	return fen, cycle
}

func benchmarkJudge(b *testing.B, fen, moves string, plies int) {
	g := newGame(b, fen, "computer")
	for _, text := range strings.Fields(moves) {
		m, err := movegen.ParseMove(text)
		if err != nil {
			b.Fatal(err)
		}
		g.Push(m)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 10_000 {
			if v := g.judgeCycle(g.Len() - plies); v.Status == Ongoing {
				b.Fatal("a cycle was not judged")
			}
		}
	}
}

func benchmarkNode(b *testing.B, fen, moves string, want Outcome) {
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		b.Fatal(err)
	}
	r, _ := Named("computer")
	g := NewGame(p, r)
	for _, text := range strings.Fields(moves) {
		m, _ := movegen.ParseMove(text)
		g.Push(m)
	}
	if got := g.Node(g.Len()); got != want {
		b.Fatalf("Node says %v, want %v", got, want)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Node(g.Len())
	}
}

// BenchmarkNodeNew is a node whose position has not occurred before, with ten plies to look
// back at.
func BenchmarkNodeNew(b *testing.B) {
	benchmarkNode(b, movegen.StartFEN, "h0g2 h9g7 i0h0 i9h9 b0c2 b9c7 a0a1 a9a8 h0h4 h9h5", None)
}

// BenchmarkNodeChase is a node that closes a chase of eight plies for the third time.
func BenchmarkNodeChase(b *testing.B) {
	benchmarkNode(b, "3k4n/9/9/9/9/9/9/9/9/4K2R1 w", twice("h0i0 i9h7 i0h0 h7i9"), Lost)
}

// BenchmarkGame is all that it takes to judge a finished game: 10,000 a round, each set up
// from a parsed position and played move by move, twelve plies to the league's verdict.
func BenchmarkGame(b *testing.B) {
	p, err := movegen.ParseFEN("3k4n/9/9/9/9/9/9/9/9/4K2R1 w")
	if err != nil {
		b.Fatal(err)
	}
	r, _ := Named("ucci-league")
	var moves []movegen.Move
	for _, text := range strings.Fields(thrice("h0i0 i9h7 i0h0 h7i9")) {
		moves = append(moves, mustMove(b, text))
	}
	for b.Loop() {
		for range 10_000 {
			g := NewGame(p, r)
			for _, m := range moves {
				if _, err := g.Play(m); err != nil {
					b.Fatal(err)
				}
			}
			if v := g.Verdict(); v != (Verdict{BlackWins, PerpetualChase, 12}) {
				b.Fatal(v)
			}
		}
	}
}

// BenchmarkPush is a move made and taken back, by the position alone and by the game with
// the verdict of the node.
func BenchmarkPush(b *testing.B) {
	p, err := movegen.ParseFEN(movegen.StartFEN)
	if err != nil {
		b.Fatal(err)
	}
	m := mustMove(b, "h2e2")
	b.Run("position", func(b *testing.B) {
		q := *p
		b.ReportAllocs()
		for b.Loop() {
			var u movegen.Undo
			q.Make(m, &u)
			q.Unmake(m, &u)
		}
	})
	b.Run("game", func(b *testing.B) {
		r, _ := Named("computer")
		g := NewGame(p, r)
		b.ReportAllocs()
		for b.Loop() {
			g.Push(m)
			g.Node(1)
			g.Pop()
		}
	})
}

// BenchmarkNodeDraw is a node whose cycle below the root is nobody's fault.
func BenchmarkNodeDraw(b *testing.B) {
	benchmarkNode(b, idleFEN, "e0e1 d9d8 "+"a0a1 d8d9 a1a0 d9d8", Drawn)
}
