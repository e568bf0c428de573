package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	t := &table{head: []string{"engine", "Elo", "±", "games", "score %", "drawn %"}}
	for rank, i := range s.order() {
		e := s.Engines[i]
		t.add(fmt.Sprintf("%d %s", rank+1, e.Name), signed(e.Elo), plain(e.EloError), strconv.Itoa(e.Games), percent(e.Score), percent(mean(float64(e.Draws), e.Games)))
	}
	return t
}

// crosstable is everyone's points against everyone, in the order of the ranking.
func (s *Summary) crosstable() *table {
	order := s.order()
	t := &table{head: []string{"points of games"}}
	for rank := range order {
		t.head = append(t.head, strconv.Itoa(rank+1))
	}
	for rank, i := range order {
		row := []string{fmt.Sprintf("%d %s", rank+1, s.Engines[i].Name)}
		for _, j := range order {
			w := s.Cross[i][j].WDL
			switch {
			case i == j:
				row = append(row, "—")
			case w.Games() == 0:
				row = append(row, "")
			default:
				row = append(row, fmt.Sprintf("%v/%d", float64(w.W)+float64(w.D)/2, w.Games()))
			}
		}
		t.add(row...)
	}
	return t
}
