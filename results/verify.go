package results

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// Finding is something in a database that is not as it should be.
type Finding struct {
	Kind string  // damage: the file; game: what is stored of it; moves: one is illegal; result: the referee denies it
	Game GameKey // zero for the file
	Text string  // one line
}

// Verify checks the whole database: SQLite's own integrity, the plies of every game
// against its row and checksum, and every game move by move under the referee with its
// run's rules. It yields what is wrong, and after each game, if progress is not nil,
// calls it with the number of games checked.
func (s *Store) Verify(ctx context.Context, progress func(games int)) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		damage, err := s.damage(ctx)
		for _, text := range damage {
			if !yield(Finding{Kind: "damage", Text: text}, nil) {
				return
			}
		}
		if err != nil {
			if err = s.fail("integrity check", err); errors.Is(err, ErrDamaged) {
				err = fmt.Errorf("%s: %w too much to be checked further; go back to a backup", s.path, ErrDamaged)
			}
			yield(Finding{}, err)
			return
		}
		rules, err := s.rulesOfRuns(ctx)
		if err != nil {
			yield(Finding{}, err)
			return
		}
		n := 0
		for r, err := range s.records(ctx, Filter{}, "SELECT "+wholeColumns+wholeRest+wholeFrom, (*record).whole, (*record).weight) {
			if err != nil {
				yield(Finding{}, err)
				return
			}
			if f, wrong := r.check(rules[r.run.uuid]); wrong && !yield(f, nil) {
				return
			}
			if n++; progress != nil {
				progress(n)
			}
		}
	}
}

// damage returns what SQLite finds.
func (s *Store) damage(ctx context.Context) ([]string, error) {
	var all []string
	for _, q := range []string{
		"SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
		`SELECT format('%s, row %s: refers to a row of %s that is not there', "table", rowid, parent) FROM pragma_foreign_key_check`,
	} {
		rows, err := s.read.QueryContext(ctx, q)
		lines, err := collect(rows, err, func(a *string) []any { return []any{a} })
		for _, l := range lines {
			all = append(all, faultsOf(l)...)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// faultsOf returns the faults of an answer of SQLite's check, which may hold many under a
// heading, a line each.
func faultsOf(answer string) (all []string) {
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "*** in database") {
			all = append(all, line)
		}
	}
	return all
}

// rulesOfRuns returns the rules that each run was played under, nil where they are
// not known.
func (s *Store) rulesOfRuns(ctx context.Context) (map[string]*referee.Rules, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	rules := map[string]*referee.Rules{}
	for _, r := range runs {
		if r.Rules == "" {
			continue
		}
		if rules[r.ID], err = r.RuleSet(); err != nil {
			return nil, s.fail("run "+r.ID, err)
		}
	}
	return rules, nil
}

// RuleSet returns the rules of the run, its move limit in them.
func (r *Run) RuleSet() (*referee.Rules, error) {
	rules, err := referee.Named(r.Rules)
	if err == nil && r.MoveLimit > 0 {
		rules.Limit = r.MoveLimit
	}
	return rules, err
}

// check compares a game with itself and with the rules.
func (r *found) check(rules *referee.Rules) (Finding, bool) {
	f := Finding{Game: GameKey{r.run.uuid, r.pair, r.leg, r.attempt}}
	g, err := r.game(r.run.uuid)
	if err != nil {
		f.Kind, f.Text = "game", err.Error()
		return f, true
	}
	again, err := newRecord(g)
	switch {
	case err != nil:
		f.Kind, f.Text = "game", fmt.Sprintf("%s: %v", f.Game, err)
	case !reflect.DeepEqual(again, &r.record):
		f.Kind, f.Text = "game", fmt.Sprintf("%s: the row does not say what the moves do", f.Game)
	default:
		f.Kind, f.Text = Judge(g, rules)
	}
	return f, f.Kind != ""
}

// Judge replays a game under rules and returns what is wrong with it, "moves" or
// "result" and one line, or nothing. Without rules only mate and stalemate are known. A
// game that ended for a reason of its own, such as time, must not have ended before by the
// rules; one whose reason is unknown may end at its last ply with the result it has.
func Judge(g *Game, rules *referee.Rules) (kind, text string) {
	wrong := func(kind, format string, args ...any) (string, string) {
		return kind, g.GameKey.String() + ": " + fmt.Sprintf(format, args...)
	}
	start, err := movegen.ParseFENLenient(g.Opening)
	if err != nil {
		return wrong("moves", "%v", err)
	}
	v, ply, err := replay(g, start, rules)
	switch {
	case v.Status != referee.Ongoing && ply < len(g.Plies):
		return wrong("result", "the rules end it at ply %d (%s, %s), %d plies are stored", ply, v.Status, v.Reason, len(g.Plies))
	case err != nil:
		return wrong("moves", "%v", err)
	case g.Result == Unfinished || g.Result == NotPlayed || rules == nil && v.Status == referee.Ongoing:
		return "", ""
	}
	end := [...]Result{referee.Ongoing: Unfinished, referee.RedWins: RedWins, referee.BlackWins: BlackWins, referee.Draw: Drawn}[v.Status]
	byRules := g.Reason.ByRules()
	switch {
	case byRules && v.Status == referee.Ongoing:
		return wrong("result", "stored as %s by %s, by the rules it is not over", g.Result, g.Reason)
	case byRules && (end != g.Result || v.Reason.String() != string(g.Reason)),
		!byRules && v.Status != referee.Ongoing && (g.Reason != Unknown || end != g.Result):
		return wrong("result", "stored as %s by %s, by the rules it is %s by %s", g.Result, g.Reason, end, v.Reason)
	}
	return "", ""
}

// replay plays a game until the rules end it and returns the verdict and the plies played.
func replay(g *Game, start *movegen.Position, rules *referee.Rules) (referee.Verdict, int, error) {
	if rules == nil {
		return replayMoves(g, start)
	}
	game := referee.NewGame(start, rules)
	for i := range g.Plies {
		if v := game.Verdict(); v.Status != referee.Ongoing {
			return v, i, nil
		}
		if _, err := game.Play(g.Plies[i].Move); err != nil {
			return referee.Verdict{}, i, err
		}
	}
	return game.Verdict(), len(g.Plies), nil
}

// replayMoves is replay for unknown rules, where only mate and stalemate end a game.
func replayMoves(g *Game, start *movegen.Position) (referee.Verdict, int, error) {
	p := *start
	var u movegen.Undo
	for i := range g.Plies {
		m := g.Plies[i].Move
		if !p.IsLegal(m) {
			return referee.Verdict{}, i, fmt.Errorf("ply %d: illegal move %s", i+1, m)
		}
		p.Make(m, &u)
	}
	n := len(g.Plies)
	if p.HasLegal() {
		return referee.Verdict{}, n, nil
	}
	v := referee.Verdict{Status: referee.WonBy(p.Side().Other()), Reason: referee.Stalemate, Ply: n}
	if p.InCheck() {
		v.Reason = referee.Checkmate
	}
	return v, n, nil
}
