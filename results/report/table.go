package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// table is rows of cells under a head. The first column and those of words stand to the
// left, those of numbers to the right.
type table struct {
	head  []string
	rows  [][]string
	words []string // heads of columns of words
}

func (t *table) left(column int) bool {
	return column == 0 || slices.Contains(t.words, t.head[column])
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// text aligns the columns for a terminal, where a Chinese character is two columns wide.
func (t *table) text() string {
	lines := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], uniseg.StringWidth(printable(cell)))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for i, cell := range line {
			cell = printable(cell)
			pad := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
			if i > 0 {
				b.WriteString("  ")
			}
			switch {
			case !t.left(i):
				b.WriteString(pad + cell)
			case i < len(line)-1:
				b.WriteString(cell + pad)
			default:
				b.WriteString(cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// markdown writes the table as GitHub reads it.
func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(printable(c), "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.head)
	for i := range t.head {
		b.WriteString("|---")
		if !t.left(i) {
			b.WriteByte(':')
		}
	}
	b.WriteString("|\n")
	for _, r := range t.rows {
		line(r)
	}
	return b.String()
}

// printable keeps what a name from outside holds from moving the cursor or breaking a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}
