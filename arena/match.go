package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// Contestant is an engine of a match.
type Contestant struct {
	Name   string
	Limits Limits
	Open   func() (Player, error) // opens one more player
}

// Policy says when an engine is set aside: its games are then stored as not played.
type Policy struct {
	Crashes    int     // crashes, hangs and failed starts
	TimeLosses float64 // share of its games, judged from 20 games on
}

// DefaultPolicy sets an engine aside after 3 crashes or 5 % time losses.
var DefaultPolicy = Policy{Crashes: 3, TimeLosses: 0.05}

// minGames is how many games the share of time losses needs to mean something.
const minGames = 20

// Match plays the games of one run, as many at once as asked, and hands each to Put.
type Match struct {
	Run         string // UUID
	Contestants []Contestant
	Conduct     Conduct
	Pairings    []Pairing
	Pairs       int // total over all pairings, 0 to go on until ctx ends
	Concurrency int
	Policy      Policy
	Opening     func(round int) (Opening, error)
	Done        []results.Row // what earlier sittings stored
	ReplayLate  bool          // a pair with a late move is played again, at most twice
	// Put stores a game; when it returns nil the game is durable. It is called from many
	// goroutines.
	Put func(ctx context.Context, g *results.Game) error
	// Stored is told of each game after Put, one at a time. An error ends the match with
	// that error as its cause; ErrDecided is for a match whose question is answered.
	Stored func(g *results.Game) error
	// Begun, if not nil, is told of each game before its first move; Opening is in it, and
	// book are the moves that the opening gives. It is called from many goroutines.
	Begun func(g *results.Game, book []movegen.Move)
	// Aside, if not nil, is told once of each engine that is set aside, and why.
	Aside func(engine int, why string)

	// Places are sets of processors: each game is bound to one of them while it is played,
	// where the system offers it; games beyond their number are not bound. Nil for none.
	Places [][]int

	places  places
	seats   seats
	slots   *slots
	plan    *schedule
	drain   chan struct{} // closed by Drain
	storing chan struct{} // a token for each game that is being stored
	once    sync.Once
	pool    *pool
	mu      sync.Mutex // guards score
	score   []tally
	told    sync.Mutex // held while Stored or Aside is told
}

// ErrDecided is the cause that ends a match whose question is answered: games in
// progress are stored as not played.
var ErrDecided = errors.New("the match is decided")

// tally counts an engine's games and failures for the policy.
type tally struct {
	games, crashes, timeLosses int
	aside                      string // why the engine is set aside, empty while it plays
}

// Play runs the match until its games are played, a game cannot be stored, or ctx ends;
// it returns nil in the first case and the cause in the others.
func (m *Match) Play(ctx context.Context) (err error) {
	m.prepare()
	m.pool = &pool{most: IdlePlayers(m.Concurrency), open: m.open}
	m.places.sets = m.Places
	defer func() { err = errors.Join(err, m.pool.close(ctx.Err() != nil)) }()
	for _, g := range m.Done {
		m.tally(&g)
	}
	m.plan = newSchedule(m)
	return m.playAll(ctx)
}

// prepare makes what Drain, SetConcurrency and SetAside need, which may be called before
// Play, or without it.
func (m *Match) prepare() {
	m.once.Do(func() {
		m.slots, m.drain, m.storing = newSlots(m.Concurrency), make(chan struct{}), make(chan struct{}, storing)
		m.score = make([]tally, len(m.Contestants))
	})
}

// ErrDrained is what Play returns after Drain: games in progress were finished, others not
// begun.
var ErrDrained = errors.New("asked to stop after the games in progress")

// Drain lets games in progress end and begins no more. It may be called once.
func (m *Match) Drain() {
	m.prepare()
	close(m.drain)
}

// SetConcurrency changes how many games are played at once while the match runs; 0
// lets games in progress end and starts no more until it is raised.
func (m *Match) SetConcurrency(n int) {
	m.prepare()
	m.slots.setLimit(n)
}

// SetAside returns why an engine was set aside, empty if it was not.
func (m *Match) SetAside(engine int) string {
	m.prepare()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.score[engine].aside
}

func (m *Match) playAll(ctx context.Context) error {
	for {
		played, err := m.playRound(ctx)
		if err != nil || !played {
			return err
		}
	}
}

// playRound plays the games that are to be played, and reports whether there were any:
// their ends may ask for more.
func (m *Match) playRound(parent context.Context) (played bool, err error) {
	group, ctx := errgroup.WithContext(parent)
	begin, stop := untilDrained(ctx, m.drain) // ends the wait for a slot
	defer stop()
	complete := false
	for m.slots.take(begin) == nil && !m.draining() {
		t, ok := m.plan.take()
		if complete = !ok; complete {
			m.slots.give()
			break
		}
		played = true
		group.Go(func() error {
			free := sync.OnceFunc(m.slots.give)
			defer free()
			return m.playTask(ctx, t, free)
		})
	}
	if err := group.Wait(); err != nil || complete {
		return played, err
	}
	if m.draining() && parent.Err() == nil {
		return played, ErrDrained
	}
	return played, context.Cause(parent)
}

func (m *Match) draining() bool {
	select {
	case <-m.drain:
		return true
	default:
		return false
	}
}

// maxSleep is how long this machine may sleep during a game that still counts.
const maxSleep = time.Second

// storing is how many games may wait to be stored while others are played. Where games are
// short they share transactions then.
const storing = 16

// playTask plays and stores one game; free lets the next one begin.
func (m *Match) playTask(ctx context.Context, t task, free func()) error {
	red, black := t.engines()
	rec := &results.Game{GameKey: t.key, Red: red, Black: black, Started: time.Now()}
	o, err := m.Opening(t.round)
	if ctx.Err() != nil { // it has not begun
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("pair %d: %w", t.key.Pair+1, err)
	}
	rec.Opening = o.FEN
	slept := asleep()
	if why := m.aside(red, black); why != "" {
		rec.Result, rec.Reason, rec.Detail = results.NotPlayed, results.SetAside, why
	} else if err := m.playGame(ctx, o, rec); err != nil {
		if !errors.Is(err, ErrDecided) {
			return err
		}
		rec.Plies, rec.Result, rec.Reason = nil, results.NotPlayed, results.Stopped
	}
	if slept := asleep() - slept; slept > maxSleep && rec.Result != results.NotPlayed {
		rec.Result, rec.Reason, rec.Disagree = results.NotPlayed, results.HostVoid, [2]bool{}
		rec.Detail = fmt.Sprintf("this machine slept for %s during the game; it is played again", slept.Round(time.Second))
	}
	m.storing <- struct{}{}
	defer func() { <-m.storing }()
	if !blames(rec.Reason) {
		free()
	}
	return m.store(ctx, rec)
}

func (m *Match) aside(engines ...int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range engines {
		if m.score[e].aside != "" {
			return m.score[e].aside
		}
	}
	return ""
}

// open opens a player for a place.
func (m *Match) open(engine, place int) (Player, error) {
	p, err := m.Contestants[engine].Open()
	if pinned, ok := p.(Pinned); ok && place != nowhere {
		pinned.Pin(m.Places[place])
	}
	return p, err
}

// playGame finds players and plays.
func (m *Match) playGame(ctx context.Context, o Opening, rec *results.Game) error {
	place := m.places.take()
	defer m.places.give(place)
	var sides [2]Side
	for color, engine := range [2]int{rec.Red, rec.Black} {
		player, err := m.pool.take(engine, place)
		if err != nil {
			return fmt.Errorf("engine %s: %w", m.Contestants[engine].Name, err)
		}
		defer m.pool.give(engine, place, player)
		sides[color] = Side{player, m.Contestants[engine].Limits}
	}
	if m.Begun != nil {
		m.Begun(rec, o.Moves)
	}
	if place != nowhere {
		defer m.places.pin(place)()
		return m.Conduct.Play(ctx, o, sides, rec)
	}
	return m.playSeated(ctx, o, sides, rec)
}

// playSeated plays a game that is bound to no processor beforehand.
func (m *Match) playSeated(ctx context.Context, o Opening, sides [2]Side, rec *results.Game) error {
	s := m.seats.take()
	defer m.seats.give(s)
	s.begin(sides[0].Player, sides[1].Player)
	conduct := m.Conduct
	conduct.Answered = func(a Answer) {
		s.answered(a.Wall)
		if m.Conduct.Answered != nil {
			m.Conduct.Answered(a)
		}
	}
	return conduct.Play(ctx, o, sides, rec)
}

// store makes the game durable and only then counts it. A game that has ended is stored
// even if ctx ended meanwhile.
func (m *Match) store(ctx context.Context, rec *results.Game) error {
	rec.Ended = time.Now()
	if err := m.Put(context.WithoutCancel(ctx), rec); err != nil {
		return fmt.Errorf("game %d.%d: %w", rec.Pair+1, rec.Leg+1, err)
	}
	row, err := results.RowOf(rec)
	if err != nil {
		return err
	}
	m.tally(&row)
	m.plan.stored(&row)
	m.told.Lock()
	defer m.told.Unlock()
	if m.Stored == nil {
		return nil
	}
	return m.Stored(rec)
}

// blames reports whether games that end so may set an engine aside: nothing is begun before
// they are counted.
func blames(r results.Reason) bool {
	switch r {
	case results.Crash, results.Hang, results.StartFailed, results.TimeLoss:
		return true
	}
	return false
}

// tally counts a stored game against the policy.
func (m *Match) tally(g *results.Row) {
	loser, why := m.countLoss(g)
	if why != "" && m.Aside != nil {
		m.told.Lock()
		defer m.told.Unlock()
		m.Aside(loser, why)
	}
}

// countLoss counts a game for both engines and returns why the loser is set aside by it,
// empty if it is not.
func (m *Match) countLoss(g *results.Row) (loser int, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g.Result == results.NotPlayed {
		return 0, ""
	}
	for _, e := range [...]int{g.Red, g.Black} {
		m.score[e].games++
	}
	if g.Result != results.RedWins && g.Result != results.BlackWins {
		return 0, ""
	}
	loser = g.Black
	if g.Result == results.BlackWins {
		loser = g.Red
	}
	return loser, m.score[loser].count(m.Contestants[loser].Name, g, m.Policy)
}

// count adds a lost game and returns why the engine is set aside by it, empty if it is not.
func (t *tally) count(name string, g *results.Row, p Policy) string {
	switch g.Reason {
	case results.Crash, results.Hang, results.StartFailed:
		t.crashes++
	case results.TimeLoss:
		t.timeLosses++
	}
	if t.aside != "" {
		return ""
	}
	switch share := float64(t.timeLosses) / float64(t.games); {
	case p.Crashes > 0 && t.crashes >= p.Crashes:
		t.aside = fmt.Sprintf("engine %s failed %d times, last: %s", name, t.crashes, g.Detail)
	case p.TimeLosses > 0 && t.games >= minGames && share > p.TimeLosses:
		t.aside = fmt.Sprintf("engine %s lost %d of %d games on time", name, t.timeLosses, t.games)
	}
	return t.aside
}
