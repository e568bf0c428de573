package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// Counted is what counts of a run's rows.
type Counted struct {
	Games []results.Row // with a result, by pair and leg: the highest attempt of each
	Pairs []Pair        // whole pairs, by number
}

// Pair is a pair of games whose two legs have results.
type Pair struct {
	Number        int
	First, Second int // engines; First had Red in leg 0
	Cell          int // index in stats.Penta: half-points of First in both games
	Rows          [2]results.Row
}

// Count picks the rows that count, in any order given: per pair and leg the highest attempt with a result. Games of
// an engine that is not of the run (imported ones) are counted as games only.
func Count(rows []results.Row) Counted {
	games := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return points(r.Result) < 0 })
	slices.SortStableFunc(games, func(a, b results.Row) int {
		return cmp.Or(cmp.Compare(a.Pair, b.Pair), cmp.Compare(a.Leg, b.Leg), cmp.Compare(b.Attempt, a.Attempt))
	})
	games = slices.CompactFunc(games, func(a, b results.Row) bool { return a.Pair == b.Pair && a.Leg == b.Leg })
	c := Counted{Games: games}
	for i := 1; i < len(games); i++ {
		if p, ok := pairOf(games[i-1], games[i]); ok {
			c.Pairs = append(c.Pairs, p)
		}
	}
	return c
}

// pairOf joins the two legs of one pair.
func pairOf(a, b results.Row) (Pair, bool) {
	if a.Pair != b.Pair || a.Leg != 0 || b.Leg != 1 || a.Red != b.Black || a.Black != b.Red || a.Red < 0 || a.Black < 0 || a.Red == a.Black {
		return Pair{}, false
	}
	return Pair{a.Pair, a.Red, a.Black, points(a.Result) + 2 - points(b.Result), [2]results.Row{a, b}}, true
}

// points returns Red's half-points, −1 of a game without a result.
func points(r results.Result) int {
	switch r {
	case results.RedWins:
		return 2
	case results.Drawn:
		return 1
	case results.BlackWins:
		return 0
	}
	return -1
}

// PentaOf counts the pairs of one pairing from the view of engine a.
func PentaOf(pairs []Pair, a, b int) (penta stats.Penta) {
	for _, p := range pairs {
		switch {
		case p.First == a && p.Second == b:
			penta[p.Cell]++
		case p.First == b && p.Second == a:
			penta[4-p.Cell]++
		}
	}
	return penta
}

// WDLOf counts the games of an engine, against anyone.
func WDLOf(games []results.Row, engine int) (w stats.WDL) {
	for c := range 2 {
		w = w.Add(WDLAs(games, engine, movegen.Color(c)))
	}
	return w
}

// WDLAs counts the games of an engine with one colour.
func WDLAs(games []results.Row, engine int, c movegen.Color) (w stats.WDL) {
	for _, g := range games {
		if g.Red == g.Black || (c == movegen.Red && g.Red != engine) || (c == movegen.Black && g.Black != engine) {
			continue
		}
		switch g.Result {
		case results.Won(c):
			w.W++
		case results.Drawn:
			w.D++
		default:
			w.L++
		}
	}
	return w
}

// Read gives the pairs of a match of two to its test. Pairs that will never be whole, because an engine was set aside,
// are passed over; one that is still missing, or will be played again, ends the reading, as it does in
// the running match.
func Read(q *stats.Sequential, c Counted, rows []results.Row) error {
	given := map[int]bool{}
	for _, p := range c.Pairs {
		cell := p.Cell
		if p.First != 0 {
			cell = 4 - cell
		}
		given[p.Number] = true
		if err := q.Add(p.Number, cell); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.Result == results.NotPlayed && r.Reason != results.HostVoid && r.Reason != results.Stopped && !given[r.Pair] {
			given[r.Pair] = true
			if err := q.Skip(r.Pair); err != nil {
				return err
			}
		}
	}
	return nil
}

// unplayed returns the last attempts of the pairs and legs that were given up and have no game that counts.
func unplayed(rows []results.Row, c Counted) []results.Row {
	type leg struct{ pair, leg int }
	last := map[leg]results.Row{}
	for _, r := range rows {
		k := leg{r.Pair, r.Leg}
		if old, ok := last[k]; r.Result == results.NotPlayed && (!ok || r.Attempt > old.Attempt) {
			last[k] = r
		}
	}
	for _, g := range c.Games {
		delete(last, leg{g.Pair, g.Leg})
	}
	return slices.Collect(maps.Values(last))
}
