package arena

import (
	"slices"
	"sync"
	"time"
)

// seat keeps a game of engines that answer at once on one processor: its thread and both
// engines' processes. Of these only one works at a time, but the kernel wakes each on
// whichever processor is idle, and where games take microseconds a ply most of the time
// goes into that. A game whose engines think is left to the kernel.
//
// A seat outlives its game, so that short games gain as well. It belongs to one game at a
// time, and to that game's goroutine.
type seat struct {
	shared  *tenancy
	players [2]Pinned // nil where a player has no process to bind
	quick   int       // quick replies, slow ones taken off
	need    int       // quick replies to be bound
	kept    bool      // games are to be bound
	settled bool      // this one is
	stretch int       // replies since that is so
	cpu     int       // the one last bound to, nowhere for none
	release func()    // takes back the thread's binding; nil while it is not bound
}

const (
	// quickReply is how long a reply may take that speaks for binding: beyond it a wake on
	// another processor costs little.
	quickReply = 100 * time.Microsecond
	// slowReply is the time for a reply by which an engine thinks, or something else has
	// its processor: then nothing stays bound.
	slowReply = time.Millisecond

	streak   = 32      // quick replies that bind at first
	slowCost = 4       // quick replies that one between the two times takes off
	worthIt  = 1024    // replies after which having been bound was worth it
	mostNeed = 1 << 13 // quick replies that bind in the end where it never was
)

func newSeat(shared *tenancy) *seat { return &seat{shared: shared, need: streak, cpu: nowhere} }

// begin seats the players of a game.
func (s *seat) begin(players ...Player) {
	for i, p := range players {
		s.players[i], _ = p.(Pinned)
	}
	s.settled = false
	switch {
	case !s.kept || !s.external(): // perhaps bound by another seat's game
		s.free()
	case s.bindThread(): // they may not run yet, or be started again
		s.bindEngines()
	}
}

// external reports whether both players can be bound.
func (s *seat) external() bool { return s.players[0] != nil && s.players[1] != nil }

// answered counts a reply and binds or frees.
func (s *seat) answered(wall time.Duration) {
	if !s.external() {
		return
	}
	switch {
	case wall >= slowReply:
		s.quick = 0
	case wall >= quickReply:
		s.quick = max(0, s.quick-slowCost)
	default:
		s.quick++
	}
	switch {
	case !s.kept && s.quick >= s.need:
		s.kept, s.quick, s.stretch = true, streak, 0
	case s.kept && s.quick == 0:
		s.rise()
	case s.kept:
		s.quick, s.stretch = min(s.quick, streak), s.stretch+1
	}
	if s.kept && !s.settled {
		s.settle()
	}
}

// settle binds what is not bound yet, now that all of it runs.
func (s *seat) settle() {
	if s.settled = s.bindThread() && s.bindEngines(); !s.settled {
		s.rise()
		s.need = mostNeed
	}
}

// bindThread binds this thread to the processor with the fewest such games, and reports
// whether there is one.
func (s *seat) bindThread() bool {
	if s.release != nil {
		return true
	}
	cpu := s.shared.take(s.cpu)
	if cpu == nowhere {
		return false
	}
	s.cpu, s.release = cpu, pinThread([]int{cpu})
	return true
}

// bindEngines binds the running engines to that processor, and reports whether they are.
func (s *seat) bindEngines() bool {
	red, black := s.players[0].Keep(s.cpu), s.players[1].Keep(s.cpu)
	return red && black
}

// rise ends the binding for a reply that was slow. Where that comes again and again, as
// on a busy machine, it takes more and more to be bound.
func (s *seat) rise() {
	if s.stretch >= worthIt {
		s.need = streak
	} else {
		s.need = min(2*s.need, mostNeed)
	}
	s.kept, s.settled, s.quick = false, false, 0
	s.free()
	s.end()
}

// free lets the kernel move the engines.
func (s *seat) free() {
	for _, p := range s.players {
		if p != nil {
			p.Keep(nowhere)
		}
	}
}

// end gives the thread back at the game's end. Engines without a game do nothing, wherever
// they are bound.
func (s *seat) end() {
	if s.release != nil {
		s.release()
		s.release = nil
		s.shared.give(s.cpu)
	}
}

// seats keeps the seats without a game, the last used last.
type seats struct {
	mu   sync.Mutex
	idle []*seat
}

func (l *seats) take() *seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		s := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return s
	}
	return newSeat(&tenants)
}

func (l *seats) give(s *seat) {
	s.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, s)
}

// tenancy counts the games that are bound to each processor.
type tenancy struct {
	// cores lists the hardware threads of the physical cores that may be used.
	cores func() ([][]int, error)

	mu    sync.Mutex
	cpus  []int // one of each core first
	games []int // of each
	asked bool
}

// tenants is that of this process: all its matches use the same processors.
var tenants = tenancy{cores: Cores}

// take counts one more game for the processor with the fewest, the given one if it is among
// them, and returns it. It is nowhere where games cannot be bound or there is no choice.
func (t *tenancy) take(rather int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked {
		t.asked = true
		t.list()
	}
	if len(t.cpus) < 2 {
		return nowhere
	}
	i := slices.Index(t.games, slices.Min(t.games))
	if j := slices.Index(t.cpus, rather); j >= 0 && t.games[j] == t.games[i] {
		i = j
	}
	t.games[i]++
	return t.cpus[i]
}

func (t *tenancy) list() {
	cores, err := t.cores()
	if err != nil {
		return
	}
	for sibling := 0; ; sibling++ {
		before := len(t.cpus)
		for _, c := range cores {
			if sibling < len(c) {
				t.cpus = append(t.cpus, c[sibling])
			}
		}
		if len(t.cpus) == before {
			break
		}
	}
	t.games = make([]int, len(t.cpus))
}

// give takes a game off a processor; nowhere is none.
func (t *tenancy) give(cpu int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.cpus, cpu); i >= 0 {
		t.games[i]--
	}
}
