package tuner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// names returns n feature names.
func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("f%d", i)
	}
	return out
}

// anySample draws a sample whose numbers a file keeps exactly.
func anySample(t *rapid.T, features int) Sample {
	f32 := func(name string) float64 { return float64(rapid.Float32Range(-1e6, 1e6).Draw(t, name)) }
	s := Sample{Result: rapid.IntRange(0, 2).Draw(t, "result"), Score: results.Score(rapid.Int16().Draw(t, "score")),
		MG: f32("mg"), EG: f32("eg"), Offset: f32("offset"), Class: rapid.SampledFrom([]int{0, 0, 1, math.MaxUint16}).Draw(t, "class")}
	for i := range features {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			s.Coefs = append(s.Coefs, Coef{i, 1, 1})
		case 1:
			s.Coefs = append(s.Coefs, Coef{i, -1, -1})
		case 7:
			n := float64(rapid.SampledFrom([]int{-6, -5, -4, -3, -2, 2, 3, 4, 5}).Draw(t, "few"))
			s.Coefs = append(s.Coefs, Coef{i, n, n})
		case 2:
			n := float64(rapid.IntRange(-40000, 40000).Filter(func(n int) bool { return n != 0 }).Draw(t, "count"))
			s.Coefs = append(s.Coefs, Coef{i, n, n})
		case 3:
			if c := (Coef{i, f32("m"), f32("e")}); c.MG != 0 || c.EG != 0 {
				s.Coefs = append(s.Coefs, c)
			}
		}
	}
	return s
}

func TestDatasetKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "set")
		const features = 12
		w, err := Create(path, Info{Key: "k", Inputs: []byte(`{"a":1}`), Features: names(features)})
		if err != nil {
			t.Fatal(err)
		}
		var want [Sets][]Sample
		var first [Sets][]bool
		var g Game
		for i := range rapid.IntRange(0, 12).Draw(t, "games") {
			pair := fmt.Sprint(i / 2)
			g.Reset(pair)
			for j := range rapid.IntRange(0, 5).Draw(t, "positions") {
				s := anySample(t, features)
				if err := g.Add(&s); err != nil {
					t.Fatal(err)
				}
				set := SetOf(pair)
				want[set], first[set] = append(want[set], s), append(first[set], j == 0)
			}
			if err := w.Put(&g); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Verify(t.Context(), 2); err != nil || d.Key != "k" || string(d.Inputs) != `{"a":1}` || !slices.Equal(d.Features, names(features)) {
			t.Fatalf("%v %+v", err, d.Info)
		}
		for set := range Sets {
			n := 0
			d.Samples(set, func(s *Sample, begins bool) bool {
				w := want[set][n]
				if w.Coefs == nil {
					w.Coefs = []Coef{}
				}
				got := *s
				got.Coefs = append([]Coef{}, s.Coefs...)
				if !reflect.DeepEqual(got, w) || begins != first[set][n] {
					t.Fatalf("%s %d: %+v, want %+v", set, n, got, w)
				}
				n++
				return true
			})
			if n != len(want[set]) || d.Sets[set].Positions != n {
				t.Fatalf("%s: %d samples, want %d", set, n, len(want[set]))
			}
		}
	})
	left, _ := filepath.Glob(filepath.Join(dir, "*.part"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestGameRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		s    Sample
		want string
	}{
		{Sample{Result: 3}, "half points"},
		{Sample{Result: -1}, "half points"},
		{Sample{MG: nan}, "middlegame factor"},
		{Sample{EG: inf}, "endgame factor"},
		{Sample{Offset: -inf}, "offset"},
		{Sample{Coefs: []Coef{{0, nan, 1}}}, "feature 0"},
		{Sample{Coefs: []Coef{{0, 1, 1e300}}}, "feature 0"},
		{Sample{Coefs: []Coef{{1, 1, 1}, {1, 1, 1}}}, "ascending"},
		{Sample{Coefs: []Coef{{maxFeatures, 1, 1}}}, "ascending"},
	} {
		var g Game
		g.Reset("a")
		if err := g.Add(&c.s); err == nil || !strings.Contains(err.Error(), c.want) || g.Len() != 0 {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "x"), Info{Features: names(3)})
	if err != nil {
		t.Fatal(err)
	}
	var g Game
	g.Reset("a")
	if err := g.Add(&Sample{Coefs: []Coef{{3, 1, 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(&g); err == nil || !strings.Contains(err.Error(), "feature 3") {
		t.Error(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a writer that failed closed well")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	if _, err := Create(filepath.Join(dir, "x"), Info{}); err == nil {
		t.Error("a dataset without features was made")
	}
	if _, err := Create(filepath.Join(dir, "none", "x"), Info{Features: names(1)}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// TestDamage changes and cuts a file everywhere: never a panic, always an error.
func TestDamage(t *testing.T) {
	path := synthetic(t, 3, func(i int) Sample { return Sample{Result: i % 3, Coefs: []Coef{{i % 3, 1, 1}}} }, 60, 3)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(data []byte, what string) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path)
		if err == nil {
			err = d.Verify(context.Background(), 1)
			d.Close()
		}
		if !errors.Is(err, ErrDataset) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := 0; i < len(good); i += 1 + i/200 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x41
		try(bad, fmt.Sprintf("byte %d changed", i))
		try(good[:i], fmt.Sprintf("cut to %d", i))
	}
	try(append(bytes.Clone(good), 0), "a byte more")
}

// synthetic writes a dataset of games with the given number of positions each, two of a
// pair, and returns its path.
func synthetic(t testing.TB, features int, sample func(i int) Sample, games, each int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set")
	w, err := Create(path, Info{Key: "synthetic", Features: names(features)})
	if err != nil {
		t.Fatal(err)
	}
	w.target = 50 // many blocks
	var g Game
	for i := range games {
		g.Reset(fmt.Sprint(i / 2))
		for j := range each {
			s := sample(i*each + j)
			if err := g.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Put(&g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOwnSamples(t *testing.T) {
	weights := eval.Default()
	e := eval.New(weights)
	own := Own(weights)
	rng := rand.New(rand.NewPCG(1, 2))
	var s Sample
	bytes, n, coefs := 0, 0, 0
	for range 60 {
		p := movegen.StartPosition()
		var g Game
		g.Reset("x")
		for range 120 {
			own.Extract(p, &s)
			sum := 0.0
			for _, c := range s.Coefs {
				w := weights.Values[c.Index]
				sum += s.MG*c.MG*float64(w.MG) + s.EG*c.EG*float64(w.EG)
			}
			want := e.Evaluate(p, nil)
			if p.Side() == movegen.Black {
				want = -want
			}
			if int(sum) != want {
				t.Fatalf("%s: %v from the sample, evaluation %d", p.FEN(), sum, want)
			}
			if err := g.Add(&s); err != nil {
				t.Fatal(err)
			}
			coefs += len(s.Coefs)
			var l movegen.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var u movegen.Undo
			p.Make(l.At(rng.IntN(l.Len())), &u)
		}
		bytes, n = bytes+len(g.buf), n+g.Len()
	}
	t.Logf("%.1f coefficients and %.1f bytes a position", float64(coefs)/float64(n), float64(bytes)/float64(n))
	if bytes/n > 190 {
		t.Errorf("%d bytes a position, at most 190", bytes/n)
	}
}

// TestTraceIsTheSample: a trace gives the very bytes that its coefficients give one by one.
func TestTraceIsTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tr eval.Trace
		tr.Phase, tr.Scale = rapid.IntRange(0, eval.PhaseMax).Draw(t, "phase"), rapid.IntRange(0, eval.ScaleMax).Draw(t, "scale")
		for range rapid.IntRange(0, 80).Draw(t, "features") {
			i := rapid.IntRange(0, eval.Features-1).Draw(t, "feature")
			tr.Coef[i] = rapid.OneOf(rapid.Int16Range(-2, 2), rapid.Int16Range(-10, 10), rapid.Int16Range(-math.MaxInt16, math.MaxInt16)).Draw(t, "count")
		}
		var long, short Game
		long.Reset("x")
		short.Reset("x")
		var s Sample
		for range 2 { // the second is not the first of its game
			s.SetTrace(&tr)
			s.Result, s.Score = 1, -7
			if err := errors.Join(long.Add(&s), short.addTrace(&s, tr.Coef[:])); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(long.buf, short.buf) || !slices.Equal(long.pieces, short.pieces) || !reflect.DeepEqual(long.tally, short.tally) {
			t.Errorf("%x\n%x", long.buf, short.buf)
		}
	})
}

func TestSetOf(t *testing.T) {
	var n [Sets]int
	for i := range 10000 {
		n[SetOf(fmt.Sprint("opening ", i))]++
	}
	if n[Train] < 7800 || n[Validation] < 900 || n[Test] < 900 {
		t.Errorf("%v", n)
	}
	if SetOf("opening 0") != Test || SetOf("opening 1") != Train || SetOf("opening 5") != Validation {
		t.Error("the split has changed: positions of old datasets would change sides")
	}
}
