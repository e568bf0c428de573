package search

import (
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// Limits is what a search may spend. Zero values do not limit; with none set the search
// goes on to its greatest depth.
type Limits struct {
	Nodes       uint64 // exact on one thread
	SoftNodes   uint64 // no new iteration from here on
	Depth       int    // plies
	Mate        int    // stop when a mate in this many moves is found
	MoveTime    time.Duration
	Time, Inc   [2]time.Duration // both clocks, by colour
	MovesToGo   int              // to the next time control
	Overhead    time.Duration    // kept back for the way to the clock
	Infinite    bool             // until the context ends, whatever is found
	Ponder      bool             // like Infinite until Engine.PonderHit
	SearchMoves []movegen.Move   // only these at the root
	MultiPV     int              // lines to find, 0 is 1
}

// timed reports whether a clock decides.
func (l *Limits) timed(us movegen.Color) bool {
	return l.MoveTime > 0 || l.Time[us] > 0 || l.Inc[us] > 0
}

// clock decides when a search under time has to end.
type clock struct {
	start   time.Time
	timed   bool
	fixed   bool // movetime: no early end
	optimum time.Duration
	maximum time.Duration
}

// least is the shortest time planned for a move.
const least = time.Millisecond

// plan shares out the time of the side to move.
func (c *clock) plan(l *Limits, us movegen.Color, p *Params) {
	if l.Infinite || !l.timed(us) {
		return
	}
	c.timed = true
	if l.MoveTime > 0 {
		c.fixed = true
		c.maximum = max(l.MoveTime-l.Overhead, least)
		c.optimum = c.maximum
		return
	}
	left := max(l.Time[us]-l.Overhead, least)
	moves := p.v[pTimeMoves]
	if l.MovesToGo > 0 {
		moves = min(l.MovesToGo, moves)
	}
	// Of a clock that is down to the reserve only half is shared out.
	planned := max(left-time.Duration(p.v[pTimeReserve])*time.Millisecond, left/2)
	share := planned/time.Duration(moves) + l.Inc[us]*time.Duration(p.v[pTimeIncrement])/100
	c.maximum = share * time.Duration(p.v[pTimeMaxFactor]) / 100
	if moves > 1 {
		c.maximum = min(c.maximum, planned*time.Duration(p.v[pTimeMaxShare])/100)
	}
	c.maximum = max(min(c.maximum, left), least)
	c.optimum = max(min(share, c.maximum), least)
}

// over reports whether the move has to be made now.
func (c *clock) over(now time.Time) bool {
	return c.timed && now.Sub(c.start) >= c.maximum
}
