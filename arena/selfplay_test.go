package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// testSelfPlay is self-play after random plies.
func testSelfPlay(t testing.TB, s *sink, games, concurrency int) *SelfPlay {
	return &SelfPlay{
		Run: "r", Games: games, Concurrency: concurrency, Exit: 300, Put: s.put, Limits: Limits{Soft: 400, Nodes: 4000},
		Conduct: Conduct{Rules: rules(t), Resign: ResignRule{3, 1500, true}},
		Opening: func(game, try int) (Opening, error) {
			moves, _ := openings.RandomLine(movegen.StartPosition(), openings.Mix(7, uint64(game)), uint64(try), 8)
			return Opening{FEN: movegen.StartFEN, Moves: moves}, nil
		},
		Open: func() (*BuiltIn, error) {
			return NewBuiltIn("x", eval.Default(), search.DefaultParams(), search.Options{HashMB: 1}), nil
		},
	}
}

// quick makes self-play short.
func (s *SelfPlay) quick() *SelfPlay {
	s.Limits, s.Conduct.MaxPlies = Limits{Soft: 40, Nodes: 400}, 40
	return s
}

// whole returns a line per game with all that a search decides.
func (s *sink) whole() []string {
	var lines []string
	for _, g := range s.games {
		line := fmt.Sprintf("%05d.%d %s %s book=%d", g.Pair, g.Leg, g.Result, g.Reason, g.Book)
		for _, p := range g.Plies {
			line += fmt.Sprintf(" %s/%d/%d/%d", p.Move, p.Score, p.Depth, p.Nodes)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// TestSelfPlayIsTheSame for any concurrency, and when it is stopped after some games and
// goes on.
func TestSelfPlayIsTheSame(t *testing.T) {
	const games = 12
	var whole sink
	if err := testSelfPlay(t, &whole, games, 1).quick().Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := whole.whole()
	if len(want) != games || len(slices.Compact(slices.Clone(want))) != games {
		t.Fatalf("%d games, or one twice: %v", len(want), want)
	}
	var both sink
	if err := testSelfPlay(t, &both, games, 3).quick().Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(both.whole(), want) {
		t.Error("three at once play other games than one")
	}
	var parts sink
	stop := errors.New("stop")
	for after := range games {
		ctx, cancel := context.WithCancelCause(context.Background())
		p := testSelfPlay(t, &parts, games, 2).quick()
		for _, g := range parts.games {
			row, err := results.RowOf(g)
			if err != nil {
				t.Fatal(err)
			}
			p.Done = append(p.Done, row)
		}
		if after%2 == 0 {
			p.Stored = func(*results.Game) error { cancel(stop); return nil }
		} else {
			p.Stored = func(*results.Game) error {
				defer func() { recover() }() // the second close of one channel
				p.Drain()
				return nil
			}
		}
		err := p.Play(ctx)
		cancel(nil)
		if err == nil {
			break
		}
		if !errors.Is(err, stop) && !errors.Is(err, ErrDrained) {
			t.Fatal(err)
		}
	}
	if !slices.Equal(parts.whole(), want) {
		t.Error("an interrupted run has other games")
	}
}

// TestSelfPlayTriesOtherOpenings when one is over or gives one side too much, and says so
// when there is no other.
func TestSelfPlayTriesOtherOpenings(t *testing.T) {
	var s sink
	p := testSelfPlay(t, &s, 1, 1).quick()
	lost := Opening{FEN: "3ak4/4a4/9/9/9/9/9/9/9/R3K3R w - - 0 1"}
	mated := Opening{FEN: "R3k4/3R5/9/9/9/9/9/9/9/3K5 b - - 0 1"}
	list := []Opening{lost, mated, {FEN: movegen.StartFEN}}
	p.Opening = func(_, try int) (Opening, error) { return list[min(try, len(list)-1)], nil }
	if err := p.Play(context.Background()); err != nil || s.games[0].Opening != movegen.StartFEN {
		t.Errorf("%v, %v", err, s.games)
	}
	list = list[:1]
	if err := p.Play(context.Background()); err == nil || !strings.Contains(err.Error(), "no opening whose score is within ±300") {
		t.Errorf("%v", err)
	}
	p.Exit, p.Run = 0, "s"
	if err := p.Play(context.Background()); err != nil || s.games[1].Opening != lost.FEN {
		t.Errorf("without a limit: %v, %v", err, s.games)
	}
}

// BenchmarkSelfPlay plays at 400 soft nodes a move on one core.
func BenchmarkSelfPlay(b *testing.B) {
	var s sink
	if err := testSelfPlay(b, &s, b.N, 1).Play(context.Background()); err != nil {
		b.Fatal(err)
	}
	plies, nodes := 0, uint64(0)
	for _, g := range s.games {
		for _, p := range g.Plies[g.Book:] {
			plies++
			nodes += p.Nodes
		}
	}
	b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
	b.ReportMetric(float64(nodes)/float64(plies), "nodes/ply")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
}
