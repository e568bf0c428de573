package arena

import (
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// clocks keeps both sides' time during a game.
type clocks struct {
	limits [2]Limits
	left   [2]time.Duration
	moves  [2]int // moves made in the current period
}

func newClocks(red, black Limits) *clocks {
	return &clocks{limits: [2]Limits{red, black}, left: [2]time.Duration{red.Time, black.Time}}
}

// before returns what the side to move is told before its move. Of an opponent without a
// clock it is told its own time: protocols have no word for none.
func (k *clocks) before(c movegen.Color) Clock {
	l := k.limits[c]
	clock := Clock{Limits: l, Left: k.left, Incs: [2]time.Duration{k.limits[0].Inc, k.limits[1].Inc}}
	if o := c.Other(); k.limits[o].Time == 0 {
		clock.Left[o], clock.Incs[o] = clock.Left[c], clock.Incs[c]
	}
	if l.Time > 0 && l.MovesTo > 0 {
		clock.ToGo = l.MovesTo - k.moves[c]
	}
	return clock
}

// over returns by how much a move of c passes its time, before it is charged, and whether
// there is any.
func (k *clocks) over(c movegen.Color, wall time.Duration) (over time.Duration, timed bool) {
	switch l := k.limits[c]; {
	case l.MoveTime > 0:
		return wall - l.MoveTime, true
	case l.Time > 0:
		return wall - k.left[c], true
	}
	return 0, false
}

// after charges a move to c's clock. Late says that the time was over but within the
// margin, lost that it was over beyond it. The period's new time is added after the
// test, so that an overrun at the control cannot hide.
func (k *clocks) after(c movegen.Color, wall time.Duration) (late, lost bool) {
	l := k.limits[c]
	switch {
	case l.MoveTime > 0:
		return wall > l.MoveTime, wall > l.MoveTime+l.Margin
	case l.Time == 0:
		return false, false
	}
	left := k.left[c] - wall
	if left < -l.Margin {
		k.left[c] = 0
		return false, true
	}
	late = left < 0
	k.left[c] = max(left, 0) + l.Inc
	if k.moves[c]++; l.MovesTo > 0 && k.moves[c] == l.MovesTo {
		k.moves[c] = 0
		k.left[c] += l.Time
	}
	return late, false
}
