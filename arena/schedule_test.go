package arena

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/results"
)

// TestReplaysKeepPairsWhole lets games be late and void at random, in any order of ending,
// with restarts from what is stored: no game is planned twice, and in the end both legs of
// each pair have the same attempt where late pairs are replayed, which counts exactly then.
func TestReplaysKeepPairsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Match{Pairings: []Pairing{{0, 1}}, Pairs: rapid.IntRange(1, 4).Draw(t, "pairs"), ReplayLate: rapid.Bool().Draw(t, "replay")}
		plan := newSchedule(m)
		var running []task
		stored := map[results.GameKey]bool{}
		voids := 0
		for {
			if next, ok := plan.take(); ok {
				running = append(running, next)
				if len(running) < 3 {
					continue
				}
			}
			if len(running) == 0 {
				break
			}
			i := rapid.IntRange(0, len(running)-1).Draw(t, "which ends")
			g := running[i]
			running = append(running[:i], running[i+1:]...)
			if stored[g.key] {
				t.Fatalf("%v was played twice", g.key)
			}
			stored[g.key] = true
			row := results.Row{GameKey: g.key, Result: results.Drawn, Reason: results.Repetition}
			switch rapid.IntRange(0, 5).Draw(t, "end") {
			case 0:
				row.Sides[0].Late = 1
			case 1:
				if voids++; voids < 5 {
					row.Result, row.Reason = results.NotPlayed, results.HostVoid
				}
			}
			m.Done = append(m.Done, row)
			plan.stored(&row)
			if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
				plan, running = newSchedule(m), nil // what was being played is begun again
			}
		}
		for pair := range m.Pairs {
			checkPair(t, m, pair)
		}
	})
}

// checkPair checks that a pair is whole and counts.
func checkPair(t *rapid.T, m *Match, pair int) {
	var last [2]results.Row
	for _, r := range m.Done {
		if r.Pair == pair && (last[r.Leg].Result == results.Unfinished || r.Attempt > last[r.Leg].Attempt) {
			last[r.Leg] = r
		}
	}
	for leg, r := range last {
		if r.Result != results.Drawn {
			t.Fatalf("pair %d leg %d ended as %q by %s", pair, leg, r.Result, r.Reason)
		}
	}
	if m.ReplayLate && last[0].Attempt != last[1].Attempt {
		t.Fatalf("pair %d has attempts %d and %d", pair, last[0].Attempt, last[1].Attempt)
	}
	if !Final(m.ReplayLate, last) {
		t.Fatalf("pair %d does not count: %+v", pair, last)
	}
}
