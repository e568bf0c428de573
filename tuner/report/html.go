package report

import (
	"html/template"
	"io"
)

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>
body{font:15px/1.45 Arial,Helvetica,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}
table{border-collapse:collapse;font-size:.9em}td,th{padding:.15em .7em .15em 0;text-align:left;vertical-align:top}th{border-bottom:1px solid #999}
.n td:nth-child(n+3){text-align:right}.n th:nth-child(n+3){text-align:right}
.c{color:#555;max-width:52em}svg{max-width:100%;height:auto}summary{cursor:pointer;margin-top:2em}
</style></head><body>
<h1>{{.Title}}</h1>
{{range .Facts}}<div class="c">{{.}}</div>{{end}}
<table>{{range .Figures}}<tr><td>{{.Name}}</td><td><b>{{.Value}}</b></td><td class="c">{{.Note}}</td></tr>{{end}}</table>
{{range .Pictures}}<h2>{{.Title}}</h2>{{if .Caption}}<p class="c">{{.Caption}}</p>{{end}}{{.SVG}}{{end}}
<h2>The surest changes</h2>
<p class="c">Values are centipawns. The error takes all positions of a game for one observation. Prior is the share of the value that comes from holding it to its start.</p>
<table class="n"><tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>{{range .Top}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>
{{if .Groups}}<h2>What is frozen</h2>
<p class="c">{{.FrozenCaption}}</p>
<table class="n"><tr>{{range .GroupColumns}}<th>{{.}}</th>{{end}}</tr>{{range .Groups}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>
<p></p>
<table class="n"><tr>{{range .FrozenColumns}}<th>{{.}}</th>{{end}}</tr>{{range .Frozen}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>
{{end}}<details><summary>All weights</summary>
<table class="n"><tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>{{range .All}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table></details>
</body></html>
`))

// topShown is how many changes the page shows above the list of all.
const topShown = 40

// WriteHTML writes the report as one page.
func (p *Page) WriteHTML(out io.Writer) error {
	type drawn struct {
		Title, Caption string
		SVG            template.HTML
	}
	var pictures []drawn
	for _, x := range p.Pictures() {
		svg, err := x.SVG()
		if err != nil {
			return err
		}
		pictures = append(pictures, drawn{x.Title, x.Caption, template.HTML(svg)}) // made here, of nothing but numbers and names of features
	}
	type row struct{ Name, Value, Note string }
	var figures []row
	for _, f := range p.figures() {
		figures = append(figures, row{f.name, f.value, f.note})
	}
	var top, all [][]string
	for i, w := range p.changes() {
		if i < topShown {
			top = append(top, cells(w))
		}
	}
	for i := range p.Result.Weights {
		all = append(all, cells(&p.Result.Weights[i]))
	}
	var groups, frozen [][]string
	for i := range p.Result.Frozen {
		groups = append(groups, groupCells(&p.Result.Frozen[i]))
	}
	for i, w := range p.frozenWeights() {
		if i < topShown {
			frozen = append(frozen, frozenCells(&w))
		}
	}
	return page.Execute(out, map[string]any{"Title": p.Title, "Facts": p.Facts, "Figures": figures, "Pictures": pictures, "Columns": columns, "Top": top, "All": all,
		"FrozenCaption": frozenCaption, "GroupColumns": groupColumns, "Groups": groups, "FrozenColumns": frozenColumns, "Frozen": frozen})
}
