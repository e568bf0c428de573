package arena

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// ResignRule ends a game that both sides (TwoSided) or the loser think lost: each of the
// loser's last MoveCount scores is −Score or worse, and with TwoSided each of the
// winner's last MoveCount scores is +Score or better. A mate score is beyond any number;
// a move without a score breaks the row. The zero value never fires.
type ResignRule struct {
	MoveCount int
	Score     int // centipawns
	TwoSided  bool
}

// DrawRule ends a game as a draw from full move MoveNumber on (moves of the engines, not
// of the opening), when each of the last MoveCount scores of both sides is within ±Score.
// A mate score or a move without a score breaks the row. The zero value never fires.
type DrawRule struct {
	MoveNumber int
	MoveCount  int
	Score      int // centipawns
}

// adjudicator looks at the scores of a game. Nothing is adjudicated, nor drawn by length,
// in a position that has occurred before, the opening's included: there the game may be in
// a repetition, which the referee judges when it is complete.
type adjudicator struct {
	on       bool // anything may be adjudicated
	resign   ResignRule
	draw     DrawRule
	against  [2]int // by colour: scores in a row at −Score or worse
	forIt    [2]int // by colour: scores in a row at +Score or better
	level    int    // plies in a row within the draw rule's window
	plies    int
	seen     map[uint64]bool // positions since the last capture
	repeated bool            // the position has occurred before
}

func newAdjudicator(c *Conduct) *adjudicator {
	r, d := c.Resign, c.Draw
	return &adjudicator{on: r.MoveCount > 0 || d.MoveCount > 0 || c.MaxPlies > 0, resign: r, draw: d, seen: map[uint64]bool{}}
}

// reach notes a position of the game, which every move brings.
func (a *adjudicator) reach(p *movegen.Position) {
	if !a.on {
		return
	}
	if p.HalfMoves() == 0 {
		clear(a.seen)
	}
	a.repeated = a.seen[p.Key()]
	a.seen[p.Key()] = true
}

// after takes the score of c's move, from c's view, once the position after it was reached.
func (a *adjudicator) after(c movegen.Color, s results.Score) (results.Result, results.Reason) {
	a.plies++
	a.count(c, s)
	if a.repeated {
		return results.Unfinished, ""
	}
	if n := a.resign.MoveCount; n > 0 {
		for _, loser := range [...]movegen.Color{movegen.Red, movegen.Black} {
			if a.against[loser] >= n && (!a.resign.TwoSided || a.forIt[loser.Other()] >= n) {
				return results.Won(loser.Other()), results.AdjResign
			}
		}
	}
	if n := a.draw.MoveCount; n > 0 && a.plies >= 2*a.draw.MoveNumber && a.level >= 2*n {
		return results.Drawn, results.AdjDraw
	}
	return results.Unfinished, ""
}

func (a *adjudicator) count(c movegen.Color, s results.Score) {
	bound := results.Score(a.resign.Score)
	a.against[c] = row(a.against[c], s.Known() && s <= -bound)
	a.forIt[c] = row(a.forIt[c], s.Known() && s >= bound)
	_, mate := s.Mate()
	window := results.Score(a.draw.Score)
	a.level = row(a.level, s.Known() && !mate && s <= window && s >= -window)
}

// row counts events in a row.
func row(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// ParseResign reads "movecount=3,score=600,twosided=true"; words left out have these
// values, so that the empty text is the default rule.
func ParseResign(text string) (ResignRule, error) {
	r := ResignRule{MoveCount: 3, Score: 600, TwoSided: true}
	err := parseWords(text, map[string]func(string) error{
		"movecount": intWord(&r.MoveCount, 1, 1000),
		"score":     intWord(&r.Score, 1, int(results.MaxScore)),
		"twosided": func(v string) (err error) {
			r.TwoSided, err = strconv.ParseBool(v)
			return err
		},
	})
	if err != nil {
		return ResignRule{}, fmt.Errorf("resign: %w", err)
	}
	return r, nil
}

// ParseDraw reads "movenumber=,movecount=,score="; all three must be there.
func ParseDraw(text string) (DrawRule, error) {
	r := DrawRule{MoveNumber: -1, MoveCount: -1, Score: -1}
	err := parseWords(text, map[string]func(string) error{
		"movenumber": intWord(&r.MoveNumber, 0, 1000),
		"movecount":  intWord(&r.MoveCount, 1, 1000),
		"score":      intWord(&r.Score, 0, int(results.MaxScore)),
	})
	if err != nil {
		return DrawRule{}, fmt.Errorf("draw: %w", err)
	}
	if r.MoveNumber < 0 || r.MoveCount < 0 || r.Score < 0 {
		return DrawRule{}, fmt.Errorf("draw: %q, want all of movenumber=,movecount=,score=", text)
	}
	return r, nil
}

func parseWords(text string, set map[string]func(string) error) error {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		key, value, ok := strings.Cut(word, "=")
		f := set[key]
		if !ok || f == nil {
			names := make([]string, 0, len(set))
			for k := range set {
				names = append(names, k+"=")
			}
			return fmt.Errorf("%q, want words of %s", word, strings.Join(sorted(names), " "))
		}
		if err := f(value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func intWord(p *int, low, high int) func(string) error {
	return func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > high {
			return fmt.Errorf("%q, want a number from %d to %d", v, low, high)
		}
		*p = n
		return nil
	}
}

// Adjudicate returns the result that the resign and draw rules of c would have given a
// stored game by the scores stored with it, and after how many plies; Unfinished if the
// game would have been played as it was. A game that cannot be replayed is an error.
func (c *Conduct) Adjudicate(g *results.Game) (results.Result, int, error) {
	p, err := movegen.ParseFEN(g.Opening)
	if err != nil {
		return results.Unfinished, 0, fmt.Errorf("game %s: %w", g.GameKey, err)
	}
	a := newAdjudicator(c)
	a.reach(p)
	for i, ply := range g.Plies {
		if !p.IsLegal(ply.Move) {
			return results.Unfinished, 0, fmt.Errorf("game %s: ply %d: %s is not legal", g.GameKey, i+1, ply.Move)
		}
		var u movegen.Undo
		mover := p.Side()
		p.Make(ply.Move, &u)
		a.reach(p)
		if i < g.Book || i == len(g.Plies)-1 { // the last move's position was judged by the rules
			continue
		}
		if r, _ := a.after(mover, ply.Score.For(mover)); r != results.Unfinished {
			return r, i + 1, nil
		}
	}
	return results.Unfinished, 0, nil
}
