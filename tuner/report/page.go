package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/xqlab/xqlab/tuner"
)

// Page is what a report is made of.
type Page struct {
	Title  string
	Facts  []string // lines that say which run this is
	Result *tuner.Result
	Info   tuner.Info
	Own    bool // the built-in evaluation, whose piece-square boards can be drawn
}

// How many rows of a table the text shows.
const (
	changesShown  = 15
	frozenShown   = 15
	materialShown = 10
)

// figure is a number with its name and what it means.
type figure struct{ name, value, note string }

// figures returns the figures that head both forms.
func (p *Page) figures() []figure {
	r, i := p.Result, &p.Info
	open, frozen := 0, 0
	for j := range r.Weights {
		switch w := &r.Weights[j]; {
		case w.Frozen:
			frozen++
		case !w.Decided():
			open++
		}
	}
	out := []figure{
		{"positions", fmt.Sprintf("%d of %d games from %d openings", i.Positions(), i.Games(), i.Pairs()),
			fmt.Sprintf("train %d, validation %d, test %d", i.Sets[tuner.Train].Positions, i.Sets[tuner.Validation].Positions, i.Sets[tuner.Test].Positions)},
		{"loss", string(r.Options.Loss), p.model()},
		{"training loss", change(r.Start.Train, r.End.Train), ""},
		{"validation loss", change(r.Start.Validation, r.End.Validation), fmt.Sprintf("rounded to whole centipawns %.6f", r.End.Rounded)},
		{"test loss", change(r.Start.Test, r.End.Test), p.gain()},
		{"scale", fmt.Sprintf("%.3f × the old", r.Drift), p.drift()},
		{"prior", fmt.Sprintf("± %g cp around the start", r.Prior) + p.start(), fmt.Sprintf("the data decide as much as %.0f of %d weights", r.Determined, len(r.Weights))},
		{"left to the prior", fmt.Sprintf("%d weights", open), fmt.Sprintf("of %d features no training position is known; %d weights are frozen", len(r.Unseen), frozen)},
	}
	if r.Condition > 0 {
		out = append(out, figure{"condition number", fmt.Sprintf("%.2g", r.Condition), "of the normal equations, prior included"})
	}
	return out
}

// start says that no weight was moved, if so.
func (p *Page) start() string {
	if !p.Own || slices.ContainsFunc(p.changes(), func(w *tuner.Weight) bool { return math.Round(w.Value) != w.Start }) {
		return ""
	}
	return ": no weight is moved by a whole centipawn, so these are the weights of the start; more games would say more"
}

func (p *Page) model() string {
	r := p.Result
	text := fmt.Sprintf("k = %.5f per centipawn", r.K)
	if r.Margin > 0 {
		text += fmt.Sprintf(", draw margin %.0f cp", r.Margin)
	}
	if r.Options.Result < 1 {
		text += fmt.Sprintf(", target %.0f %% result and %.0f %% score where a move has one", 100*r.Options.Result, 100*(1-r.Options.Result))
	}
	return text
}

func change(from, to float64) string { return fmt.Sprintf("%.6f → %.6f", from, to) }

// gain says whether the test set confirms the fit.
func (p *Page) gain() string {
	g := p.Result.Gain
	text := fmt.Sprintf("better by %.6f ± %.6f", g.Mean, g.Error)
	switch {
	case g.Mean < -2*g.Error:
		return text + ": the new weights predict worse"
	case g.Mean < 2*g.Error:
		return text + ": no more than chance"
	}
	return text
}

// Bounds of the drift within which search margins still mean the same.
const driftLow, driftHigh = 0.95, 1.05

func (p *Page) drift() string {
	if d := p.Result.Drift; d < driftLow || d > driftHigh {
		return "WARNING: scores have another size now, so that margins in the search mean something else"
	}
	return "scores have kept their size"
}

// changes returns the weights that have moved, the surest first.
func (p *Page) changes() []*tuner.Weight {
	var list []*tuner.Weight
	for i := range p.Result.Weights {
		if w := &p.Result.Weights[i]; w.Value != w.Start {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b *tuner.Weight) int { return cmp.Compare(math.Abs(z(b)), math.Abs(z(a))) })
	return list
}

// z returns a change in standard errors, 0 where the error is unknown.
func z(w *tuner.Weight) float64 {
	if w.Error <= 0 {
		return 0
	}
	return (w.Value - w.Start) / w.Error
}

var phases = [2]string{"mg", "eg"}

// cells returns a weight's row of a table.
func cells(w *tuner.Weight) []string {
	se := "?"
	if w.Error >= 0 {
		se = fmt.Sprintf("%.1f", w.Error)
	}
	mark := ""
	switch {
	case w.Frozen:
		mark = "frozen"
	case w.Count == 0:
		mark = "no data"
	case !w.Decided():
		mark = "prior"
	}
	return []string{w.Name, phases[w.Phase], fmt.Sprintf("%.0f", w.Start), fmt.Sprintf("%.1f", w.Value), fmt.Sprintf("%+.1f", w.Value-w.Start), se,
		fmt.Sprintf("%+.1f", z(w)), fmt.Sprint(w.Count), fmt.Sprintf("%.0f %%", 100*w.Prior), mark}
}

var columns = []string{"weight", "phase", "start", "value", "change", "error", "change/error", "positions", "prior", ""}

// WriteText writes the report as plain text.
func (p *Page) WriteText(out io.Writer) error {
	fmt.Fprintln(out, p.Title)
	for _, f := range p.Facts {
		fmt.Fprintln(out, "  "+f)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range p.figures() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.name, f.value, f.note)
	}
	w.Flush()
	list := p.changes()
	fmt.Fprintf(out, "\nThe surest of %d changes (value in centipawns, error by game, share of the prior):\n", len(list))
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(columns, "\t"))
	for _, x := range list[:min(len(list), changesShown)] {
		fmt.Fprintln(w, strings.Join(cells(x), "\t"))
	}
	w.Flush()
	p.frozen(out)
	fmt.Fprintln(out, "\nPredicted and actual points of the first player (test set):")
	p.bins(out, p.Result.Predicted)
	fmt.Fprintln(out, "\nBy phase, from 0 (endgame) to 16 (middlegame), points of the side with the better score:")
	p.bins(out, p.Result.Phase)
	if m := p.Result.Material; len(m) > 0 {
		fmt.Fprintln(out, "\nBy what one side has more, points of that side; the surest faults first:")
		p.bins(out, m[:min(len(m), materialShown)])
	}
	return nil
}

// frozenCaption says what the tables of frozen weights hold.
const frozenCaption = "How strongly the training games want to move what is frozen (score test): χ² is about its degrees of freedom where nothing is to be gained, z the standard normal deviate that is as improbable; gain is the loss that freeing is expected to save on games not fitted to."

// frozen writes the score tests.
func (p *Page) frozen(out io.Writer) {
	groups := p.Result.Frozen
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", frozenCaption)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(groupColumns, "\t"))
	for i := range groups[:min(len(groups), frozenShown)] {
		fmt.Fprintln(w, strings.Join(groupCells(&groups[i]), "\t"))
	}
	fmt.Fprintln(w, "\n"+strings.Join(frozenColumns, "\t"))
	list := p.frozenWeights()
	for i := range list[:min(len(list), frozenShown)] {
		fmt.Fprintln(w, strings.Join(frozenCells(&list[i]), "\t"))
	}
	w.Flush()
}

var (
	groupColumns  = []string{"frozen group", "", "gain ×10⁻⁶", "χ²", "df", "z"}
	frozenColumns = []string{"frozen weight", "phase", "gain ×10⁻⁶", "step in cp", "positions", "z"}
)

// millionths writes a gain in millionths of the loss.
func millionths(gain float64) string { return threeDigits(1e6 * gain) }

// threeDigits writes a number with its sign and three digits or more, however small it is.
func threeDigits(x float64) string {
	decimals := 0
	if size := math.Abs(x); size > 0 {
		decimals = min(max(2-int(math.Floor(math.Log10(size))), 0), 9)
	}
	return fmt.Sprintf("%+.*f", decimals, x)
}

func groupCells(g *tuner.GroupTest) []string {
	return []string{g.Name, "", millionths(g.Gain), fmt.Sprintf("%.1f", g.Chi2), fmt.Sprint(g.Freedom), fmt.Sprintf("%+.1f", g.Z)}
}

func frozenCells(w *tuner.WeightTest) []string {
	return []string{w.Name, phases[w.Phase], millionths(w.Gain), threeDigits(w.Step), fmt.Sprint(w.Count), fmt.Sprintf("%+.1f", w.Z)}
}

// frozenWeights returns the tests of single frozen weights, the surest first.
func (p *Page) frozenWeights() []tuner.WeightTest {
	var list []tuner.WeightTest
	for i := range p.Result.Frozen {
		list = append(list, p.Result.Frozen[i].Weights...)
	}
	slices.SortStableFunc(list, func(a, b tuner.WeightTest) int { return cmp.Compare(math.Abs(b.Z), math.Abs(a.Z)) })
	return list
}

// bins writes a table of bins that are not empty.
func (p *Page) bins(out io.Writer, list []tuner.Bin) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tpredicted\tactual\tactual − predicted\tpositions\tgames")
	for i := range list {
		if b := &list[i]; b.Positions > 0 {
			fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%+.1f ± %.1f %%\t%d\t%d\n", b.Name, 100*b.Predicted, 100*b.Actual, 100*b.Residual(), 100*b.Error, b.Positions, b.Games)
		}
	}
	w.Flush()
}
