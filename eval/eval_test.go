package eval

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// visit calls f with the positions of random games until n have been seen.
func visit(n int, seed int64, f func(p *movegen.Position)) {
	rng := rand.New(rand.NewSource(seed))
	for n > 0 {
		p := movegen.StartPosition()
		for ply := 0; ply < 160 && n > 0; ply++ {
			f(p)
			n--
			var l movegen.MoveList
			// Captures twice as likely, so that endings come up.
			if p.Captures(&l); l.Len() == 0 || rng.Intn(3) > 0 {
				l.Clear()
				p.Legal(&l)
			}
			if l.Len() == 0 {
				break
			}
			var u movegen.Undo
			p.Make(l.At(rng.Intn(l.Len())), &u)
		}
	}
}

// randomWeights returns weights no two of which are alike, so that no feature can stand
// in for another.
func randomWeights(seed int64) *Weights {
	rng := rand.New(rand.NewSource(seed))
	w := Default()
	for _, g := range groups {
		for i := range g.Size {
			if g.Shape == Board && !standable(boardType(g), i) {
				continue
			}
			w.Values[g.First+i] = Pair{rng.Intn(400) - 200, rng.Intn(400) - 200}
		}
	}
	for i := range w.Ending {
		w.Ending[i] = 1 + rng.Intn(MaxEnding)
	}
	return w
}

func positions(t *testing.T) int {
	if testing.Short() {
		return 2000
	}
	return 100000
}

func TestTraceIsTheScore(t *testing.T) {
	for seed, w := range []*Weights{Default(), randomWeights(1)} {
		e := New(w)
		visit(positions(t)/2, int64(seed), func(p *movegen.Position) {
			var trace Trace
			got := e.Evaluate(p, &trace)
			if plain := e.Evaluate(p, nil); plain != got {
				t.Fatalf("%s: %d without and %d with a trace", p.FEN(), plain, got)
			}
			want := trace.Score(w) / (PhaseMax * ScaleMax)
			if p.Side() == movegen.Black {
				want = -want
			}
			if got != want {
				t.Fatalf("%s: evaluation %d, coefficients × weights %d", p.FEN(), got, want)
			}
		})
	}
}

// transform returns the position with squares and colours changed.
func transform(p *movegen.Position, square func(movegen.Square) movegen.Square, swap bool) *movegen.Position {
	var board [movegen.Squares]byte
	for s := movegen.Square(0); s < movegen.Squares; s++ {
		pc := p.At(s)
		if pc == movegen.NoPiece {
			continue
		}
		c := pc.Color()
		if swap {
			c = c.Other()
		}
		board[square(s)] = movegen.NewPiece(c, pc.Type()).Letter()
	}
	var b strings.Builder
	for r := movegen.Ranks - 1; r >= 0; r-- {
		for f := range movegen.Files {
			if c := board[movegen.SquareAt(f, r)]; c != 0 {
				b.WriteByte(c)
			} else {
				b.WriteByte('1')
			}
		}
		if r > 0 {
			b.WriteByte('/')
		}
	}
	side := " w"
	if (p.Side() == movegen.Red) == swap {
		side = " b"
	}
	q, err := movegen.ParseFEN(b.String() + side)
	if err != nil {
		panic(err)
	}
	return q
}

func TestSymmetry(t *testing.T) {
	w := randomWeights(2)
	e := New(w)
	visit(positions(t)/4, 3, func(p *movegen.Position) {
		want := e.Evaluate(p, nil)
		if got := e.Evaluate(transform(p, movegen.Square.Mirror, false), nil); got != want {
			t.Fatalf("%s: %d, its mirror image %d", p.FEN(), want, got)
		}
		if got := e.Evaluate(transform(p, movegen.Square.Flip, true), nil); got != want {
			t.Fatalf("%s: %d, with colours swapped %d", p.FEN(), want, got)
		}
	})
}

func TestAccumulatorKeepsUp(t *testing.T) {
	e := New(randomWeights(4))
	rng := rand.New(rand.NewSource(5))
	for range 200 {
		p := movegen.StartPosition()
		a := e.Refresh(p)
		for range 120 {
			var l movegen.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			m := l.At(rng.Intn(l.Len()))
			a = e.Moved(a, p.At(m.From()), p.At(m.To()), m)
			var u movegen.Undo
			p.Make(m, &u)
			if want := e.Refresh(p); a != want {
				t.Fatalf("%s after %s: %v, afresh %v", p.FEN(), m, a, want)
			}
		}
	}
}

// TestEveryFeatureOccurs finds features that no random game has: they are misspelt, or
// dead weight.
func TestEveryFeatureOccurs(t *testing.T) {
	e := New(Default())
	var seen [Features]bool
	visit(60000, 6, func(p *movegen.Position) {
		var trace Trace
		e.Evaluate(p, &trace)
		for i, n := range trace.Coef {
			seen[i] = seen[i] || n != 0
		}
	})
	for _, g := range groups {
		missing := 0
		for i := range g.Size {
			if !seen[g.First+i] && (g.Shape != Board || standable(boardType(g), i)) {
				missing++
			}
		}
		if missing > g.Size/2 {
			t.Errorf("%s: %d of %d features never occur", g.Name, missing, g.Size)
		}
	}
}

func TestGroupsCoverAllFeatures(t *testing.T) {
	next := 0
	names := map[string]bool{}
	for _, g := range Groups() {
		if g.First != next || g.Size < 1 || names[g.Name] || g.Doc == "" {
			t.Errorf("group %+v begins at %d, want %d", g, g.First, next)
		}
		names[g.Name] = true
		next = g.First + g.Size
	}
	if next != Features || Features > weightRoom {
		t.Errorf("groups hold %d features, want %d, at most %d", next, Features, weightRoom)
	}
	// The constants name the groups they are meant to.
	for name, first := range map[string]int{
		"tempo": tempo, "material.advisor": material, "psqt.king": psqt, "mobility.rook": mobilityRook, "mobility.cannon": mobilityCannon,
		"mobility.horse": mobilityHorse, "mobility.elephant": mobilityElephant, "rook.open_file": rookOpen, "rook.half_open_file": rookSemi,
		"rook.aim": rookAim, "cannon.hollow": cannonHollow, "cannon.aim": cannonAim, "cannon.bottom": cannonBottom, "horse.outpost": horseOutpost,
		"horse.guarded": horseGuarded, "soldier.joined": soldierJoin, "soldier.chain": soldierChain, "soldier.stopped": soldierStop,
		"soldier.army": soldierArmy, "elephant.linked": elephantLink, "advisor.linked": advisorLink, "defence.rooks_advisors": rooksAdvis,
		"defence.cannons_advisors": cannonsAdvis, "defence.horses_elephants": horsesEleph, "defence.cannons_elephants": cannonsEleph,
		"pairs": pairs, "king.rooks": kingRook, "king.horses": kingHorse, "king.cannons": kingCannon, "king.soldiers": kingSoldier,
		"king.attackers": kingAttack, "king.rook_checks": checkRook, "king.horse_checks": checkHorse, "king.cannon_checks": checkCannon,
		"king.steps": kingSteps, "king.file": kingFile, "wing": wing, "threat.by_guard": byGuard, "threat.by_soldier": bySoldier,
		"threat.by_minor": byMinor, "threat.by_rook": byRook, "threat.hanging": hanging, "loose": loose,
		"pin.rook": pinRook, "pin.cannon": pinCannon, "cannon.horse_screen": horseScreen, "mobility.rook_file": rookFile,
		"turn.by_guard": turnGuard, "turn.by_soldier": turnSoldier, "turn.by_minor": turnMinor, "turn.by_rook": turnRook, "turn.hanging": turnHanging,
		"turn.checks": turnChecks, "safe.cannons": safeCannons, "safe.horses": safeHorses,
	} {
		for _, g := range groups {
			if g.Name == name && g.First != first {
				t.Errorf("%s begins at %d, its constant says %d", name, g.First, first)
			}
		}
	}
}

func TestScorePacking(t *testing.T) {
	for _, v := range []struct{ mg, eg int }{{0, 0}, {1, -1}, {-1, 1}, {-20000, -20000}, {20000, -20000}, {-1, 0}, {0, -1}} {
		s := MakeScore(v.mg, v.eg)
		if s.MG() != v.mg || s.EG() != v.eg || (s*-3).MG() != -3*v.mg || (s*-3).EG() != -3*v.eg {
			t.Errorf("%v: %d %d", v, s.MG(), s.EG())
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	e := New(Default())
	var list []movegen.Position
	visit(512, 7, func(p *movegen.Position) { list = append(list, *p) })
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Evaluate(&list[i%len(list)], nil)
	}
}

func TestWriteParse(t *testing.T) {
	w := randomWeights(8)
	w.Provenance = map[string]string{"run": `a "b" \ c`, "note": "two\nlines", "odd key": "x"}
	w.Confidence = make([]Confidence, Features)
	for i := range w.Confidence {
		w.Confidence[i] = Confidence{float64(i) / 3, 1e-3 * float64(i), i * 7}
	}
	for _, w := range []*Weights{w, Default()} {
		var b bytes.Buffer
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Values != w.Values || got.Ending != w.Ending || got.Hash() != w.Hash() || len(got.Confidence) != len(w.Confidence) {
			t.Error("values differ after writing and reading")
		}
		for i := range w.Confidence {
			if got.Confidence[i] != w.Confidence[i] {
				t.Fatalf("confidence %d: %v, want %v", i, got.Confidence[i], w.Confidence[i])
			}
		}
		for k, v := range w.Provenance {
			if got.Provenance[k] != v {
				t.Errorf("provenance %q is %q, want %q", k, got.Provenance[k], v)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	var b bytes.Buffer
	w := Default()
	w.Values[material+kindIndex(movegen.Rook)].MG = 1234
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, c := range []struct{ old, new, want string }{
		{"format = 1", "format = 2", "format"},
		{"[tempo]", "[tempi]", "tempo is missing"},
		{"\n[tempo]", "\n[sorcery]\nmg = 1\neg = 1\n\n[tempo]", "sorcery: no such weights"},
		{"\n[tempo]", "\n[sorcery]\n\n[tempo]", "sorcery: is empty"},
		{"\n[tempo]", "\n[mobility.dragon]\n\n[tempo]", "mobility.dragon: is empty"},
		{"[tempo]", "tempo = 3\n[x]", "tempo"},
		{"[material.rook]", "[material.rook]\nop = 1", "line"},
		{"mg = 1234", "mg = 96000", "96000"},
		{"mg = 1234", "mg = \"x\"", "x is no number"},
		{"mg = 1234", "", "mg is missing"},
		{"mg = 1234", "mg = 9.5", "9.5"},
		{"mg = 1234", "mg = ", "line"},
		{"[mobility.horse]", "[mobility.horse]\nmg_error = [1]", "1 numbers, want 9"},
		{"[psqt.king]", "[psqt.king]\ncount = [[1]]", "1 ranks, want 10"},
		{"[scale.ending]", "[scale.endings]", "want a table scale.ending"},
		{"[scale.ending]", "[scale.ending]\nqueen = []", "no such attack"},
		{"\ncannon = [", "\ncanon = [", "canon: scale.ending has no such attack"},
		{"\nnone = [\n  [", "\nnone = [\n  [0, ", "25 numbers, want 24"},
		{"\nnone = [\n  [  2", "\nnone = [\n  [  0", "integer from 1 to 128"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%q is not in the file", c.old)
		}
		_, err := Parse(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", c.new, err, c.want)
		}
	}
}

// TestErrorsNameTheLine: names that stand in the file more than once too.
func TestErrorsNameTheLine(t *testing.T) {
	var b bytes.Buffer
	if err := Default().Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, attack := range endingAttacks {
		text := strings.Replace(good, "\n"+attack+" = [", "\n"+attack+" = 5 # [", 1)
		text, _, _ = strings.Cut(text, " # [") // what follows is no list any more
		want := fmt.Sprintf("weights line %d: %s: ", strings.Count(text, "\n")+1, attack)
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want it to begin with %q", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(defaultFile))
	f.Add("format = 1\n[tempo]\nmg = 1\neg = 2\n")
	f.Add("format = 1\npsqt = [[1]]")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(&b); err != nil || again.Hash() != w.Hash() {
			t.Fatalf("written weights do not read back: %v", err)
		}
	})
}

func TestExplain(t *testing.T) {
	e := New(Default())
	visit(2000, 9, func(p *movegen.Position) {
		x := e.Explain(p)
		sum := 0.0
		for _, term := range x.Terms {
			sum += term.Score
		}
		want := e.Evaluate(p, nil)
		if p.Side() == movegen.Black {
			want = -want
		}
		if int(sum) != want || x.Score != want {
			t.Fatalf("%s: the terms' sum is %v, the explanation's score %d, want %d", p.FEN(), sum, x.Score, want)
		}
	})
	var b bytes.Buffer
	if err := e.Explain(movegen.StartPosition()).Write(&b); err != nil || !strings.Contains(b.String(), "score +") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}
