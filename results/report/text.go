package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/results/stats"
)

// Text returns the final report for a terminal: the match's figures or the ranking, then a line for
// each engine, and how games ended.
func (s *Summary) Text() string {
	var b strings.Builder
	b.WriteString(s.title() + "\n")
	if s.Elo != nil {
		b.WriteString("\n" + s.MatchText())
	}
	if len(s.Engines) > 2 {
		b.WriteString("\n" + s.ranking().text())
		b.WriteString("\n" + s.crosstable().text())
		b.WriteString("\n" + s.superiority().text())
		b.WriteString(s.groupsText())
	}
	b.WriteString("\n" + s.engines().text() + s.clocks())
	if s.Games > 0 && !s.itself() {
		b.WriteString("\n" + s.colours().text())
	}
	if len(s.Reasons) > 0 {
		b.WriteString("\n" + s.reasons().text())
	}
	return b.String()
}

// clocks says what engines leave of their clocks, which is thinking that they did without.
func (s *Summary) clocks() string {
	var parts []string
	for _, e := range s.Engines {
		if e.Clock > 0 {
			parts = append(parts, fmt.Sprintf("%s %.3g of %g s", printable(e.Name), e.ClockLeft, e.Clock))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "left on the clock at the end of a game: " + strings.Join(parts, ", ") + "\n"
}

func (s *Summary) title() string {
	names := make([]string, len(s.Engines))
	for i, e := range s.Engines {
		names[i] = printable(e.Name)
	}
	who := strings.Join(names, " against ")
	if len(names) > 2 {
		who = strconv.Itoa(len(names)) + " engines"
		if form := map[string]string{"roundrobin": "round robin", "gauntlet": "gauntlet", "ladder": "ladder"}[s.Event]; form != "" {
			who = form + " of " + who
		}
	}
	if s.Name != "" {
		who = printable(s.Name) + ": " + who
	}
	out := fmt.Sprintf("%s, %s (%s)", who, count(s.Games, "game"), count(s.Pairs, "whole pair"))
	if s.NotPlayed > 0 {
		out += fmt.Sprintf(", %d not played", s.NotPlayed)
	}
	for _, part := range [][2]string{{"rules ", s.Rules}, {"openings ", s.Openings}, {"", s.Conditions}} {
		if part[1] != "" {
			out += ", " + part[0] + printable(part[1])
		}
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Line returns how the run stands in one line: the match's Elo and its test, or the first
// three of the ranking.
func (s *Summary) Line() string {
	out := count(s.Games, "game")
	switch {
	case s.Elo != nil:
		out += fmt.Sprintf(", %s against %s %s ± %s Elo", printable(s.Engines[0].Name), printable(s.Engines[1].Name), signed(s.Elo.Elo), plain(s.Elo.EloError))
		if s.SPRT != nil {
			out += fmt.Sprintf(", LLR %.2f, %s", s.SPRT.LLR, verdict(s.SPRT.State))
		}
	case len(s.Engines) > 2:
		const most = 3
		for rank, i := range s.order()[:most] {
			out += fmt.Sprintf(", %d %s %s ± %s", rank+1, printable(s.Engines[i].Name), signed(s.Engines[i].Elo), plain(s.Engines[i].EloError))
		}
	}
	return out
}

// FewPairs is how many pairs a spread needs to mean something.
const FewPairs = 10

// MatchText returns the figures of a match of two, from the first engine's view; "" for other events.
func (s *Summary) MatchText() string {
	if s.Elo == nil {
		return ""
	}
	e, w := s.Elo, s.Engines[0]
	if w.Games == 0 {
		return "no game has ended with a result\n"
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-6s "+format+"\n", append([]any{name}, args...)...)
	}
	line("Elo", "%s ± %s (95 %%), nElo %s ± %s, LOS %s %%", signed(e.Elo), plain(e.EloError), signed(e.NElo), plain(e.NEloError), percent(e.LOS))
	line("Games", "W %d  D %d  L %d, score %s %%, drawn %s %%", w.Wins, w.Draws, w.Losses, percent(w.Score), percent(e.DrawRate))
	if s.Pairs > 0 {
		line("Pairs", "LL..WW %s, level %s %%, won by lost %s", pentaText(*s.Penta), percent(e.DrawnPairs), plain2(e.PairsRatio))
		if s.Pairs < FewPairs {
			line("", "too few pairs to say how sure that is: the errors come from the spread of %s", count(s.Pairs, "pair"))
		}
	} else {
		line("Pairs", "none is whole yet: errors are those of single games")
	}
	if t := s.SPRT; t != nil {
		line("SPRT", "%s [%v, %v] α %v β %v, LLR %s after %s: %s",
			t.Model, t.Elo0, t.Elo1, t.Alpha, t.Beta, t.Text(), count(t.Pairs, "pair"), verdict(t.State))
		line("", "median-unbiased Elo %s [%s, %s], LOS %s %%", signed(t.Estimate.Elo), signed(t.Estimate.Low), signed(t.Estimate.High), percent(t.Estimate.LOS))
	}
	return b.String()
}

func verdict(s stats.State) string {
	switch s {
	case stats.AcceptH0:
		return "H0 accepted"
	case stats.AcceptH1:
		return "H1 accepted"
	}
	return "undecided"
}

// itself reports whether the one engine of the run played both sides of every game, so
// that it neither won nor lost any.
func (s *Summary) itself() bool {
	return len(s.Engines) == 1 && s.Engines[0].Games == 0 && s.Games > 0
}

// red returns all games from Red's view.
func (s *Summary) red() (red stats.WDL) {
	for _, n := range s.Reasons {
		red = red.Add(stats.WDL{W: n.Red, D: n.Draws, L: n.Black})
	}
	return red
}

// engines is the table of what each engine did; of one that played itself, how Red fared.
func (s *Summary) engines() *table {
	t := &table{head: []string{"engine", "games", "W", "D", "L", "score %", "depth", "nodes/s", "ms/move", "time", "late", "crash", "illegal", "disagree"}}
	if s.itself() {
		copy(t.head[2:], []string{"Red won", "drawn", "Black won", "Red %"})
	}
	for _, e := range s.Engines {
		w, score := stats.WDL{W: e.Wins, D: e.Draws, L: e.Losses}, e.Score
		if s.itself() {
			w = s.red()
			score = w.Elo().Score
		}
		t.add(e.Name, strconv.Itoa(w.Games()), strconv.Itoa(w.W), strconv.Itoa(w.D), strconv.Itoa(w.L), percent(score),
			plain(e.DepthMean), grouped(e.NPSMean), plain2(e.MsPerMove), strconv.Itoa(e.TimeLosses), strconv.Itoa(e.Late),
			strconv.Itoa(e.Crashes), strconv.Itoa(e.Illegal), strconv.Itoa(e.Disagree))
	}
	return t
}

// colours is the table of results by colour.
func (s *Summary) colours() *table {
	t := &table{head: []string{"by colour", "Red W", "D", "L", "%", "Black W", "D", "L", "%"}}
	row := func(name string, red, black stats.WDL) {
		cells := []string{name}
		for _, w := range []stats.WDL{red, black} {
			cells = append(cells, strconv.Itoa(w.W), strconv.Itoa(w.D), strconv.Itoa(w.L), percent(w.Elo().Score))
		}
		t.add(cells...)
	}
	for _, e := range s.Engines {
		row(e.Name, e.Colours[0], e.Colours[1])
	}
	red := s.red()
	row("all", red, red.Swap())
	return t
}

// reasons is the table of how games ended.
func (s *Summary) reasons() *table {
	t := &table{head: []string{"ended by", "games", "Red won", "drawn", "Black won", "not played"}}
	for _, n := range s.Reasons {
		t.add(string(n.Reason), strconv.Itoa(n.total()), strconv.Itoa(n.Red), strconv.Itoa(n.Draws), strconv.Itoa(n.Black), strconv.Itoa(n.NotPlayed))
	}
	return t
}

func pentaText(p stats.Penta) string {
	return fmt.Sprintf("[%d, %d, %d, %d, %d]", p[0], p[1], p[2], p[3], p[4])
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) }
func plain(x float64) string   { return strconv.FormatFloat(x, 'f', 1, 64) }
func plain2(x float64) string  { return strconv.FormatFloat(x, 'f', 2, 64) }

// signed writes a difference with its sign, and no sign on a zero.
func signed(x float64) string {
	if math.Abs(x) < 0.05 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", x)
}

// grouped writes a count with a comma every three digits.
func grouped(x float64) string {
	s := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
