package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// order returns the engines from the best to the last.
func (s *Summary) order() []int {
	order := make([]int, len(s.Engines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := s.Engines[a], s.Engines[b]
		return cmp.Or(cmp.Compare(y.Elo, x.Elo), cmp.Compare(y.Score, x.Score))
	})
	return order
}

// ranking is the table of engines by strength.
func (s *Summary) ranking() *table {
	t := &table{head: []string{"engine", "Elo", "± 95 %", "games", "score %", "drawn %"}}
	for rank, i := range s.order() {
		e := s.Engines[i]
		bar := plain(e.EloError)
		if e.Anchor {
			bar = "anchor"
		}
		t.add(fmt.Sprintf("%d %s", rank+1, e.Name), signed(e.Elo), bar, strconv.Itoa(e.Games), percent(e.Score), percent(mean(float64(e.Draws), e.Games)))
	}
	return t
}

// superiority is the table of how likely the engine of the line is stronger than that of the column.
func (s *Summary) superiority() *table {
	return s.square("LOS %", func(i, j int) string { return percent(s.LOS[i][j]) })
}

// crosstable is everyone's points against everyone.
func (s *Summary) crosstable() *table {
	return s.square("points of games", func(i, j int) string {
		w := s.Cross[i][j].WDL
		if w.Games() == 0 {
			return "·"
		}
		return fmt.Sprintf("%v/%d", float64(w.W)+float64(w.D)/2, w.Games())
	})
}

// square is a table of all engines against all, in the order of the ranking.
func (s *Summary) square(head string, cell func(i, j int) string) *table {
	order := s.order()
	t := &table{head: []string{head}}
	for rank := range order {
		t.head = append(t.head, strconv.Itoa(rank+1))
	}
	for rank, i := range order {
		row := []string{fmt.Sprintf("%d %s", rank+1, s.Engines[i].Name)}
		for _, j := range order {
			if i == j {
				row = append(row, "—")
			} else {
				row = append(row, cell(i, j))
			}
		}
		t.add(row...)
	}
	return t
}

// groupsText says which engines have no opponents in common, "" where all are connected.
func (s *Summary) groupsText() string {
	if len(s.Groups) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("No whole pairs connect these groups; unless both hold an anchor, their ratings cannot be compared:\n")
	for _, g := range s.Groups {
		names := make([]string, len(g))
		for k, i := range g {
			names[k] = printable(s.Engines[i].Name)
		}
		b.WriteString("  " + strings.Join(names, ", ") + "\n")
	}
	return b.String()
}
