package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Paths are values that change with time, as the parameters of a search.
type Paths struct {
	Title string
	Unit  string // of X
	Paths []Path
}

// Path is one value's way.
type Path struct {
	Name     string
	Min, Max float64 // its range
	Points   []Point
}

// Point is a value at a time.
type Point struct{ X, Y float64 }

var pathsPage = template.Must(template.New("paths").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>body{font-family:sans-serif;margin:2em;max-width:70em}figure{display:inline-block;margin:0 1em 1em 0}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right}td:first-child,th:first-child{text-align:left}</style>
</head><body><h1>{{.Title}}</h1>
<p>Each picture is a parameter: its value (blue) over the {{.Unit}} played, and where it began (dashed). A path that ends where it
wandered to and fro has found nothing; one that leaves its start for good has.</p>
<table><tr><th>parameter</th><th>start</th><th>end</th><th>range</th></tr>
{{range .Rows}}<tr><td>{{.Name}}</td><td>{{.Start}}</td><td>{{.End}}</td><td>{{.Range}}</td></tr>
{{end}}</table>
{{range .Pictures}}<figure>{{.}}</figure>
{{end}}</body></html>
`))

// WriteHTML writes one page that needs no other file, with a picture of each path.
func (p Paths) WriteHTML(w io.Writer) error {
	type row struct{ Name, Start, End, Range string }
	page := struct {
		Title, Unit string
		Rows        []row
		Pictures    []template.HTML
	}{Title: p.Title, Unit: p.Unit}
	for i := range p.Paths {
		x := &p.Paths[i]
		first, last := x.Points[0], x.Points[len(x.Points)-1]
		page.Rows = append(page.Rows, row{x.Name, fmt.Sprintf("%.4g", first.Y), fmt.Sprintf("%.4g", last.Y), fmt.Sprintf("%v to %v", x.Min, x.Max)})
		svg, err := x.picture(p.Unit)
		if err != nil {
			return fmt.Errorf("picture of %s: %w", x.Name, err)
		}
		page.Pictures = append(page.Pictures, template.HTML(svg))
	}
	return pathsPage.Execute(w, page)
}

// mostPoints bounds what a picture draws: more than its pixels show nothing.
const mostPoints = 1000

// picture draws a path as SVG.
func (x *Path) picture(unit string) ([]byte, error) {
	p, err := x.plot(unit)
	if err != nil {
		return nil, err
	}
	c := vgsvg.NewWith(vgsvg.UseWH(11*vg.Centimeter, 7*vg.Centimeter), vgsvg.EmbedFonts(false))
	paint(p, draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	svg := b.Bytes()
	return commonFonts(svg[max(bytes.Index(svg, []byte("<svg")), 0):]), nil // without the XML declaration, for HTML
}

// commonFonts names fonts that stand for the one that is not everywhere.
func commonFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
}

// sansFonts sets all of a plot in one font.
func sansFonts(p *plot.Plot, size vg.Length) {
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Variant, s.Font.Size = "Sans", size
	}
}

// paint draws a plot with room at its right for the end of the last label.
func paint(p *plot.Plot, c draw.Canvas) {
	const rim = 6
	p.Draw(draw.Crop(c, rim, -5*rim, rim, -rim))
}

func (x *Path) plot(unit string) (*plot.Plot, error) {
	p := plot.New()
	sansFonts(p, 9)
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = x.Name, unit+" played", "value"
	p.X.Tick.Marker = groupedTicks{}
	step := len(x.Points)/mostPoints + 1
	var line plotter.XYs
	for i, pt := range x.Points {
		if i%step == 0 || i == len(x.Points)-1 {
			line = append(line, plotter.XY{X: pt.X, Y: pt.Y})
		}
	}
	l, err := plotter.NewLine(line)
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = color.RGBA{R: 31, G: 95, B: 180, A: 255}, vg.Points(1.2)
	start, err := plotter.NewLine(plotter.XYs{{X: line[0].X, Y: line[0].Y}, {X: line[len(line)-1].X, Y: line[0].Y}})
	if err != nil {
		return nil, err
	}
	start.Color, start.Dashes = color.Gray{Y: 120}, []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(plotter.NewGrid(), start, l)
	p.Legend.Add("value", l)
	p.Legend.Add("start", start)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), -vg.Points(3)
	if p.Y.Min == p.Y.Max { // a path that has not begun
		p.Y.Min, p.Y.Max = x.Min, x.Max
	}
	p.Y.Max += 0.25 * (p.Y.Max - p.Y.Min) // room for the legend
	if p.X.Min == p.X.Max {
		p.X.Max++
	}
	return p, nil
}
