package arena

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// loser resigns at a ply that depends on the opening; in games from the start position
// it thinks without end.
type loser struct{ hashPlayer }

func (l *loser) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	switch key := g.Start().Key(); {
	case g.Start().FEN() == movegen.StartFEN:
		<-ctx.Done()
		return Reply{}, context.Cause(ctx)
	case key>>40%4 == 0: // in some openings it plays on
	case g.Len() >= 4+int(key>>50%60):
		return Reply{Resign: true}, nil
	}
	return l.hashPlayer.Move(ctx, g, c)
}

// spread returns openings that differ from round to round; from round endless on they are
// the start position.
func spread(t testing.TB, endless int) func(int) (Opening, error) {
	return func(round int) (Opening, error) {
		if round >= endless {
			return Opening{FEN: movegen.StartFEN}, nil
		}
		pos, err := movegen.ParseFEN(movegen.StartFEN)
		if err != nil {
			return Opening{}, err
		}
		g := referee.NewGame(pos, rules(t))
		for ply := range 6 {
			var l movegen.MoveList
			g.Position().Legal(&l)
			m := l.At((round*7 + ply*13) % l.Len())
			if _, err := g.Play(m); err != nil {
				return Opening{}, err
			}
		}
		return Opening{FEN: g.Position().FEN()}, nil
	}
}

// decider gives stored games to a test, as a match with an SPRT does.
type decider struct {
	test *stats.Sequential
	legs map[int][2]results.Result
}

func newDecider(t testing.TB) *decider {
	test, err := stats.NewSequential(stats.SPRT{Model: stats.Normalized, Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	return &decider{test, map[int][2]results.Result{}}
}

func (d *decider) stored(g *results.Game) error {
	if g.Result != results.NotPlayed {
		legs := d.legs[g.Pair]
		legs[g.Leg] = g.Result
		d.legs[g.Pair] = legs
		if legs[0] != results.Unfinished && legs[1] != results.Unfinished {
			points := map[results.Result]int{results.RedWins: 2, results.Drawn: 1}
			if err := d.test.Add(g.Pair, points[legs[0]]+2-points[legs[1]]); err != nil {
				return err
			}
		}
	}
	if d.test.State().State != stats.Continue {
		return ErrDecided
	}
	return nil
}

// TestSPRTDecidesWhileGamesRun: the verdict and the pairs that it is of are the same for
// any number of games at once; games that run when it falls are stored, as finished or as
// not played, and change nothing any more.
func TestSPRTDecidesWhileGamesRun(t *testing.T) {
	play := func(concurrency, endless int) (*decider, *sink, []results.GameKey) {
		t.Helper()
		var s sink
		d := newDecider(t)
		m := testMatch(t, &s, 0, concurrency, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b"})
		m.Contestants[1].Open = func() (Player, error) { return &loser{hashPlayer{name: "b", salt: 2}}, nil }
		m.Opening, m.Stored = spread(t, endless), d.stored
		var mu sync.Mutex
		var begun []results.GameKey
		m.Begun = func(g *results.Game, _ []movegen.Move) {
			mu.Lock()
			defer mu.Unlock()
			begun = append(begun, g.GameKey)
		}
		if err := m.Play(context.Background()); !errors.Is(err, ErrDecided) {
			t.Fatalf("%d at once: ended with %v", concurrency, err)
		}
		return d, &s, begun
	}
	first, _, _ := play(1, 1<<30)
	want, read := first.test.State(), first.test.Next()
	if want.State != stats.AcceptH1 || read < 5 {
		t.Fatalf("%+v after %d pairs: no test of anything", want, read)
	}
	for _, concurrency := range []int{2, 3, 8} {
		d, s, begun := play(concurrency, read)
		if got := d.test.State(); got != want || d.test.Next() != read {
			t.Errorf("%d at once: %+v after %d pairs, one at once %+v after %d", concurrency, got, d.test.Next(), want, read)
		}
		stored, stopped := map[results.GameKey]*results.Game{}, 0
		for _, g := range s.games {
			stored[g.GameKey] = g
			if g.Result == results.NotPlayed {
				stopped++
				if g.Reason != results.Stopped || g.Pair < read || len(g.Plies) > 0 {
					t.Errorf("%d at once: game %v is not played: %s, %d plies", concurrency, g.GameKey, g.Reason, len(g.Plies))
				}
			}
		}
		for _, key := range begun {
			if g := stored[key]; g == nil || g.Result == results.Unfinished {
				t.Errorf("%d at once: game %v was begun and is not stored", concurrency, key)
			}
		}
		if stopped == 0 || stopped > concurrency {
			t.Errorf("%d at once: %d games were running when the test was decided", concurrency, stopped)
		}
		// whoever reads what is stored, in any order, finds the same verdict
		again := newDecider(t)
		for _, g := range stored {
			again.stored(g)
		}
		if got := again.test.State(); got.State != want.State || again.test.Next() != read {
			t.Errorf("%d at once, read again: %+v after %d pairs", concurrency, got, again.test.Next())
		}
	}
}
