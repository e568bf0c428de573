package referee

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/movegen"
)

// push makes the moves without judging.
func push(t testing.TB, g *Game, moves string) {
	t.Helper()
	for _, text := range strings.Fields(moves) {
		m, err := movegen.ParseMove(text)
		if err != nil || !g.Position().IsLegal(m) {
			t.Fatalf("%s in %s: %v", text, g.Position().FEN(), err)
		}
		g.Push(m)
	}
}

// mustMove reads a move.
func mustMove(t testing.TB, text string) movegen.Move {
	t.Helper()
	m, err := movegen.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	chaseFEN   = "3k4n/9/9/9/9/9/9/9/9/4K2R1 w"
	chaseCycle = "h0i0 i9h7 i0h0 h7i9"
	idleFEN    = "3k5/9/9/9/9/4p4/9/9/9/R3K4 w"
	idleCycle  = "a0a1 d9d8 a1a0 d8d9"
)

// TestNode has the outcomes of a search's nodes, from the side to move.
func TestNode(t *testing.T) {
	for _, c := range []struct {
		name, fen, moves string
		height           int
		want             Outcome
	}{
		{"a draw below the root at its first re-occurrence", idleFEN, "e0e1 d9d8 " + "a0a1 d8d9 a1a0 d9d8", 5, Drawn},
		{"a draw whose first occurrence is the root waits", idleFEN, idleCycle, 4, None},
		{"a draw that began above the root waits", idleFEN, idleCycle, 2, None},
		{"the third occurrence counts wherever the others are", idleFEN, twice(idleCycle), 2, Drawn},
		{"a chase below the root is not lost at the second", chaseFEN, "e0e1 d9d8 " + chaseCycle, 5, None},
		{"a chase is lost at the third below the root", chaseFEN, "e0e1 d9d8 " + twice(chaseCycle), 9, Lost},
		{"a chase is lost at the third across the root", chaseFEN, twice(chaseCycle), 3, Lost},
		{"a chase is won for the other side", chaseFEN, "e0e1 d9d8 h0i0 " + twice("i9h7 i0h0 h7i9 h0i0"), 4, Won},
		{"nothing repeats", idleFEN, "a0a1 d9d8 a1a2", 3, None},
	} {
		g := newGame(t, c.fen, "computer")
		push(t, g, c.moves)
		if got := g.Node(c.height); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestNoFalseMate is why a search does not count a chase as lost at the second occurrence
// (BUGS.md 6 is of this kind): Red's rook chases the horse in one cycle and the cannon in
// another through the same position. Each loses if it is repeated, one after the other draws.
func TestNoFalseMate(t *testing.T) {
	const fen = "3k1c3/9/9/9/8n/9/9/9/7R1/4K4 w"
	horse, cannon := "h1i1 i5h7 i1h1 h7i5", "h1f1 f9h9 f1h1 h9f9"
	for _, c := range []struct {
		name, moves string
		want        Verdict
	}{
		{"the horse twice", twice(horse), Verdict{BlackWins, PerpetualChase, 8}},
		{"the cannon twice", twice(cannon), Verdict{BlackWins, PerpetualChase, 8}},
		{"one after the other", horse + " " + cannon, Verdict{Draw, Repetition, 8}},
	} {
		if got := play(t, newGame(t, fen, "computer"), strings.Fields(c.moves)...); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for _, cycle := range []string{horse, cannon} {
		g := newGame(t, fen, "computer")
		push(t, g, "e0e1 d9d8 e1e0 d8d9 "+cycle) // the root well above
		if got := g.Node(7); got == Lost || got == Won {
			t.Errorf("%s: %v at the second occurrence", cycle, got)
		}
	}
}

// TestNullMoves: no repetition is seen across a null move, and it is taken back whole.
func TestNullMoves(t *testing.T) {
	g := newGame(t, idleFEN, "computer")
	push(t, g, idleCycle)
	before := *g
	g.PushNull()
	push(t, g, "d9d8 a0a1 d8d9 a1a0")
	if got := g.Node(g.Len()); got != Drawn {
		t.Errorf("a cycle after the null move: %v, want a draw", got)
	}
	for range 4 {
		g.Pop()
	}
	g.PushNull() // the position of before, with two null moves between
	if got := g.Node(g.Len()); got != None {
		t.Errorf("across null moves: %v", got)
	}
	g.PopNull()
	g.PopNull()
	if g.filter != before.filter || g.pos != before.pos || g.Len() != 4 {
		t.Error("taking back does not restore the game")
	}
	push(t, g, idleCycle)
	if got := g.Node(2); got != Drawn {
		t.Errorf("third occurrence after null moves taken back: %v", got)
	}
}

// TestTakeBack: a verdict that has been gone back behind is gone, and may fall again.
func TestTakeBack(t *testing.T) {
	g := newGame(t, chaseFEN, "computer")
	want := play(t, g, strings.Fields(twice(chaseCycle))...)
	if _, err := g.Play(movegen.NoMove); want.Reason != PerpetualChase || err == nil {
		t.Fatalf("%v, then a move: %v", want, err)
	}
	last := g.Move(g.Len())
	g.Pop()
	if v := g.Verdict(); v != (Verdict{}) {
		t.Errorf("after going back: %v", v)
	}
	if v, err := g.Play(last); err != nil || v != want {
		t.Errorf("again: %v (%v), want %v", v, err, want)
	}
	g.Pop()
	push(t, g, "h7f8") // as many plies as there were, but other ones
	if v := g.Verdict(); v != (Verdict{}) {
		t.Errorf("after going back and another move: %v", v)
	}
	if v, err := g.Play(mustMove(t, "h0i0")); err != nil || v.Status != Ongoing {
		t.Errorf("the other line cannot go on: %v, %v", v, err)
	}
	if _, err := newGame(t, chaseFEN, "computer").Play(last); !errors.Is(err, ErrIllegal) || !strings.Contains(err.Error(), "no piece on h7") {
		t.Errorf("an illegal move gives %v", err)
	}
}

// TestCopiesShareNothing plays on in a copy.
func TestCopiesShareNothing(t *testing.T) {
	g := newGame(t, chaseFEN, "computer")
	push(t, g, chaseCycle)
	var c Game
	c.CopyFrom(g)
	push(t, &c, "h0h5 d9d8")
	push(t, g, chaseCycle)
	if g.Len() != 8 || g.Node(0) != Lost || c.Len() != 6 || c.Node(0) != None || c.Start().FEN() != g.Start().FEN() {
		t.Errorf("game of %d plies %v, copy of %d plies %v", g.Len(), g.Node(0), c.Len(), c.Node(0))
	}
}

// TestFilterSaturates plays a game so long that the filter's counters are full, and goes
// back to the beginning; repetitions are still seen.
func TestFilterSaturates(t *testing.T) {
	g := newGame(t, idleFEN, "check-only")
	g.limit = 1 << 30
	for range 2000 {
		push(t, g, idleCycle)
	}
	if g.Len() != 8000 || g.Node(0) != Drawn {
		t.Errorf("ply %d: %v", g.Len(), g.Node(0))
	}
	for g.Len() > 0 {
		g.Pop()
	}
	push(t, g, twice(idleCycle))
	if g.Node(0) != Drawn {
		t.Error("after taking 8000 plies back repetitions are not seen")
	}
}

// TestCountersOfTheStart: the FEN's counter counts towards the limit, not as history.
func TestCountersOfTheStart(t *testing.T) {
	for _, c := range []struct {
		fen, rules, moves string
		limit             int
		want              Verdict
	}{
		{idleFEN + " - - 9999 60", "computer", "a0a1", 0, Verdict{Draw, MoveLimit, 1}},
		{idleFEN + " - - 9999 60", "computer", twice(idleCycle), NoLimit, Verdict{Draw, Repetition, 8}},
		{idleFEN + " - - 119 60", "computer", "a0a1", 121, Verdict{}},
		{idleFEN + " - - 99 60", "ucci-league", "a0a1", 0, Verdict{Draw, MoveLimit, 1}},
		{idleFEN + " - - 99 60", "check-only", "a0a1", 0, Verdict{Draw, MoveLimit, 1}},
		{idleFEN + " - - 99 60", "axf", "a0a1", 0, Verdict{}},
		{idleFEN + " - - 8 60", "axf", "a0a1 d9d8", 10, Verdict{Draw, MoveLimit, 2}},
	} {
		r, err := JudgeCase(c.fen, strings.Fields(c.moves), c.rules, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want.Status.String() || r.Reason != c.want.Reason.String() || c.want.Status != Ongoing && r.Ply != c.want.Ply {
			t.Errorf("%s %s limit %d: %+v, want %v", c.rules, c.fen, c.limit, r, c.want)
		}
	}
}

// TestLimitCounter follows the counter of the limit where checks are given.
func TestLimitCounter(t *testing.T) {
	const fen = "4k4/8R/9/9/9/9/9/9/9/3K5 w - - 7 1"
	const checks = "i8i9 e9e8 i9i8 e8e9" // checks at plies 1 and 3
	for _, c := range []struct {
		rules string
		turns int
		want  int32
	}{
		{"computer", 5, 7 + 20}, // ten checks and their answers
		{"computer", 6, 7 + 20},
		{"axf", 9, 7 + 20},
		{"ucci-league", 6, 7},
		{"check-only", 6, 7 + 24},
	} {
		g := newGame(t, fen, c.rules)
		push(t, g, strings.Repeat(checks+" ", c.turns))
		if got := g.plies[g.Len()].count; got != c.want {
			t.Errorf("%s: %d after %d turns, want %d", c.rules, got, c.turns, c.want)
		}
	}
	// the answer to the check in which the game starts does not count in the league
	g := newGame(t, "4k3R/9/9/9/9/9/9/9/9/3K5 b - - 7 1", "ucci-league")
	push(t, g, "e9e8")
	if got := g.plies[1].count; got != 7 {
		t.Errorf("league: the counter is %d after the answer to the check of the start, want 7", got)
	}
	// a capture begins anew, its own check included
	g = newGame(t, "4k3r/R8/9/9/9/9/9/9/9/3K4R w - - 7 1", "computer")
	push(t, g, "i0i9")
	if p := g.plies[1]; p.count != 0 || p.checks != [2]int32{} || !p.check {
		t.Errorf("after a capture with check: %+v", p)
	}
}

// TestForwardSoldierEndsTheSearchForOccurrences but not the limit's counter.
func TestForwardSoldierEndsTheSearchForOccurrences(t *testing.T) {
	g := newGame(t, idleFEN, "computer")
	push(t, g, idleCycle+" a0a1 e4e3 a1a0")
	if p := g.plies[g.Len()]; p.back != 1 || p.count != 7 {
		t.Errorf("looks %d plies back, counter %d; want 1 and 7", p.back, p.count)
	}
	g = newGame(t, "3k5/9/9/9/9/9/4p4/9/9/R3K4 w", "computer") // sideways it may come back
	if v := play(t, g, strings.Fields(twice("a0a1 e3d3 a1a0 d3e3"))...); v.Status == Ongoing || v.Ply != 8 {
		t.Errorf("soldier sideways and back: %v", v)
	}
}

// TestMaterialUnlessMate has endings that are drawn unless the side to move mates at once.
func TestMaterialUnlessMate(t *testing.T) {
	for _, c := range []struct {
		fen  string
		want materials
	}{
		{"3k5/9/9/9/9/9/9/4B4/9/C3K4 w", dead},
		{"3k1a3/9/9/9/9/9/9/4B4/9/C3K4 w", deadUnlessMate},
		{"3k1a3/4a4/9/9/9/9/9/9/9/C3K4 w", deadUnlessMate},
		{"3k1a3/4a4/9/9/9/9/9/4B4/9/C3K4 w", decisive},
		{"3k1a3/4a4/9/9/9/9/9/9/4A4/C3K4 w", decisive},
		{"c2k5/9/4b4/9/9/9/9/9/9/C3K4 w", deadUnlessMate},
		{"c2k1a3/9/9/9/9/9/9/9/9/C3K4 w", decisive},
		{"c2k5/c8/9/9/9/9/9/9/9/4K4 w", decisive},
		{"c2k5/9/9/9/9/9/9/9/9/4K4 w", dead},
	} {
		p, err := movegen.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		flipped := p.Flip()
		if got, flip := canAnyoneWin(p), canAnyoneWin(&flipped); got != c.want || flip != c.want {
			t.Errorf("%s: %d, colours swapped %d, want %d", c.fen, got, flip, c.want)
		}
	}
}

// TestMateAtOnceIsNoDeadMaterial searches random endings of "unless mate" for positions in
// which the side to move does mate at once; there the game must go on.
func TestMateAtOnceIsNoDeadMaterial(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	r, _ := Named("computer")
	mates, draws := 0, 0
	for range 40000 {
		var board [90]byte
		board[rng.IntN(3)*9+3+rng.IntN(3)] = 'K'
		board[(7+rng.IntN(3))*9+3+rng.IntN(3)] = 'k'
		for _, c := range []byte("Caa") {
			for s := rng.IntN(90); ; s = rng.IntN(90) {
				if board[s] == 0 {
					board[s] = c
					break
				}
			}
		}
		p, err := movegen.ParseFEN(boardFEN(board) + " b")
		if err != nil {
			continue
		}
		var l movegen.MoveList
		p.Quiets(&l)
		for _, m := range l.Slice() {
			g := NewGame(p, r)
			v, err := g.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			if v.Reason == Checkmate || v.Reason == Stalemate {
				continue
			}
			if mate := matesByHand(g.Position()); mate != (v.Status == Ongoing) || (g.Node(0) == Drawn) == mate {
				t.Fatalf("%s: mate at once %v, verdict %v, node %v", g.Position().FEN(), mate, v, g.Node(0))
			} else if mate {
				mates++
			} else {
				draws++
			}
		}
	}
	if mates == 0 || draws == 0 {
		t.Errorf("%d mates at once, %d draws: nothing is shown", mates, draws)
	}
}

func matesByHand(p *movegen.Position) bool {
	var l movegen.MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		q := *p
		var u movegen.Undo
		q.Make(m, &u)
		if !q.HasLegal() {
			return true
		}
	}
	return false
}

// TestNames: names, the alias, and what an unknown one says.
func TestNames(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "computer axf ucci-league check-only" || Names()[0] != DefaultRules {
		t.Errorf("names %q", got)
	}
	for _, name := range append(Names(), "asian", "Computer") {
		if r, err := Named(name); err != nil || name == "asian" && r.Name != "axf" || r.Summary == "" {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
	if _, err := Named("chinese"); !errors.Is(err, ErrUnknownRules) || !strings.Contains(err.Error(), "ucci-league") {
		t.Errorf("unknown name: %v", err)
	}
}

// TestReport holds the JSON of `xqlab judge`.
func TestReport(t *testing.T) {
	for _, c := range []struct{ fen, moves, rules, want string }{
		{chaseFEN, twice(chaseCycle) + " d9d9", "", "move 9"},
		{chaseFEN, twice(chaseCycle) + " h0h1", "computer", `{"status":"black_wins","reason":"perpetual_chase","ply":8,"in_check":false,"fen":"3k4n/9/9/9/9/9/9/9/9/4K2R1 w - - 8 5",` +
			`"cycle":["h0i0","i9h7","i0h0","h7i9","h0i0","i9h7","i0h0","h7i9"],"chase":{"side":"red","pieces":["rook h0"],"victim":"horse i9"},` +
			`"text":"Red loses: perpetual chase (长捉) of the horse i9 by the rook h0. The position after ply 8 occurs for the 3rd time under the rules computer. ` +
			`Plies 1–8, the same 4 moves 2 times: h0i0 chase (捉) of the horse i9 by the rook i0; i9h7 idle (闲); i0h0 chase (捉) of the horse h7 by the rook h0; h7i9 idle (闲). ` +
			`The game ended at ply 8 of 9; later moves are not judged."}`},
		{"3k5/R8/1R7/9/9/9/9/9/9/4K4 w", "b7b9", "axf", `{"status":"red_wins","reason":"checkmate","ply":1,"in_check":true,"fen":"1R1k5/R8/9/9/9/9/9/9/9/4K4 b - - 1 1",` +
			`"cycle":[],"chase":null,"text":"Red wins: checkmate (将死), Black is in check and has no legal move."}`},
		{chaseFEN, "h0h4 d9d8 h4g5", "computer", `"status":"ongoing","reason":"illegal_move","ply":3,"in_check":false,`},
		{chaseFEN, "h0h9", "computer", `{"status":"ongoing","reason":"","ply":1,"in_check":true,`},
		{"3k5/9/9 w", "", "computer", "FEN"},
		{chaseFEN, "", "sky", "unknown rule set"},
	} {
		r, err := JudgeCase(c.fen, strings.Fields(c.moves), c.rules, 0)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v, want %s", c.fen, c.moves, err, c.want)
			}
			continue
		}
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", c.fen, c.moves, b.String(), c.want)
		}
	}
}

// TestTexts has the words of every reason.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ fen, moves, rules, want string }{
		{"3k5/9/4R4/9/9/9/9/9/9/4K4 w", "e7e8", "computer", "Red wins: stalemate (困毙), Black has no legal move and loses."},
		{"c2a1k3/2c1a2R1/b6P1/8p/9/9/9/9/4K4/9 w", twice("h8h9 f9f8 h9h8 f8f9"), "computer", "Red loses: perpetual check (长将)."},
		{"3akr3/5c3/1P2b4/4R4/9/9/9/9/9/4CK3 w", "e6e7 " + twice("f8e8 e7f7 e8f8 f7e7"), "computer", "Draw: both sides check perpetually (双方长将)."},
		{"2baka3/C4rN2/4b1n2/1Rp5p/6p2/2P6/4c1P1c/4B3C/4A4/4KAB2 w", twice("b6b8 f9e8 b8b6 e8f9"), "computer", "Draw: both sides chase perpetually (双方长捉)."},
		{"2baka3/C4rN2/4b1n2/1Rp5p/6p2/2P6/4c1P1c/4B3C/4A4/4KAB2 w", twice("b6b8 f9e8 b8b6 e8f9"), "axf", "which a horse pins to its king"},
		{idleFEN, twice(idleCycle), "check-only", "nobody is at fault. The position after ply 8 occurs for the 3rd time"},
		{idleFEN + " - - 119 60", "a0a1", "computer", "Draw: 120 plies without a capture (自然限着)."},
		{"4k4/8R/9/9/9/9/9/9/9/3K5 w - - 99 60", "i8i9 e9e8 i9a9", "ucci-league", "checks and their answers not counted."},
		{"3k5/9/9/9/9/9/9/9/9/C3K4 w", "a0a1", "computer", "Draw: neither side has the material to win"},
		{"3k5/3n5/2r6/9/9/9/9/4K4/9/2C3N2 w", twice("c0d0 c7d7 d0c0 d7c7"), "computer", "a cycle in which some moves check, but not all of a side's, is no chase"},
	} {
		r, err := JudgeCase(c.fen, strings.Fields(c.moves), c.rules, 0)
		if err != nil || !strings.Contains(r.Text, c.want) || strings.Contains(r.Text, "\n") {
			t.Errorf("%s %s: %+v %v, want %q", c.rules, c.fen, r, err, c.want)
		}
	}
}

// TestExplanationsOfTheCorpus: every verdict on a repetition names its cycle, and what it
// says of the moves supports it.
func TestExplanationsOfTheCorpus(t *testing.T) {
	chases := 0
	for i, c := range readCorpus(t) {
		g := newGame(t, c.FEN, c.Rules)
		v := play(t, g, c.Moves...)
		key := g.pos.Key()
		e := g.Explain()
		if g.pos.Key() != key || g.Verdict() != v {
			t.Fatalf("case %d: explaining changes the game", i+1)
		}
		if (len(e.Cycle) > 0) != v.Reason.ofCycle() || (e.Chase != nil) != (v.Reason == PerpetualChase) {
			t.Fatalf("case %d: %v with a cycle of %d, chase %v", i+1, v, len(e.Cycle), e.Chase)
		}
		guilty := movegen.Red
		if v.Status == RedWins {
			guilty = movegen.Black
		}
		for _, m := range e.Cycle {
			if m.Piece.Color() == guilty && (v.Reason == PerpetualCheck && m.Kind != Check || v.Reason == PerpetualChase && m.Kind != Chase) {
				t.Errorf("case %d: %v, but %s", i+1, v.Reason, m)
			}
		}
		if e.Chase == nil {
			continue
		}
		chases++
		if e.Chase.Side != guilty || len(e.Chase.Pieces) == 0 || e.Chase.Victim.Piece.Color() == guilty || g.pos.At(e.Chase.Victim.Square) != e.Chase.Victim.Piece {
			t.Errorf("case %d: chase %+v", i+1, e.Chase)
		}
	}
	if chases < 100 {
		t.Errorf("%d chases", chases)
	}
}

// TestBatch: a result a line, in order, errors in their place.
func TestBatch(t *testing.T) {
	in := `{"fen":"` + chaseFEN + `","moves":["h0i0"],"rules":"axf","why":"ignored"}
{"fen":"nonsense","moves":[]}

not json
{"fen":"` + chaseFEN + `","moves":["h0h0"]}
{"fen":"` + chaseFEN + `","moves":["h0i0"],"rules":"sky"}
{"fen":"` + idleFEN + ` - - 119 60","moves":["a0a1"]}`
	var out bytes.Buffer
	err := Batch(strings.NewReader(in), &out, "", 0)
	if !errors.Is(err, ErrBadLines) || !strings.Contains(err.Error(), "4 lines") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"status":"ongoing","reason":""`, `{"error":"line 2: `, `{"error":"line 4: `, `{"error":"line 5: move 1`, `{"error":"line 6: unknown rule set`, `"reason":"move_limit"`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("lines %q, want %s at %d", lines, want, i)
		}
	}
	out.Reset()
	long := `{"fen":"` + strings.Repeat("x", maxLine) + `"}` + "\n" + `{"fen":"` + chaseFEN + `"}`
	if err := Batch(strings.NewReader(long), &out, "axf", 0); !errors.Is(err, ErrBadLines) || !strings.Contains(out.String(), `{"error":"line 1: the line has more than 16777216 bytes"}`) || strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), `"ply":0`) {
		t.Errorf("a line beyond the bound: %v, %.200s", err, out.String())
	}
	out.Reset()
	marked := "\ufeff" + `{"fen":"` + chaseFEN + `"}` + "\n" + `{"fen":"` + chaseFEN + `"}`
	if err := Batch(strings.NewReader(marked), &out, "axf", 0); err != nil || strings.Count(out.String(), `"ply":0`) != 2 {
		t.Errorf("UTF-8's mark: %v, %s", err, out.String())
	}
}

// TestNothingIsAllocated in a search, with and without a repetition.
func TestNothingIsAllocated(t *testing.T) {
	for _, rules := range Names() {
		g := newGame(t, chaseFEN, rules)
		push(t, g, thrice(chaseCycle))
		m, _ := movegen.ParseMove("h0i0")
		if n := testing.AllocsPerRun(100, func() {
			g.Node(0)
			g.Node(g.Len())
			g.Push(m)
			g.Node(1)
			g.Pop()
			g.PushNull()
			g.Node(1)
			g.PopNull()
		}); n != 0 {
			t.Errorf("%s: %v allocations", rules, n)
		}
	}
}

// TestVerdictsKeep: with random pieces, moves before and turns of a cycle, mirroring and
// colour swap keep the verdict, and so does one turn more. The league's order in which it
// looks for victims favours a side and a wing; it is left out of the first.
func TestVerdictsKeep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		var start *movegen.Position
		var cycle, line []movegen.Move
		for cycle == nil {
			start = randomPosition(rng)
			p := *start
			line = entry(rng, &p)
			if c := randomCycle(rng, &p); c != nil && (isEventful(&p, c) || rng.IntN(40) == 0) {
				cycle = c
			}
		}
		name := rapid.SampledFrom([]string{"computer", "axf", "check-only"}).Draw(rt, "rules")
		line = append(append(line, cycle...), cycle...)
		judge := func(p *movegen.Position, occurrences int, line []movegen.Move) Verdict {
			r := repetitionOnly(t, name)
			r.Occurrences = occurrences
			return play(t, NewGame(p, r), texts(line)...)
		}
		want := judge(start, 3, line)
		mirror, flip := start.Mirror(), start.Flip()
		var mirrored, flipped []movegen.Move
		for _, m := range line {
			mirrored, flipped = append(mirrored, m.Mirror()), append(flipped, m.Flip())
		}
		if got := judge(&mirror, 3, mirrored); got != want {
			rt.Fatalf("%s %v: %v, mirrored %v", start.FEN(), texts(line), want, got)
		}
		if got := judge(&flip, 3, flipped); got.Status != swapped(want.Status) || got.Reason != want.Reason || got.Ply != want.Ply {
			rt.Fatalf("%s %v: %v, colours swapped %v", start.FEN(), texts(line), want, got)
		}
		if want.Ply != len(line) {
			return // a position of the entry closed the cycle, or one inside it
		}
		if got := judge(start, 4, append(line, cycle...)); got.Status != want.Status || got.Reason != want.Reason {
			rt.Fatalf("%s %v: %v, turned once more %v", start.FEN(), texts(line), want, got)
		}
	})
}

// FuzzBatch feeds anything: no crash, and a line out for each line that is not blank.
func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"fen":"` + chaseFEN + `","moves":["h0i0","i9h7"],"rules":"ucci-league"}` + "\n\n{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		err := Batch(bytes.NewReader(in), &out, "", 0)
		if err != nil && !errors.Is(err, ErrBadLines) {
			t.Fatal(err)
		}
		want := 0
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if !isBlank(line) {
				want++
			}
		}
		if got := bytes.Count(out.Bytes(), []byte("\n")); got != want {
			t.Fatalf("%d lines out for %d in", got, want)
		}
	})
}
