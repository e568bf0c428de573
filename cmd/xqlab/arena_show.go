package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

// rulesOf returns a rule set with another move limit, if one is given.
func rulesOf(name string, limit int) (*referee.Rules, error) {
	r, err := referee.Named(name)
	if err == nil && limit > 0 {
		r = r.WithLimit(limit)
	}
	return r, err
}

// announce says what is about to be played.
func (s *sitting) announce() {
	m := s.m
	s.con.notef("run %s%s in %s", s.run.ID, prefixed(" ", m.Name), s.db.Path())
	for i, e := range s.cast {
		s.con.notef("  %s", s.engineLine(i, e))
	}
	total := "no end"
	if n := 2 * m.Pairs * len(s.pairings); n > 0 {
		total = fmt.Sprintf("%d games", n)
	}
	s.con.notef("  rules %s (a draw after %d plies without a capture), openings %s, seed %d, %s, %d at once%s", m.Rules, s.conduct.Rules.Limit, m.Openings, m.Seed, total, s.games, s.testText())
	if n := len(s.done); n > 0 {
		s.con.notef("  resumed: %d games are stored already", n)
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// engineLine describes an engine: limits, resources, all that makes it another than the same
// program or the built-in one as it is, protocol and hashes.
func (s *sitting) engineLine(i int, e *entrant) string {
	hash := e.record.SHA256
	if hash == "" {
		hash = e.record.NetSHA256
	}
	text := fmt.Sprintf("%d. %s (%s) %s threads=%d hash=%d%s %s", i+1, e.spec.Name, e.record.IDName, e.spec.LimitText(), e.spec.Threads, e.spec.Hash, settingsText(e.spec), e.record.Proto)
	if !e.spec.BuiltIn() {
		text += fmt.Sprintf(" ranks %d–%d", e.ranks, e.ranks+9)
	}
	return fmt.Sprintf("%s sha256 %.12s", text, hash)
}

// settingsText writes what an engine is given beside its limits and resources, as on the command line.
func settingsText(e *spec.Engine) string {
	text := prefixed(" args=", e.Args) + prefixed(" conf=", e.Conf) + prefixed(" weights=", e.Weights)
	for _, o := range e.Options {
		text += " option." + o.Name + "=" + o.Value
	}
	for _, p := range e.Params {
		text += " param." + p.Name + "=" + p.Value
	}
	return text
}

func (s *sitting) testText() string {
	if s.sprt == nil {
		return ""
	}
	t := s.sprt
	return fmt.Sprintf(", SPRT %s [%g, %g] α %g β %g", t.Model, t.Elo0, t.Elo1, t.Alpha, t.Beta)
}

// plan prints what a dry run found.
func (s *sitting) plan() error {
	if s.flags.asTOML {
		text, err := s.m.TOML()
		if err == nil {
			_, err = s.con.out.Write(text)
		}
		return err
	}
	var b strings.Builder
	for i, e := range s.cast {
		fmt.Fprintf(&b, "%s\n", s.engineLine(i, e))
	}
	fmt.Fprintf(&b, "rules %s, openings %s (%s), seed %d, %s, %s, %d at once%s\n", s.m.Rules, s.m.Openings, s.bookSize(),
		s.m.Seed, counted(len(s.pairings), "pairing"), counted(2*s.m.Pairs*len(s.pairings), "game"), s.games, s.testText())
	_, err := fmt.Fprint(s.con.out, b.String())
	return err
}

// counted writes a number of things, in the singular where there is one.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (s *sitting) bookSize() string {
	if n := s.book.Len(); n > 0 {
		return fmt.Sprintf("%d positions", n)
	}
	return "made on the fly"
}

// finish marks the run as finished, with its final figures.
func (s *sitting) finish(ctx context.Context, stopped string, sum *report.Summary) error {
	text, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	return s.db.Finish(ctx, s.run.ID, stopped, text)
}

// showFinished prints the result of a run that ended before.
func (s *sitting) showFinished(ctx context.Context, run *results.Run) error {
	s.con.notef("run %s%s is finished (%s)", run.ID, prefixed(" ", run.Name), run.StopReason)
	sum, err := summarize(ctx, s.db, run, run.StopReason, nil)
	if err != nil {
		return err
	}
	s.sum = sum
	return s.show(sum)
}

// show prints the result; where the events have standard output, on standard error.
func (s *sitting) show(sum *report.Summary) error {
	con, format := s.con, "text"
	switch {
	case s.flags.asJSON && s.queued != nil:
		return nil // the queue prints one object at its end
	case s.flags.asJSON:
		format = "json"
	case s.m.Events == "-":
		con = &console{con.in, con.err, con.err}
	}
	return showSummary(con, sum, format)
}
