package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is a plot as it stands in the page.
type Picture struct {
	Title   string
	Caption string
	Width   vg.Length
	Height  vg.Length
	draw    func(draw.Canvas)
}

// Paint draws the picture on any canvas of its size.
func (p *Picture) Paint(c draw.Canvas) {
	const rim = 6
	p.draw(draw.Crop(c, rim, -2*rim, rim, -rim))
}

// SVG returns the picture.
func (p *Picture) SVG() (string, error) {
	c := vgsvg.New(p.Width, p.Height)
	p.Paint(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):] // no declaration within a page
	return strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif"), nil
}

// Colours that can be told apart in print and by the colour-blind.
var (
	blue   = color.RGBA{0x1f, 0x5f, 0xa8, 0xff}
	orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	grey   = color.RGBA{0x88, 0x88, 0x88, 0xff}
	pale   = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// Pictures returns the plots of the report in their order.
func (p *Page) Pictures() []*Picture {
	list := []*Picture{p.losses(), p.calibration(), p.phase()}
	if len(p.Result.Material) > 0 {
		list = append(list, p.material())
	}
	if p.Own {
		list = append(list, p.boards()...)
	}
	return list
}

const wide, high = 17 * vg.Centimeter, 9 * vg.Centimeter

// newPlot returns an empty plot with axes that can be read.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		sans.Size = 9
		s.Font = font.From(sans, 9)
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Padding, p.Y.Padding = 0, 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(6), -vg.Points(3), vg.Points(2)
	return p
}

// label returns labels at points.
func label(points plotter.XYs, texts []string, x, y text.XAlignment, size vg.Length, c color.Color) *plotter.Labels {
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: points, Labels: texts})
	if err != nil {
		panic("report: " + err.Error()) // as many texts as points
	}
	for i := range l.TextStyle {
		l.TextStyle[i] = text.Style{Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
			XAlign: x, YAlign: text.YAlignment(y), Handler: plot.DefaultTextHandler}
	}
	return l
}

// line returns a line through points that are numbers.
func line(points plotter.XYs, c color.Color, dashed bool) *plotter.Line {
	l := &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(1.4)}}
	if dashed {
		l.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		l.Width = vg.Points(0.8)
	}
	return l
}

// losses draws both losses by step, in per cent of what they were at the start, with the
// priors that were tried.
func (p *Page) losses() *Picture {
	steps := p.Result.Steps
	pl := newPlot("step", "loss, change from the start")
	var train, validation, ends plotter.XYs
	var names []string
	low, top := 0.0, 0.0
	for i, s := range steps {
		t, v := s.Train/steps[0].Train-1, s.Validation/steps[0].Validation-1
		low, top = min(low, t, v), max(top, t, v)
		train, validation = append(train, plotter.XY{X: float64(i), Y: t}), append(validation, plotter.XY{X: float64(i), Y: v})
		if i > 0 && (i+1 == len(steps) || steps[i+1].Prior != s.Prior) {
			ends, names = append(ends, validation[i]), append(names, fmt.Sprintf("±%g", s.Prior))
		}
	}
	t, v := line(train, blue, false), line(validation, orange, false)
	pl.Add(plotter.NewGrid(), t, v)
	pl.Legend.Add("training", t)
	pl.Legend.Add("validation; ± is how far a weight may go, in centipawns", v)
	marks := &plotter.Scatter{XYs: ends, GlyphStyle: draw.GlyphStyle{Color: orange, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}}
	l := label(ends, names, text.XCenter, text.XAlignment(text.YBottom), 8, orange)
	l.Offset = vg.Point{Y: vg.Points(4)}
	pl.Add(marks, l)
	room := max(top-low, 1e-4)
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = 0, float64(max(len(steps)-1, 1))+0.5, low-0.05*room, top+0.35*room
	pl.X.Tick.Marker, pl.Y.Tick.Marker = whole{}, fine{}
	return &Picture{"Losses", fmt.Sprintf("Each dot ends the fit under one prior: how far, in centipawns, a weight may go from its start. ±%g was taken: there the validation loss, that of games which nothing is fitted to, is lowest. Where it rises, more freedom would fit the training games alone.", p.Result.Prior),
		wide, high, pl.Draw}
}

// fine puts ticks on shares of any size, 0 among them.
type fine struct{}

// Ticks implements plot.Ticker.
func (fine) Ticks(low, high float64) (out []plot.Tick) {
	const about = 6 // ticks
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / about))))
	for _, n := range []float64{5, 2} {
		if (high-low)/(n*step) >= about-1 {
			step *= n
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(100*step)+1e-9)))
	for i := math.Ceil(low/step-1e-9) + 0; i*step <= high; i++ {
		sign := "+"
		if i == 0 {
			sign = ""
		}
		out = append(out, plot.Tick{Value: i * step, Label: fmt.Sprintf("%"+sign+".*f %%", decimals, 100*i*step)})
	}
	return out
}

// whole puts ticks on whole numbers.
type whole struct{}

// Ticks implements plot.Ticker.
func (whole) Ticks(low, high float64) (out []plot.Tick) {
	step := max(1, math.Ceil((high-low)/12))
	for x := math.Ceil(low) + 0; x <= high; x += step { // + 0 makes −0 a plain one
		out = append(out, plot.Tick{Value: x, Label: fmt.Sprintf("%.0f", x)})
	}
	return out
}

// percent puts ticks on shares.
type percent struct{ step float64 }

// Ticks implements plot.Ticker.
func (p percent) Ticks(low, high float64) (out []plot.Tick) {
	for i := math.Ceil(low/p.step-1e-9) + 0; i*p.step <= high+1e-9; i++ {
		out = append(out, plot.Tick{Value: i * p.step, Label: fmt.Sprintf("%.0f %%", 100*i*p.step)})
	}
	return out
}

// errored is a list of points with errors of two standard errors to each side.
type errored struct {
	plotter.XYs
	plotter.YErrors
}

// dots returns points with error bars.
func dots(points plotter.XYs, se []float64) []plot.Plotter {
	e := errored{XYs: points}
	for _, s := range se {
		e.YErrors = append(e.YErrors, struct{ Low, High float64 }{2 * s, 2 * s})
	}
	bars, err := plotter.NewYErrorBars(e)
	if err != nil {
		panic("report: " + err.Error()) // the numbers are finite
	}
	bars.LineStyle = draw.LineStyle{Color: blue, Width: vg.Points(1)}
	return []plot.Plotter{bars, &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: blue, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}}}
}

// calibration draws predicted against actual points.
func (p *Page) calibration() *Picture {
	pl := newPlot("predicted points of the first player", "actual points")
	var points plotter.XYs
	var se []float64
	for _, b := range p.Result.Predicted {
		if b.Games > 1 {
			points, se = append(points, plotter.XY{X: b.Predicted, Y: b.Actual}), append(se, b.Error)
		}
	}
	ideal := line(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, grey, true)
	pl.Add(plotter.NewGrid(), ideal)
	marks := dots(points, se)
	pl.Add(marks...)
	pl.Legend.Add("right predictions", ideal)
	pl.Legend.Add("test positions, ± 2 standard errors", marks[1].(plot.Thumbnailer))
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = 0, 1, 0, 1
	pl.X.Tick.Marker, pl.Y.Tick.Marker = percent{0.2}, percent{0.1}
	return &Picture{"Calibration", "Positions of the test set, in groups by what the rounded weights predict; bars are two standard errors, by game. On the dashed line predictions come true. Above it the first player does better than predicted, below worse.",
		12 * vg.Centimeter, 11 * vg.Centimeter, pl.Draw}
}

// phase draws residuals by phase.
func (p *Page) phase() *Picture {
	pl := newPlot("phase: 0 endgame … 16 all rooks, horses and cannons", "actual − predicted points")
	if !p.Own {
		pl.X.Label.Text = "phase, in sixteenths: 0 endgame … 16 middlegame"
	}
	var points plotter.XYs
	var se []float64
	for i, b := range p.Result.Phase {
		if b.Games > 1 {
			points, se = append(points, plotter.XY{X: float64(i), Y: b.Residual()}), append(se, b.Error)
		}
	}
	pl.Add(plotter.NewGrid(), line(plotter.XYs{{X: -0.5, Y: 0}, {X: 16.5, Y: 0}}, grey, true))
	pl.Add(dots(points, se)...)
	pl.X.Min, pl.X.Max = -0.5, 16.5
	reach := reach(points, se)
	pl.Y.Min, pl.Y.Max = -reach, reach
	pl.X.Tick.Marker, pl.Y.Tick.Marker = whole{}, percent{niceStep(reach)}
	return &Picture{"Where the evaluation is wrong: by phase", "Points that the side with the better score made, less what was predicted for it; bars are two standard errors, by game. Above the line the evaluation is too modest in this phase, below it too sure.",
		wide, 8 * vg.Centimeter, pl.Draw}
}

// reach returns how far residuals and their bars go from 0, at most 1.
func reach(points plotter.XYs, se []float64) float64 {
	r := 0.02
	for i := range points {
		// A bar of a group with next to no games must not hide the others.
		r = max(r, math.Abs(points[i].Y)+min(2*se[i], 0.1))
	}
	return min(1.1*r, 1)
}

// niceStep returns a step of about four ticks to each side.
func niceStep(reach float64) float64 {
	for _, s := range []float64{0.01, 0.02, 0.05, 0.1, 0.2} {
		if reach/s <= 5 {
			return s
		}
	}
	return 0.25
}

// pictureKinds is how many kinds of material the plot shows.
const pictureKinds = 16

type xErrored struct {
	plotter.XYs
	plotter.XErrors
}

// material draws the surest faults by material.
func (p *Page) material() *Picture {
	list := slices.Clone(p.Result.Material[:min(len(p.Result.Material), pictureKinds)])
	slices.Reverse(list) // the first on top
	pl := newPlot("actual − predicted points of the side that has more", "")
	e := xErrored{}
	var se []float64
	var names []string
	for i, b := range list {
		e.XYs = append(e.XYs, plotter.XY{X: b.Residual(), Y: float64(i)})
		e.XErrors = append(e.XErrors, struct{ Low, High float64 }{2 * b.Error, 2 * b.Error})
		se = append(se, b.Error)
		names = append(names, fmt.Sprintf("%s  (%d games)", b.Name, b.Games))
	}
	bars, err := plotter.NewXErrorBars(e)
	if err != nil {
		panic("report: " + err.Error()) // the numbers are finite
	}
	bars.LineStyle = draw.LineStyle{Color: blue, Width: vg.Points(1)}
	n := float64(len(list))
	pl.Add(plotter.NewGrid(), line(plotter.XYs{{X: 0, Y: -0.6}, {X: 0, Y: n - 0.4}}, grey, true), bars,
		&plotter.Scatter{XYs: e.XYs, GlyphStyle: draw.GlyphStyle{Color: blue, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}})
	r := reach(flip(e.XYs), se)
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = -r, r, -0.6, n-0.4
	pl.X.Tick.Marker = percent{niceStep(r)}
	pl.NominalY(names...)
	return &Picture{"Where the evaluation is wrong: by material", "Groups of positions by what one side has more than the other, those with the surest faults; bars are two standard errors, by game, and go on where they reach the edge. Right of the line the side with more does better than predicted, left worse.",
		wide, vg.Length(len(list))*vg.Points(18) + 2*vg.Centimeter, pl.Draw}
}

func flip(points plotter.XYs) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for i, p := range points {
		out[i] = plotter.XY{X: p.Y, Y: p.X}
	}
	return out
}

// A piece-square board has files a to e, tied to i to e.
const boardFiles, boardRanks, boardCells = 5, 10, 50

// boards draws what has changed of each piece's squares, middlegame and endgame side by
// side.
func (p *Page) boards() []*Picture {
	first := map[string]int{}
	var pieces []string
	for i, n := range p.Info.Features {
		if rest, ok := strings.CutPrefix(n, "psqt."); ok {
			piece, _, _ := strings.Cut(rest, "[")
			if _, known := first[piece]; !known {
				first[piece] = i
				pieces = append(pieces, piece)
			}
		}
	}
	var list []*Picture
	for _, piece := range pieces {
		at := first[piece]
		list = append(list, &Picture{"Squares of the " + piece + ": change in centipawns", "", wide, 9.6 * vg.Centimeter, func(c draw.Canvas) {
			tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(20)}
			for phase, name := range []string{"middlegame", "endgame"} {
				p.board(at, phase, name).Draw(tiles.At(c, phase, 0))
			}
		}})
	}
	if len(list) > 0 {
		list[0].Caption = "Change of the value of each square, seen from the piece's owner, who sits below: blue is worth more than before, red less. A grey number is one of which the games say next to nothing, a dot a square that kept its value, an empty square one where the piece never stood in a training position."
	}
	return list
}

// board returns a plot of one board.
func (p *Page) board(at, phase int, name string) *plot.Plot {
	pl := newPlot(name, "")
	squares := &squares{}
	var sure, unsure, dots plotter.XYs
	var sureTexts, unsureTexts []string
	for r := range boardRanks {
		for f := range 9 {
			w := &p.Result.Weights[2*(at+r*boardFiles+min(f, 8-f))+phase]
			here, d := plotter.XY{X: float64(f), Y: float64(r)}, w.Value-w.Start
			number := fmt.Sprintf("%+.0f", d)
			switch {
			case w.Count == 0:
			case math.Abs(d) < 0.5:
				dots = append(dots, here)
			case !w.Decided():
				unsure, unsureTexts = append(unsure, here), append(unsureTexts, number)
			default:
				squares.list = append(squares.list, square{here, d})
				squares.most = max(squares.most, math.Abs(d))
				sure, sureTexts = append(sure, here), append(sureTexts, number)
			}
		}
	}
	pl.Add(frame{}, squares)
	pl.Add(label(sure, sureTexts, text.XCenter, text.XAlignment(text.YCenter), 8, color.Black))
	pl.Add(label(unsure, unsureTexts, text.XCenter, text.XAlignment(text.YCenter), 8, grey))
	pl.Add(&plotter.Scatter{XYs: dots, GlyphStyle: draw.GlyphStyle{Color: grey, Radius: vg.Points(1), Shape: draw.CircleGlyph{}}})
	pl.X.Min, pl.X.Max, pl.Y.Min, pl.Y.Max = -0.5, 8.5, -0.5, 9.5
	pl.X.Tick.Marker, pl.Y.Tick.Marker = letters{}, whole{}
	pl.X.Tick.Length, pl.Y.Tick.Length = 0, 0
	return pl
}

// letters puts the names of files.
type letters struct{}

// Ticks implements plot.Ticker.
func (letters) Ticks(float64, float64) (out []plot.Tick) {
	for f := range 9 {
		out = append(out, plot.Tick{Value: float64(f), Label: string(rune('a' + f))})
	}
	return out
}

type square struct {
	plotter.XY
	change float64
}

// squares paints squares by their change.
type squares struct {
	list []square
	most float64
}

// Plot implements plot.Plotter.
func (s *squares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, q := range s.list {
		c.FillPolygon(shade(q.change, max(s.most, 10)), []vg.Point{
			{X: x(q.X - 0.48), Y: y(q.Y - 0.48)}, {X: x(q.X + 0.48), Y: y(q.Y - 0.48)}, {X: x(q.X + 0.48), Y: y(q.Y + 0.48)}, {X: x(q.X - 0.48), Y: y(q.Y + 0.48)}})
	}
}

// shade returns white for no change, blue for more, red for less.
func shade(d, most float64) color.Color {
	t := min(math.Abs(d)/most, 1)
	to := [3]float64{0x4a, 0x90, 0xd9}
	if d < 0 {
		to = [3]float64{0xe0, 0x60, 0x50}
	}
	mix := func(i int) uint8 { return uint8(255 + t*(to[i]-255)) }
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}

// frame draws the river and the palaces.
type frame struct{}

// Plot implements plot.Plotter.
func (frame) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	thin := draw.LineStyle{Color: pale, Width: vg.Points(0.6)}
	for i := range 10 {
		c.StrokeLine2(thin, x(float64(i)-0.5), y(-0.5), x(float64(i)-0.5), y(9.5))
		c.StrokeLine2(thin, x(-0.5), y(float64(i)-0.5), x(8.5), y(float64(i)-0.5))
	}
	thick := draw.LineStyle{Color: grey, Width: vg.Points(1)}
	c.StrokeLine2(thick, x(-0.5), y(4.5), x(8.5), y(4.5))
	for _, low := range []float64{-0.5, 6.5} {
		c.StrokeLines(thick, []vg.Point{{X: x(2.5), Y: y(low)}, {X: x(5.5), Y: y(low)}, {X: x(5.5), Y: y(low + 3)}, {X: x(2.5), Y: y(low + 3)}, {X: x(2.5), Y: y(low)}})
	}
}
