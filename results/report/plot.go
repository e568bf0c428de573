package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

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

// PlotHistory draws speeds over time as an SVG: a picture for each suite and signature, a
// line for each setting and machine, so that no line joins what cannot be compared.
func PlotHistory(w io.Writer, list []*results.Bench) error {
	var first, last time.Time
	for _, b := range list {
		if first.IsZero() || b.Created.Before(first) {
			first = b.Created
		}
		if b.Created.After(last) {
			last = b.Created
		}
	}
	label, format := "day", "2006-01-02"
	if span := last.Sub(first); span < 48*time.Hour {
		label, format = "time (UTC), from "+first.UTC().Format(format), "15:04"
		if span < time.Hour {
			format = "15:04:05"
		}
	}
	return drawSpeeds(w, list, func(p *plot.Plot) {
		p.X.Label.Text, p.X.Tick.Marker = label, timeTicks{format}
	}, func(b *results.Bench) (string, float64) {
		return fmt.Sprintf("%s, %s, %s", amount(b.Threads, "thread"), amount(b.Processes, "process"), cmp.Or(b.Label, b.Host.CPU)), float64(b.Created.Unix())
	})
}

// PlotScaling draws speeds over the number of threads or processes as an SVG: a picture for
// each suite and signature, a line for each machine and build, and how it would be if each
// thread brought as much as the first.
func PlotScaling(w io.Writer, list []*results.Bench) error {
	return drawSpeeds(w, list, func(p *plot.Plot) {
		p.X.Label.Text, p.X.Tick.Marker = "threads, or processes", wholeTicks{}
	}, func(b *results.Bench) (string, float64) {
		what := "threads"
		if b.Processes > 1 {
			what = "processes"
		}
		return fmt.Sprintf("%s, %s, %s", what, cmp.Or(b.Label, b.Host.CPU), b.Version), float64(b.Threads * b.Processes)
	}, proportional)
}

// amount writes a number of things.
func amount(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		return strconv.Itoa(n) + " " + thing + "es"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// drawSpeeds draws a picture for each suite and signature, one below the other. Place says
// what line a speed belongs to and where on it; more adds to a picture what goes with a line.
func drawSpeeds(w io.Writer, list []*results.Bench, axis func(*plot.Plot), place func(*results.Bench) (string, float64), more ...func(p *plot.Plot, s *series, first bool) error) error {
	if len(list) == 0 {
		return errors.New("plot: there is nothing to draw")
	}
	groups := speedGroups(list)
	width, height := 24*vg.Centimeter, 12*vg.Centimeter
	c := vgsvg.NewWith(vgsvg.UseWH(width, height*vg.Length(len(groups))), vgsvg.EmbedFonts(false))
	tiles := draw.Tiles{Rows: len(groups), Cols: 1}
	for row, group := range groups {
		p := newPlot(speedTitle(group[0]), group[0].Unit+" a second")
		axis(p)
		all := seriesOf(group, place)
		for i, s := range all {
			if err := addSeries(p, i, s); err != nil {
				return fmt.Errorf("plot: %w", err)
			}
			for _, add := range more {
				if err := add(p, s, i == 0); err != nil {
					return fmt.Errorf("plot: %w", err)
				}
			}
		}
		p.Y.Max *= 1.1 + 0.06*float64(len(all)+len(more)) // room for the legend
		if p.X.Min == p.X.Max {
			p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
		}
		paint(p, tiles.At(draw.New(c), 0, row))
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	if _, err := w.Write(commonFonts(b.Bytes())); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

func newPlot(title, unit string) *plot.Plot {
	p := plot.New()
	sansFonts(p, 10)
	p.Title.Text = title
	p.Title.Padding = vg.Points(8)
	p.Y.Label.Text = unit
	p.Y.Min, p.Y.Tick.Marker = 0, shortTicks{}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(8), -vg.Points(4), vg.Points(3)
	p.Add(plotter.NewGrid())
	return p
}

// seriesOf puts speeds into series by name.
func seriesOf(list []*results.Bench, place func(*results.Bench) (string, float64)) (all []*series) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *results.Bench) int {
		_, x := place(a)
		_, y := place(b)
		return cmp.Compare(x, y)
	})
	for _, b := range list {
		name, x := place(b)
		i := slices.IndexFunc(all, func(s *series) bool { return s.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &series{name: name})
		}
		all[i].add(x, b)
	}
	return all
}

// proportional adds a dashed line from a series' first point through the origin's direction.
func proportional(p *plot.Plot, s *series, first bool) error {
	n := len(s.x) - 1
	if n < 1 || !(s.x[0] > 0) {
		return nil
	}
	line, err := plotter.NewLine(plotter.XYs{{X: s.x[0], Y: s.y[0]}, {X: s.x[n], Y: s.y[0] * s.x[n] / s.x[0]}})
	if err != nil {
		return err
	}
	line.Color, line.Dashes = color.Gray{Y: 140}, []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(line)
	if first {
		p.Legend.Add("if each brought as much as the first", line)
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

// shortTicks writes large numbers as 1.5 M.
type shortTicks struct{}

// Ticks implements plot.Ticker.
func (shortTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	unit, suffix := 1.0, ""
	for _, u := range []struct {
		size   float64
		suffix string
	}{{1e3, " k"}, {1e6, " M"}, {1e9, " G"}} {
		if high >= u.size {
			unit, suffix = u.size, u.suffix
		}
	}
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value/unit, 'g', 6, 64)
			if ticks[i].Value != 0 {
				ticks[i].Label += suffix
			}
		}
	}
	return ticks
}

// timeTicks are plot.TimeTicks of which each text stands once.
type timeTicks struct{ format string }

// Ticks implements plot.Ticker.
func (t timeTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.TimeTicks{Format: t.format, Time: plot.UTCUnixTime}.Ticks(low, high)
	before := ""
	for i := range ticks {
		switch ticks[i].Label {
		case "":
		case before:
			ticks[i].Label = ""
		default:
			before = ticks[i].Label
		}
	}
	return ticks
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
