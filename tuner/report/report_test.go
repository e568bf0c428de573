package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/tuner"
)

// fitted returns the page of a fit of random games to features with the names of pieces and
// squares.
func fitted(t *testing.T) *Page {
	t.Helper()
	names := []string{"material.rook", "material.cannon", "<odd & name>"}
	for c := range boardCells {
		names = append(names, fmt.Sprintf("psqt.horse[%c%d]", 'a'+c%boardFiles, c/boardFiles))
	}
	path := filepath.Join(t.TempDir(), "set")
	w, err := tuner.Create(path, tuner.Info{Key: "k", Features: names})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var g tuner.Game
	for i := range 400 {
		g.Reset(fmt.Sprint(i))
		for range 5 {
			phase := float64(rng.IntN(17)) / 16
			s := tuner.Sample{Result: rng.IntN(3), Score: results.NoScore, MG: phase, EG: 1 - phase}
			for f := range names {
				if n := float64(rng.IntN(3) - 1); n != 0 && rng.IntN(4) == 0 && f != 20 {
					s.Coefs = append(s.Coefs, tuner.Coef{Index: f, MG: n, EG: n})
				}
			}
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
	d, err := tuner.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := tuner.Fit(t.Context(), d, tuner.Options{Start: make([][2]float64, len(names)), K: 0.005, Prior: 20, Freeze: []string{"material.rook:mg"}})
	if err != nil {
		t.Fatal(err)
	}
	return &Page{Title: "A <fit>", Facts: []string{"run 1 & 2"}, Result: r, Info: d.Info, Own: true}
}

func TestReport(t *testing.T) {
	p := fitted(t)
	var page, text strings.Builder
	if err := p.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A &lt;fit&gt;", "run 1 &amp; 2", "&lt;odd &amp; name&gt;", "Calibration", "by phase", "by material", "Squares of the horse", "cannon", "frozen", "frozen group", "χ²"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "src=", "href=", "<odd", "<script"} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"A <fit>", "test loss", "condition number", "no more than chance", "Predicted and actual", "rook", "score test", "frozen weight"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	for _, x := range p.Pictures() {
		svg, err := x.SVG()
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", x.Title, err)
			}
		}
	}
}

func TestDriftIsTold(t *testing.T) {
	for drift, want := range map[float64]bool{1: false, 0.94: true, 1.06: true} {
		p := &Page{Result: &tuner.Result{Drift: drift}}
		if got := strings.Contains(p.drift(), "WARNING"); got != want {
			t.Errorf("drift %v: warning %v, want %v", drift, got, want)
		}
	}
}
