package report

import (
	"errors"
	"fmt"
	"strings"
)

// The blocks that people paste into pull requests. They are of a match of two; other events have
// a ranking, which is what Markdown writes for them.

// OpenBench returns the match in the lines of OpenBench's block. Error for other events.
func (s *Summary) OpenBench() (string, error) {
	if s.Elo == nil {
		return "", errTwo
	}
	var b strings.Builder
	e := s.Engines[0]
	fmt.Fprintf(&b, "Elo   | %.2f +- %.2f (95%%)\n", s.Elo.Elo, s.Elo.EloError)
	if s.Conditions != "" {
		fmt.Fprintf(&b, "Conf  | %s\n", printable(s.Conditions))
	}
	if t := s.SPRT; t != nil {
		fmt.Fprintf(&b, "LLR   | %s [%.2f, %.2f] %s\n", t.Text(), t.Elo0, t.Elo1, t.Model)
	}
	fmt.Fprintf(&b, "Games | N: %d W: %d L: %d D: %d\n", e.Games, e.Wins, e.Losses, e.Draws)
	fmt.Fprintf(&b, "Penta | %s\n", pentaText(*s.Penta))
	return b.String(), nil
}

// Fishtest returns the match in the lines of fishtest's block. Error for other events.
func (s *Summary) Fishtest() (string, error) {
	if s.Elo == nil {
		return "", errTwo
	}
	var b strings.Builder
	e, p := s.Engines[0], s.Penta
	if t := s.SPRT; t != nil {
		fmt.Fprintf(&b, "LLR: %.2f (%.2f,%.2f) <%.2f,%.2f> %s\n", t.LLR, t.StopLower, t.StopUpper, t.Elo0, t.Elo1, t.Model)
	} else {
		fmt.Fprintf(&b, "Elo: %.2f ± %.1f (95%%) LOS: %.1f%%\n", s.Elo.Elo, s.Elo.EloError, 100*s.Elo.LOS)
	}
	fmt.Fprintf(&b, "Total: %d W: %d L: %d D: %d\n", e.Games, e.Wins, e.Losses, e.Draws)
	fmt.Fprintf(&b, "Ptnml(0-2): %d, %d, %d, %d, %d\n", p[0], p[1], p[2], p[3], p[4])
	if s.SPRT == nil {
		fmt.Fprintf(&b, "nElo: %.2f ± %.1f (95%%) PairsRatio: %.2f\n", s.Elo.NElo, s.Elo.NEloError, s.Elo.PairsRatio)
	}
	return b.String(), nil
}

var errTwo = errors.New("this block is of a match of two engines; use text or markdown")

// Markdown returns the run as GitHub shows it: a table of the match or of the ranking, then the engines.
func (s *Summary) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", strings.NewReplacer("*", `\*`, "|", `\|`, "<", "&lt;", "_", `\_`).Replace(s.title()))
	if s.Elo != nil {
		b.WriteString(s.matchTable().markdown() + "\n")
	}
	if len(s.Engines) > 2 {
		b.WriteString(s.ranking().markdown() + "\n" + s.crosstable().markdown() + "\n" + s.superiority().markdown() + "\n")
	}
	b.WriteString(s.engines().markdown())
	return b.String()
}

func (s *Summary) matchTable() *table {
	e, w := s.Elo, s.Engines[0]
	t := &table{head: []string{w.Name + " against " + s.Engines[1].Name, ""}}
	t.add("Elo", fmt.Sprintf("%s ± %s", signed(e.Elo), plain(e.EloError)))
	t.add("nElo", fmt.Sprintf("%s ± %s", signed(e.NElo), plain(e.NEloError)))
	t.add("LOS", percent(e.LOS)+" %")
	t.add("W / D / L", fmt.Sprintf("%d / %d / %d (%s %%)", w.Wins, w.Draws, w.Losses, percent(w.Score)))
	t.add("pairs LL..WW", pentaText(*s.Penta))
	if p := s.SPRT; p != nil {
		t.add(fmt.Sprintf("SPRT %s [%v, %v]", p.Model, p.Elo0, p.Elo1), fmt.Sprintf("LLR %s, %s", p.Text(), verdict(p.State)))
		t.add("unbiased Elo", fmt.Sprintf("%s [%s, %s]", signed(p.Estimate.Elo), signed(p.Estimate.Low), signed(p.Estimate.High)))
	}
	return t
}
