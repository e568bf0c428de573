package arena

import (
	"context"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// none is a move without a score in the tables below.
const none = results.NoScore

// TestAdjudicator gives scores from the mover's view, Red first, and wants the ply at which
// a rule fires, 0 for never.
func TestAdjudicator(t *testing.T) {
	two, one := ResignRule{MoveCount: 2, Score: 600, TwoSided: true}, ResignRule{MoveCount: 2, Score: 600}
	mate := results.MateScore - 9
	for _, c := range []struct {
		name   string
		resign ResignRule
		draw   DrawRule
		scores []results.Score
		at     int
		result results.Result
	}{
		{"nothing asked", ResignRule{}, DrawRule{}, []results.Score{900, -900, 900, -900, 900, -900}, 0, 0},
		{"both agree", two, DrawRule{}, []results.Score{600, -600, 600, -600}, 4, results.RedWins},
		{"Black ahead", two, DrawRule{}, []results.Score{-700, 700, -700, 700}, 4, results.BlackWins},
		{"the winner does not see it", two, DrawRule{}, []results.Score{599, -600, 599, -600, 599, -600}, 0, 0},
		{"the winner sees it later", two, DrawRule{}, []results.Score{500, -600, 600, -600, 600, -600}, 5, results.RedWins},
		{"one-sided", one, DrawRule{}, []results.Score{0, -600, 0, -600}, 4, results.RedWins},
		{"one-sided, a point short", one, DrawRule{}, []results.Score{0, -599, 0, -599, 0, -599}, 0, 0},
		{"a score between", one, DrawRule{}, []results.Score{0, -600, 0, -100, 0, -600, 0, -600}, 8, results.RedWins},
		{"a missing score between", one, DrawRule{}, []results.Score{0, -600, 0, none, 0, -600, 0, -600}, 8, results.RedWins},
		{"no scores at all", one, DrawRule{MoveCount: 1}, []results.Score{none, none, none, none}, 0, 0},
		{"the winner's missing", two, DrawRule{}, []results.Score{600, -600, none, -600, 600, -600}, 0, 0},
		{"mates are beyond any number", ResignRule{MoveCount: 1, Score: int(results.MaxScore), TwoSided: true}, DrawRule{}, []results.Score{mate, -mate}, 2, results.RedWins},
		{"level", ResignRule{}, DrawRule{MoveCount: 2, Score: 10}, []results.Score{10, -10, 0, 3}, 4, results.Drawn},
		{"level from a move on", ResignRule{}, DrawRule{MoveNumber: 3, MoveCount: 1, Score: 10}, []results.Score{0, 0, 0, 0, 0, 0}, 6, results.Drawn},
		{"one beyond the window", ResignRule{}, DrawRule{MoveCount: 2, Score: 10}, []results.Score{0, 11, 0, 0, 0}, 0, 0},
		{"then level again", ResignRule{}, DrawRule{MoveCount: 2, Score: 10}, []results.Score{0, -11, 0, 0, 0, 0}, 6, results.Drawn},
		{"missing breaks the row", ResignRule{}, DrawRule{MoveCount: 1, Score: 10}, []results.Score{0, none, 0, none, 0, none}, 0, 0},
		{"a mate is not level", ResignRule{}, DrawRule{MoveCount: 1, Score: int(results.MaxScore)}, []results.Score{0, mate, 0, -mate}, 0, 0},
	} {
		a := newAdjudicator(&Conduct{Resign: c.resign, Draw: c.draw})
		at, result := 0, results.Unfinished
		for i, s := range c.scores {
			if result, _ = a.after(movegen.Color(i&1), s); result != results.Unfinished {
				at = i + 1
				break
			}
		}
		if at != c.at || result != c.result {
			t.Errorf("%s: %s at ply %d, want %s at %d", c.name, result, at, c.result, c.at)
		}
	}
}

// scoredPlayer plays given moves with given scores, by ply of the game.
type scoredPlayer struct {
	hashPlayer
	moves  []string
	scores func(ply int) results.Score
}

func (p *scoredPlayer) Move(_ context.Context, g *referee.Game, _ Clock) (Reply, error) {
	m, err := movegen.ParseMove(p.moves[g.Len()%len(p.moves)])
	return Reply{Move: m, Score: p.scores(g.Len() + 1), Depth: 1}, err
}

// TestNoAdjudicationInARepetition: in a position that has occurred before, the opening's
// included, the referee decides, be it the scores or the length that would end the game.
func TestNoAdjudicationInARepetition(t *testing.T) {
	shuffle := []string{"b0c2", "b9c7", "c2b0", "c7b9"} // the first position again after 4 plies
	from := func(first int) func(int) results.Score {
		return func(ply int) results.Score {
			if ply < first {
				return none
			}
			return results.Score(5 - 10*(ply&1))
		}
	}
	draw := Conduct{Draw: DrawRule{MoveCount: 1, Score: 10}}
	resign := Conduct{Resign: ResignRule{MoveCount: 1, Score: 5, TwoSided: true}}
	for _, c := range []struct {
		name    string
		conduct Conduct
		scores  func(int) results.Score
		plies   int
		reason  results.Reason
	}{
		{"draw before it", draw, from(1), 2, results.AdjDraw},
		{"draw in it", draw, from(3), 8, results.Repetition},
		{"resign before it", resign, from(1), 2, results.AdjResign},
		{"resign in it", resign, from(3), 8, results.Repetition},
		{"length before it", Conduct{MaxPlies: 3}, from(1), 3, results.MaxPlies},
		{"length in it", Conduct{MaxPlies: 4}, from(1), 8, results.Repetition},
	} {
		c.conduct.Rules = rules(t)
		p := &scoredPlayer{hashPlayer{name: "p"}, shuffle, c.scores}
		g := &results.Game{}
		if err := c.conduct.Play(context.Background(), Opening{FEN: movegen.StartFEN}, [2]Side{{Player: p}, {Player: p}}, g); err != nil {
			t.Fatal(err)
		}
		if len(g.Plies) != c.plies || g.Reason != c.reason {
			t.Errorf("%s: %s after %d plies, want %s after %d", c.name, g.Reason, len(g.Plies), c.reason, c.plies)
		}
		if byScore := g.Reason == results.AdjDraw || g.Reason == results.AdjResign; byScore != strings.Contains(g.Detail, "last scores: Red -0.05, Black +0.05") {
			t.Errorf("%s: the scores that decided are told as %q", c.name, g.Detail)
		}
	}
}

// TestOpeningCountsAsOccurred: positions of the opening's moves have occurred too.
func TestOpeningCountsAsOccurred(t *testing.T) {
	var moves []movegen.Move
	for _, text := range []string{"b0c2", "b9c7"} {
		m, err := movegen.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	c := Conduct{Rules: rules(t), MaxPlies: 2}
	p := &scoredPlayer{hashPlayer{name: "p"}, []string{"b0c2", "b9c7", "c2b0", "c7b9"}, func(int) results.Score { return none }}
	g := &results.Game{}
	if err := c.Play(context.Background(), Opening{FEN: movegen.StartFEN, Moves: moves}, [2]Side{{Player: p}, {Player: p}}, g); err != nil {
		t.Fatal(err)
	}
	if g.Reason != results.Repetition || g.Book != 2 {
		t.Errorf("%s after %d plies: the first position came again at ply 4, where the length must not decide", g.Reason, len(g.Plies))
	}
}

// TestAdjudicateIsWhatPlayWouldBe plays the same games with and without rules of adjudication:
// what Adjudicate says of those played out is what became of the others.
func TestAdjudicateIsWhatPlayWouldBe(t *testing.T) {
	play := func(c Conduct) map[int]*results.Game {
		var s sink
		p := testSelfPlay(t, &s, 24, 2)
		p.Limits, p.Exit, p.Conduct = Limits{Soft: 40, Nodes: 400}, 3000, c
		if err := p.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		games := map[int]*results.Game{}
		for _, g := range s.games {
			games[g.Pair*2+g.Leg] = g
		}
		return games
	}
	whole := play(Conduct{Rules: rules(t)})
	for _, c := range []Conduct{
		{Rules: rules(t), Resign: ResignRule{2, 250, true}},
		{Rules: rules(t), Resign: ResignRule{MoveCount: 3, Score: 500}},
		{Rules: rules(t), Draw: DrawRule{10, 2, 60}, Resign: ResignRule{3, 900, true}},
	} {
		ended := 0
		for i, got := range play(c) {
			want, at, err := c.Adjudicate(whole[i])
			if err != nil {
				t.Fatal(err)
			}
			if want == results.Unfinished {
				want, at = whole[i].Result, len(whole[i].Plies)
			} else {
				ended++
			}
			if got.Result != want || len(got.Plies) != at {
				t.Errorf("%+v: game %d ended %s after %d plies, Adjudicate says %s after %d", c, i, got.Result, len(got.Plies), want, at)
			}
		}
		if ended == 0 {
			t.Errorf("%+v ended no game", c)
		}
	}
	bad := *whole[0]
	bad.Plies = append([]results.Ply{bad.Plies[1]}, bad.Plies...)
	if _, _, err := (&Conduct{}).Adjudicate(&bad); err == nil || !strings.Contains(err.Error(), "is not legal") {
		t.Errorf("a game of illegal moves: %v", err)
	}
}
