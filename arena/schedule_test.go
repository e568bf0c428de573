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

// TestEqualOpenings: in every event all pairings play the same openings, both legs of a
// pair one, and everyone meets whom the event says.
func TestEqualOpenings(t *testing.T) {
	for _, c := range []struct {
		event          Event
		engines, seeds int
		pairings       int
	}{{RoundRobin, 2, 0, 1}, {RoundRobin, 8, 0, 28}, {Gauntlet, 8, 1, 7}, {Gauntlet, 8, 3, 15}, {Ladder, 8, 0, 7}} {
		list, err := Pairings(c.event, c.engines, c.seeds)
		if err != nil || len(list) != c.pairings {
			t.Fatalf("%+v: %d pairings, %v", c, len(list), err)
		}
		const rounds = 3
		plan := newSchedule(&Match{Pairings: list, Pairs: rounds * len(list)})
		reds := map[Pairing][rounds]int{}
		for {
			next, ok := plan.take()
			if !ok {
				break
			}
			red, black := next.engines()
			met := reds[next.pairing]
			met[next.round]++
			reds[next.pairing] = met
			if (red == next.pairing.First) != (next.key.Leg == 0) || red == black {
				t.Errorf("%+v: leg %d of %v has Red %d, Black %d", c, next.key.Leg, next.pairing, red, black)
			}
		}
		for pairing, met := range reds {
			if met != [rounds]int{2, 2, 2} {
				t.Errorf("%+v: %v has %v games of the openings", c, pairing, met)
			}
		}
		if len(reds) != c.pairings {
			t.Errorf("%+v: %d pairings played", c, len(reds))
		}
	}
}
