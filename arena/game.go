package arena

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

func sorted(list []string) []string { slices.Sort(list); return list }

// Opening is where a game begins: a position and moves from it that no engine thinks
// about.
type Opening struct {
	FEN   string
	Moves []movegen.Move
}

// Conduct is how games are judged.
type Conduct struct {
	Rules  *referee.Rules
	Resign ResignRule
	Draw   DrawRule
	// MaxPlies are plies of the engines after which a game is drawn, 0 for no bound; in a
	// position that has occurred before, as soon as one has not.
	MaxPlies int
	// Answered is told of each answer to go, of all games in progress at once; nil for
	// nobody.
	Answered func(Answer)
}

// Answer is an engine's answer to go.
type Answer struct {
	Engine int // index in the match
	Reply
	Timed bool          // a clock or a move time decides
	Over  time.Duration // used beyond the clock or the move time, the margin not counted; negative within
}

// Side is a player of one game and what it may spend.
type Side struct {
	Player Player
	Limits Limits
}

// Play plays one game into rec, whose key, engines and times of day the caller owns. It
// returns an error only when there is no result: ctx ended (its cause), or the opening
// cannot be played. Engines' failures are results.
func (c *Conduct) Play(ctx context.Context, o Opening, sides [2]Side, rec *results.Game) error {
	start, err := movegen.ParseFEN(o.FEN)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	t := &table{
		conduct: c, rec: rec, sides: sides,
		game:   referee.NewGame(start, c.Rules),
		clocks: newClocks(sides[0].Limits, sides[1].Limits),
		scores: newAdjudicator(c),
	}
	if err := t.open(o); err != nil {
		return err
	}
	for color, s := range sides {
		if err := s.Player.NewGame(ctx); err != nil {
			return t.failed(ctx, movegen.Color(color), err)
		}
	}
	for rec.Result == results.Unfinished {
		if err := t.move(ctx); err != nil {
			return err
		}
	}
	return nil
}

// table is a game in progress.
type table struct {
	conduct *Conduct
	rec     *results.Game
	sides   [2]Side
	game    *referee.Game
	clocks  *clocks
	scores  *adjudicator
	offered bool // the last move offered a draw
}

// open plays the opening's moves.
func (t *table) open(o Opening) error {
	t.rec.Opening = t.game.Start().FEN()
	t.scores.reach(t.game.Position())
	for _, m := range o.Moves {
		if t.game.Verdict().Status != referee.Ongoing {
			break // as by a very low move limit: the verdict stands
		}
		if _, err := t.game.Play(m); err != nil {
			return fmt.Errorf("opening %s: %w", o.FEN, err)
		}
		t.scores.reach(t.game.Position())
		t.rec.Plies = append(t.rec.Plies, results.Ply{Move: m, Score: results.NoScore})
	}
	t.rec.Book = len(t.rec.Plies)
	t.judged(t.game.Verdict())
	return nil
}

// move lets the side to move move, and judges.
func (t *table) move(ctx context.Context) error {
	c := t.game.Position().Side()
	reply, err := t.sides[c].Player.Move(ctx, t.game, t.clocks.before(c))
	if err != nil {
		return t.failed(ctx, c, err)
	}
	if t.conduct.Answered != nil {
		over, timed := t.clocks.over(c, reply.Wall)
		t.conduct.Answered(Answer{[2]int{t.rec.Red, t.rec.Black}[c], reply, timed, over})
	}
	if reply.Resign {
		t.end(results.Won(c.Other()), results.Resignation, "")
		return nil
	}
	late, lost := t.clocks.after(c, reply.Wall)
	if lost {
		t.end(results.Won(c.Other()), results.TimeLoss, t.overrun(c, reply))
		if w, ok := t.sides[c].Player.(Witness); ok {
			t.rec.Evidence = w.Evidence(t.game, t.rec.Reason, t.rec.Detail, reply)
		}
		return nil
	}
	verdict, err := t.game.Play(reply.Move)
	if errors.Is(err, referee.ErrIllegal) {
		t.end(results.Won(c.Other()), results.IllegalMove, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	t.record(c, reply, late)
	t.scores.reach(t.game.Position())
	if t.judged(verdict); t.rec.Result == results.Unfinished {
		t.judgeScores(c, reply)
	}
	return nil
}

func (t *table) overrun(c movegen.Color, r Reply) string {
	what := "clock"
	if t.sides[c].Limits.MoveTime > 0 {
		what = "move time"
	}
	return fmt.Sprintf("ply %d: %s used %d ms, beyond its %s and margin of %d ms (engine CPU %d ms, machine delay %d ms)", t.game.Len()+1,
		t.sides[c].Player.Name(), r.Wall.Milliseconds(), what, t.sides[c].Limits.Margin.Milliseconds(), r.CPU.Milliseconds(), r.Delay.Milliseconds())
}

func (t *table) record(c movegen.Color, r Reply, late bool) {
	t.rec.Plies = append(t.rec.Plies, results.Ply{
		Move: r.Move, Score: r.Score.For(c), Depth: min(max(r.Depth, 0), math.MaxInt16), Nodes: r.Nodes,
		Wall: r.Wall.Round(time.Microsecond), CPU: r.CPU.Round(time.Microsecond), Delay: r.Delay.Round(time.Microsecond), Late: late,
	})
}

// resultOf translates the referee's verdicts.
var resultOf = [...]results.Result{referee.RedWins: results.RedWins, referee.BlackWins: results.BlackWins, referee.Draw: results.Drawn}

// judged takes over the referee's verdict.
func (t *table) judged(v referee.Verdict) {
	if v.Status == referee.Ongoing {
		return
	}
	t.end(resultOf[v.Status], results.Reason(v.Reason.String()), t.game.Explain().Text)
}

// judgeScores looks at agreements, scores and the length of the game.
func (t *table) judgeScores(c movegen.Color, r Reply) {
	agreed := t.offered && r.Draw
	t.offered = r.Draw
	if agreed {
		t.end(results.Drawn, results.DrawAgreed, "")
		return
	}
	if result, reason := t.scores.after(c, r.Score); result != results.Unfinished {
		t.end(result, reason, t.lastScores())
		return
	}
	if n := t.conduct.MaxPlies; n > 0 && t.game.Len()-t.rec.Book >= n && !t.scores.repeated {
		t.end(results.Drawn, results.MaxPlies, "")
	}
}

// lastScores tells the scores by which a game was adjudicated, each side's from its own view.
func (t *table) lastScores() string {
	const most = 5 // of each side; all are stored with the moves
	var texts [2][]string
	for i := max(t.rec.Book, len(t.rec.Plies)-2*most); i < len(t.rec.Plies); i++ {
		c := t.game.Start().Side() ^ movegen.Color(i&1)
		texts[c] = append(texts[c], t.rec.Plies[i].Score.For(c).String())
	}
	return fmt.Sprintf("last scores: %s %s, %s %s", movegen.Red, strings.Join(texts[0], " "), movegen.Black, strings.Join(texts[1], " "))
}

// failed ends the game for an engine's failure; other errors are the caller's.
func (t *table) failed(ctx context.Context, c movegen.Color, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var f *Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("game %d.%d, ply %d: engine %s: %w", t.rec.Pair+1, t.rec.Leg+1, t.game.Len()+1, t.sides[c].Player.Name(), err)
	}
	reason := f.Reason
	if reason == results.Hang && t.sides[c].Limits.Timed() && f.Wall > 0 {
		reason = results.TimeLoss // it was thinking, and its clock ran out
	}
	t.end(results.Won(c.Other()), reason, f.Detail)
	t.rec.Evidence = f.Evidence
	return nil
}

func (t *table) end(r results.Result, why results.Reason, detail string) {
	t.rec.Result, t.rec.Reason, t.rec.Detail = r, why, detail
	t.rec.Disagree = Disagree(t.rec, t.game.Start().Side())
}
