package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestPathsPage is one page with a picture of each path, whatever their length.
func TestPathsPage(t *testing.T) {
	p := Paths{Title: "<a & b>", Unit: "games"}
	for n, name := range []string{"NullEval", "Begun", "Long <x>"} {
		x := Path{Name: name, Min: 0, Max: 100}
		for i := range []int{50, 1, 5000}[n] {
			x.Points = append(x.Points, Point{float64(i), float64(i % 7)})
		}
		p.Paths = append(p.Paths, x)
	}
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if n := strings.Count(page, "<svg"); n != 3 || strings.Contains(page, "<?xml") || strings.Contains(page, "<a & b>") || strings.Contains(page, "Long <x>") {
		t.Errorf("%d pictures, or text that is markup", n)
	}
	for _, want := range []string{"games played<", ">value<", ">start<", ">4,000<"} {
		if !strings.Contains(page, want) {
			t.Errorf("no picture says %q", want)
		}
	}
	if !strings.Contains(page, "<td>0 to 100</td>") || len(page) > 200_000 {
		t.Errorf("%d bytes", len(page))
	}
}
