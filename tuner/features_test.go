package tuner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeTemp(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "positions")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImportFeatures(t *testing.T) {
	text := "# comment\n\n1\t0.5\tA\t0:1:-1\t2:3\n0.5 1 B 2:1 0:-2:0.25 *:12.5\r\n0\t0\tA\t1:0:0\t0:5\n1-0 .25 B"
	d, err := ImportFeatures(t.Context(), writeTemp(t, text), names(3), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var got []string
	for s := range Sets {
		d.Samples(s, func(x *Sample, first bool) bool {
			got = append(got, fmt.Sprint(first, x.Result, x.MG, x.EG, x.Offset, x.Coefs))
			return true
		})
	}
	want := map[string][]string{
		"A": {"true 2 0.5 0.5 0 [{0 1 -1} {2 3 3}]", "false 0 0 1 0 [{0 5 5}]"},
		"B": {"true 1 1 0 12.5 [{0 -2 0.25} {2 1 1}]", "false 2 0.25 0.75 0 []"},
	}
	var all []string
	for s := range Sets {
		for _, pair := range []string{"A", "B"} {
			if SetOf(pair) == s {
				all = append(all, want[pair]...)
			}
		}
	}
	if strings.Join(got, "\n") != strings.Join(all, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(all, "\n"))
	}
}

// TestImportAnyOrder: the order of pairs in the file changes nothing but their order.
func TestImportAnyOrder(t *testing.T) {
	var together, apart strings.Builder
	line := func(pair, i int) string {
		return fmt.Sprintf("%v 0.5 p%d 0:%d:%d\n", []string{"0", "0.5", "1"}[(pair+i)%3], pair, i%5-2, pair%3)
	}
	for pair := range 30 {
		for i := range 7 {
			together.WriteString(line(pair, i))
		}
	}
	for i := range 7 {
		for pair := range 30 {
			apart.WriteString(line(pair, i))
		}
	}
	var sets [2]*Dataset
	for i, text := range []string{together.String(), apart.String()} {
		d, err := ImportFeatures(t.Context(), writeTemp(t, text), names(1), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		sets[i] = d
	}
	if !sets[0].Same(sets[1]) || sets[0].Positions() != 210 || sets[0].Games() != 30 {
		t.Errorf("%+v, %+v", sets[0].Info, sets[1].Info)
	}
}

func TestImportRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no positions"},
		{"1 0.5", "line 1: 2 fields"},
		{"1 0.5 a 0:1\n2 0.5 a 0:1", "line 2: result \"2\""},
		{"1 1.5 a 0:1", "line 1: phase"},
		{"1 NaN a 0:1", "line 1: phase"},
		{"1 12 a 0:1", `line 1: phase "12", want 0 (endgame) to 1 (middlegame)`},
		{"1 0.5 a 3:1", "features 0 to 2"},
		{"1 0.5 a -1:1", "features 0 to 2"},
		{"1 0.5 a x:1", "features 0 to 2"},
		{"1 0.5 a 0", "want i:mg:eg"},
		{"1 0.5 a 0:NaN:1", "\"NaN\" is no finite number"},
		{"1 0.5 a 0:1e99", "\"1e99\" is no finite number"},
		{"1 0.5 a 0:1 0:2", "ascending"},
		{strings.Repeat("x", lineLimit+1), "too long"},
	} {
		_, err := ImportFeatures(t.Context(), writeTemp(t, c.text), names(3), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestReadNames(t *testing.T) {
	n, w, err := ReadNames(strings.NewReader("# a list\nrook 500 550\n\nhorse # nothing\n"))
	if err != nil || fmt.Sprint(n, w) != "[rook horse] [[500 550] [0 0]]" {
		t.Errorf("%v %v %v", n, w, err)
	}
	for text, want := range map[string]string{"": "no names", "a 1": "line 1", "a\na": "line 2", "a 1 x": "\"x\"", "a Inf 1": "Inf"} {
		if _, _, err := ReadNames(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestFeatureWeightsReadBack: what a fit writes is what another can begin from.
func TestFeatureWeightsReadBack(t *testing.T) {
	truth := newTruth(9, 6, 50)
	r := fit(t, truth.data(t, 400, 3), Options{K: truth.k})
	var b strings.Builder
	if err := WriteFeatureWeights(&b, map[string]string{"run": "x"}, r); err != nil {
		t.Fatal(err)
	}
	n, w, err := ReadNames(strings.NewReader(b.String()))
	if err != nil || len(n) != 6 {
		t.Fatalf("%v %v\n%s", n, err, b.String())
	}
	for i := range w {
		if math.Abs(w[i][0]-r.Weights[2*i].Value) > 0.006 || math.Abs(w[i][1]-r.Weights[2*i+1].Value) > 0.006 {
			t.Errorf("%s %v", n[i], w[i])
		}
	}
}

func FuzzFeatureLine(f *testing.F) {
	f.Add("1\t0.5\tA\t0:1:-1\t2:3")
	f.Add("0.5 1 B 2:1 0:-2:0.25 *:12.5\r")
	m := importer{names: 3}
	f.Fuzz(func(t *testing.T, line string) {
		var s Sample
		var g Game
		g.Reset("a")
		if err := m.parse(line, &s); err == nil {
			_ = g.Add(&s)
		}
	})
}
