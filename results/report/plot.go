package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/xqlab/xqlab/results"
)

// series is a line of a plot: medians with their intervals.
type series struct {
	name        string
	x, y        []float64
	below, more []float64
}

func (s *series) add(x float64, b *results.Bench) {
	s.x, s.y = append(s.x, x), append(s.y, b.Median)
	s.below, s.more = append(s.below, b.Median-b.Low), append(s.more, b.High-b.Median)
}

// Len, XY and YError make a series what plotter draws.
func (s *series) Len() int                         { return len(s.x) }
func (s *series) XY(i int) (x, y float64)          { return s.x[i], s.y[i] }
func (s *series) YError(i int) (low, high float64) { return s.below[i], s.more[i] }

// PlotHistory draws speeds over time as an SVG: a line for each suite, signature,
// setting and machine, so that no line joins what cannot be compared.
func PlotHistory(w io.Writer, list []*results.Bench) error {
	p := newPlot("speed by day", list)
	p.X.Tick.Marker = plot.TimeTicks{Format: "2006-01-02"}
	return drawSeries(w, p, list, func(b *results.Bench) (string, float64) {
		return fmt.Sprintf("%s, %d thread(s), %d process(es), %s", shortKey(b), b.Threads, b.Processes, cmp.Or(b.Label, b.Host.CPU)), float64(b.Created.Unix())
	})
}

// PlotScaling draws speeds over the number of threads or processes as an SVG, a line for
// each suite, signature, machine and build.
func PlotScaling(w io.Writer, list []*results.Bench) error {
	p := newPlot("speed by threads", list)
	p.X.Label.Text = "threads, or processes"
	p.X.Tick.Marker = wholeTicks{}
	return drawSeries(w, p, list, func(b *results.Bench) (string, float64) {
		what := "threads"
		if b.Processes > 1 {
			what = "processes"
		}
		return fmt.Sprintf("%s, %s, %s, %s", shortKey(b), what, cmp.Or(b.Label, b.Host.CPU), b.Version), float64(b.Threads * b.Processes)
	})
}

func shortKey(b *results.Bench) string {
	return strings.TrimSpace(b.Engine + " " + b.Suite + " " + cmp.Or(b.Tree, b.Signature))
}

func newPlot(title string, list []*results.Bench) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	units := map[string]bool{}
	for _, b := range list {
		units[b.Unit] = true
	}
	p.Y.Label.Text = "units a second"
	if len(units) == 1 {
		p.Y.Label.Text = list[0].Unit + " a second"
	}
	p.Y.Min, p.Y.Tick.Marker = 0, groupedTicks{}
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	return p
}

// drawSeries puts speeds into series by name and draws them.
func drawSeries(w io.Writer, p *plot.Plot, list []*results.Bench, place func(*results.Bench) (string, float64)) error {
	if len(list) == 0 {
		return errors.New("plot: there is nothing to draw")
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *results.Bench) int {
		_, x := place(a)
		_, y := place(b)
		return cmp.Compare(x, y)
	})
	var all []*series
	for _, b := range list {
		name, x := place(b)
		i := slices.IndexFunc(all, func(s *series) bool { return s.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &series{name: name})
		}
		all[i].add(x, b)
	}
	for i, s := range all {
		if err := addSeries(p, i, s); err != nil {
			return fmt.Errorf("plot: %w", err)
		}
	}
	p.Y.Max *= 1.15 + 0.06*float64(len(all)) // room for the legend
	c := vgsvg.New(24*vg.Centimeter, 14*vg.Centimeter)
	p.Draw(draw.New(c))
	if _, err := c.WriteTo(w); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

func addSeries(p *plot.Plot, i int, s *series) error {
	line, points, err := plotter.NewLinePoints(s)
	if err != nil {
		return err
	}
	bars, err := plotter.NewYErrorBars(s)
	if err != nil {
		return err
	}
	line.Color, points.Color, bars.Color = plotutil.Color(i), plotutil.Color(i), plotutil.Color(i)
	points.Shape = plotutil.Shape(i)
	p.Add(line, points, bars)
	p.Legend.Add(printable(s.name), line, points)
	return nil
}

// groupedTicks writes large numbers with commas.
type groupedTicks struct{}

// Ticks implements plot.Ticker.
func (groupedTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = grouped(ticks[i].Value)
		}
	}
	return ticks
}

// wholeTicks marks powers of two.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for n := 1; float64(n) <= high; n *= 2 {
		if float64(n) >= low {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
		}
	}
	return ticks
}
