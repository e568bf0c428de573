package openings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// keyJudge gives each position a score of its own, −500…499.
func keyJudge(p *movegen.Position) (int, error) { return int(p.Key()%1000) - 500, nil }

func makeBook(t *testing.T, m Maker, path string) string {
	t.Helper()
	if _, err := m.Make(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestMakerKeepsDistinctPositionsInsideTheWindow(t *testing.T) {
	m := Maker{Seed: 3, Plies: 6, Window: Window{100, 250}, N: 100, Judge: keyJudge, Workers: 2}
	path := filepath.Join(t.TempDir(), "a.epd.gz")
	makeBook(t, m, path)
	b := mustOpen(t, path+",order=sequential", 1)
	if b.Len() != 100 || b.Broken+b.Duplicates != 0 {
		t.Fatalf("%d openings: %v", b.Len(), b.Notes)
	}
	seen := map[uint64]bool{}
	for k := range 100 {
		o := opening(t, b, k)
		p, err := movegen.ParseFEN(o.FEN)
		if err != nil {
			t.Fatal(err)
		}
		if score, _ := keyJudge(p); !m.Window.Contains(score) || seen[pairKey(p)] {
			t.Errorf("opening %d: score %d, seen %v", k, score, seen[pairKey(p)])
		}
		seen[pairKey(p)] = true
	}
	if _, err := os.Stat(path + ".part"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the part file is still there")
	}
	c := Checker{Rules: computerRules(t), Window: &m.Window, Judge: keyJudge, Workers: 2}
	if f, err := c.Check(context.Background(), path); err != nil || !f.OK() || f.Good != 100 || f.Mirrored != 0 {
		t.Errorf("checked: %v, %v", f, err)
	}
}

func computerRules(t *testing.T) *referee.Rules {
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestMakingIsTheSameHoweverItIsDone: with any number of workers, and interrupted
// anywhere, also in the middle of a line.
func TestMakingIsTheSameHoweverItIsDone(t *testing.T) {
	m := Maker{Seed: 5, Plies: 4, Window: Window{-100, 100}, N: 60, Judge: keyJudge}
	dir := t.TempDir()
	want := makeBook(t, m, filepath.Join(dir, "one.epd"))
	m.Workers = 7
	if got := makeBook(t, m, filepath.Join(dir, "seven.epd")); got != want {
		t.Error("seven workers make another book")
	}
	for stop := int64(1); stop < 400; stop += 29 {
		path := filepath.Join(dir, fmt.Sprintf("stopped%d.epd", stop))
		broken := m
		var judged atomic.Int64
		ctx, cancel := context.WithCancel(context.Background())
		broken.Judge = func(p *movegen.Position) (int, error) {
			if judged.Add(1) == stop {
				cancel()
			}
			return keyJudge(p)
		}
		if _, err := broken.Make(ctx, path); err == nil {
			continue // it was ready before
		}
		cancel()
		if info, err := os.Stat(path + ".part"); err != nil {
			t.Fatal(err)
		} else if cut := info.Size() - stop%50; cut > 0 {
			os.Truncate(path+".part", cut)
		}
		if got := makeBook(t, m, path); got != want {
			t.Errorf("stopped at judgement %d, the book is another", stop)
		}
	}
}

// TestAFileInTheWayIsLeftAlone: a book that is ready, or any other file, is not replaced.
func TestAFileInTheWayIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.epd")
	m := Maker{Seed: 5, Plies: 4, Window: Window{-100, 100}, N: 5, Judge: keyJudge}
	want := makeBook(t, m, path)
	m.Seed++
	_, err := m.Make(context.Background(), path)
	if got, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), path) || string(got) != want {
		t.Errorf("error %v, the book has %d bytes, had %d", err, len(got), len(want))
	}
	if _, err := os.Stat(path + ".part"); err == nil {
		t.Error("a part file was left")
	}
}

func TestMakerRefusesAnotherBooksPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.epd")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := Maker{Seed: 5, Plies: 4, Window: Window{0, 100}, N: 60, Judge: keyJudge}
	if _, err := m.Make(ctx, path); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m.Seed = 6
	if _, err := m.Make(context.Background(), path); err == nil || !strings.Contains(err.Error(), "seed=5") || !strings.Contains(err.Error(), "seed=6") {
		t.Errorf("another seed: %v", err)
	}
}

func TestMakerFromLines(t *testing.T) {
	lines := bookLines(t, 40)
	from := mustOpen(t, writeFile(t, "a.epd", strings.Join(lines, "\n")), 1)
	m := Maker{From: from, Window: Window{-500, 0}, N: 1000, Judge: keyJudge, Workers: 3}
	content := makeBook(t, m, filepath.Join(t.TempDir(), "b.epd"))
	want := 0
	for _, fen := range lines {
		p, err := movegen.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if score, _ := keyJudge(p); score <= 0 {
			want++
			if !strings.Contains(content, fen+" ce ") {
				t.Errorf("%s is not in the book", fen)
			}
		}
	}
	if got := strings.Count(content, "\n"); got != want || want == 0 {
		t.Errorf("%d lines, want %d", got, want)
	}
}

func TestMakerWithoutASingleOpening(t *testing.T) {
	m := Maker{Plies: 1, Window: Window{10000, 20000}, N: 1, Judge: keyJudge}
	if _, err := m.Make(context.Background(), filepath.Join(t.TempDir(), "a.epd")); err == nil || !strings.Contains(err.Error(), "none of") {
		t.Errorf("%v", err)
	}
}

func TestCheckerFindsEachFault(t *testing.T) {
	good := bookLines(t, 3)
	p, err := movegen.ParseFEN(good[0])
	if err != nil {
		t.Fatal(err)
	}
	mirror := p.Mirror()
	text := strings.Join([]string{
		good[0], good[0], mirror.FEN(), "rubbish", movegen.StartFEN + " moves h2e2 e2e3;",
		"3k1R3/9/9/9/9/9/9/9/3R5/4K4 b", movegen.StartFEN + " moves a0a1 a9a8 a1a0 a8a9;",
		movegen.StartFEN + " moves " + strings.Repeat("a0a1 a9a8 a1a0 a8a9 ", 4) + ";", good[1],
	}, "\n")
	outside := good[1]
	judge := func(p *movegen.Position) (int, error) {
		if p.FEN() == outside {
			return 300, nil
		}
		return 20, nil
	}
	c := Checker{Rules: computerRules(t), Window: &Window{0, 100}, Judge: judge}
	f, err := c.Check(context.Background(), writeFile(t, "a.epd", text))
	if err != nil {
		t.Fatal(err)
	}
	if f.OK() || f.Good != 2 || f.Duplicates != 1 || f.Mirrored != 1 || f.Broken != 2 || f.Over != 2 || f.Repeated != 1 || f.Outside != 1 {
		t.Errorf("%s: %v", f, f.Faults)
	}
	if s := f.Spread; s.Positions != 3 || s.MinPieces < 16 || s.MaxPieces > 32 || s.Arrangements[movegen.Red] < 2 || s.Arrangements[movegen.Red] > 3 {
		t.Errorf("%+v", s)
	}
}

func TestCheckEmbeddedBooks(t *testing.T) {
	for _, name := range Embedded() {
		f, err := Checker{Rules: computerRules(t)}.Check(context.Background(), name)
		if err == nil && name != Start && name != Balanced && name != Unbalanced {
			t.Errorf("a book named %s", name)
		}
		if err != nil || !f.OK() || f.Mirrored > 0 {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}
