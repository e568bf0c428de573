package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// hashPlayer moves as the position's key says, so that games do not depend on who plays
// them when. It can fail at a ply.
type hashPlayer struct {
	name   string
	salt   uint64
	failAt int // ply of the game at which it fails, 0 never
	reason results.Reason
	wall   time.Duration
}

func (h *hashPlayer) Name() string                  { return h.name }
func (h *hashPlayer) NewGame(context.Context) error { return nil }
func (h *hashPlayer) Close() error                  { return nil }

func (h *hashPlayer) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	if ctx.Err() != nil {
		return Reply{}, context.Cause(ctx)
	}
	if h.failAt > 0 && g.Len() >= h.failAt {
		return Reply{}, &Failure{Engine: h.name, Reason: h.reason, Detail: "as told", Wall: 1}
	}
	var l movegen.MoveList
	g.Position().Legal(&l)
	key := (g.Position().Key() ^ h.salt) * 0x9e3779b97f4a7c15
	return Reply{Move: l.At(int(key>>32) % l.Len()), Score: results.Score(int16(key>>20) % 100), Depth: 1, Nodes: 1, Wall: h.wall}, nil
}

func rules(t testing.TB) *referee.Rules {
	r, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sink keeps what is stored.
type sink struct {
	mu    sync.Mutex
	games []*results.Game
}

func (s *sink) put(_ context.Context, g *results.Game) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games = append(s.games, g)
	return nil
}

// sorted returns a line per game in schedule order.
func (s *sink) sorted() []string {
	var lines []string
	for _, g := range s.games {
		var moves []movegen.Move
		for _, p := range g.Plies {
			moves = append(moves, p.Move)
		}
		lines = append(lines, fmt.Sprintf("%05d.%d red=%d black=%d %s %s %v", g.Pair, g.Leg, g.Red, g.Black, g.Result, g.Reason, moves))
	}
	slices.Sort(lines)
	return lines
}

func openPlayer(h hashPlayer) func() (Player, error) {
	return func() (Player, error) { c := h; return &c, nil }
}

func testMatch(t testing.TB, s *sink, pairs, concurrency int, players ...hashPlayer) *Match {
	m := &Match{
		Run: "r", Pairs: pairs, Concurrency: concurrency, Put: s.put, Policy: DefaultPolicy,
		Conduct: Conduct{Rules: rules(t), MaxPlies: 200},
		Opening: func(int) (Opening, error) { return Opening{FEN: movegen.StartFEN}, nil },
	}
	for _, p := range players {
		m.Contestants = append(m.Contestants, Contestant{Name: p.name, Open: openPlayer(p)})
	}
	var err error
	if m.Pairings, err = Pairings(RoundRobin, len(players), 0); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConcurrencyChangesNothing(t *testing.T) {
	var want []string
	for _, n := range []int{1, 2, 5} {
		var s sink
		m := testMatch(t, &s, 9, n, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2}, hashPlayer{name: "c", salt: 3})
		if err := m.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := s.sorted()
		if len(got) != 18 {
			t.Fatalf("%d games, want 18", len(got))
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatalf("concurrency %d plays other games", n)
		}
	}
}

// TestResume stops a match after each number of games and goes on.
func TestResume(t *testing.T) {
	players := []hashPlayer{{name: "a", salt: 1}, {name: "b", salt: 2}}
	var whole sink
	if err := testMatch(t, &whole, 4, 1, players...).Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	for stop := 0; stop <= 8; stop++ {
		var s sink
		stopped := errors.New("stopped")
		m := testMatch(t, &s, 4, 2, players...)
		ctx, cancel := context.WithCancelCause(context.Background())
		if stop == 0 {
			cancel(stopped)
		}
		n := 0
		m.Stored = func(*results.Game) error {
			if n++; n == stop {
				cancel(stopped)
			}
			return nil
		}
		if err := m.Play(ctx); err != nil && !errors.Is(err, stopped) {
			t.Fatal(err)
		}
		m = testMatch(t, &s, 4, 2, players...)
		for _, g := range s.games {
			row, err := results.RowOf(g)
			if err != nil {
				t.Fatal(err)
			}
			m.Done = append(m.Done, row)
		}
		if err := m.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.sorted(), whole.sorted()) {
			t.Errorf("stopped after %d games and resumed: not the undisturbed match", stop)
		}
	}
}

func TestSetAside(t *testing.T) {
	for _, reason := range []results.Reason{results.Crash, results.Hang, results.StartFailed} {
		var s sink
		m := testMatch(t, &s, 30, 2, hashPlayer{name: "good", salt: 1}, hashPlayer{name: "bad", failAt: 3, reason: reason}, hashPlayer{name: "fine", salt: 3})
		if err := m.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(s.games) != 60 {
			t.Fatalf("%d games accounted for, want 60", len(s.games))
		}
		lost, aside, other := 0, 0, 0
		for _, g := range s.games {
			switch {
			case g.Reason == reason:
				lost++
			case g.Reason == results.SetAside:
				aside++
			case g.Red == 1 || g.Black == 1:
				t.Errorf("game %d.%d of the failing engine ended with %s", g.Pair, g.Leg, g.Reason)
			default:
				other++
			}
		}
		if lost < 3 || lost > 4 || aside != 40-lost || other != 20 { // one more may be running when the third fails
			t.Errorf("%s: %d lost, %d set aside, %d between the others", reason, lost, aside, other)
		}
		if m.SetAside(1) == "" || m.SetAside(0) != "" || m.SetAside(2) != "" {
			t.Errorf("%s: wrong engines set aside", reason)
		}
	}
}

func TestDecidedStoresTheRestAsNotPlayed(t *testing.T) {
	var s sink
	m := testMatch(t, &s, 0, 2, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
	n := 0
	m.Stored = func(g *results.Game) error {
		if n++; n >= 10 {
			return ErrDecided
		}
		return nil
	}
	if err := m.Play(context.Background()); !errors.Is(err, ErrDecided) {
		t.Fatalf("ended with %v", err)
	}
	for _, g := range s.games[10:] {
		if g.Result == results.NotPlayed && g.Reason != results.Stopped {
			t.Errorf("a game ended with %s", g.Reason)
		}
	}
}

func TestStoreErrorEndsTheMatch(t *testing.T) {
	full := errors.New("disk full")
	m := testMatch(t, &sink{}, 5, 2, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
	m.Put = func(context.Context, *results.Game) error { return full }
	if err := m.Play(context.Background()); !errors.Is(err, full) {
		t.Fatalf("ended with %v", err)
	}
}

func TestIllegalMoveLoses(t *testing.T) {
	var s sink
	m := testMatch(t, &s, 1, 1, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b"})
	m.Contestants[1].Open = func() (Player, error) { return &illegal{hashPlayer{name: "b"}}, nil }
	if err := m.Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	if g := s.games[0]; g.Result != results.RedWins || g.Reason != results.IllegalMove {
		t.Errorf("%s by %s", g.Result, g.Reason)
	}
}

type illegal struct{ hashPlayer }

func (*illegal) Move(context.Context, *referee.Game, Clock) (Reply, error) {
	return Reply{Move: movegen.NewMove(movegen.SquareAt(0, 0), movegen.SquareAt(8, 9))}, nil
}

func TestClocks(t *testing.T) {
	l := Limits{Time: time.Second, Inc: 100 * time.Millisecond, MovesTo: 2, Margin: 50 * time.Millisecond}
	for _, c := range []struct {
		name       string
		walls      []time.Duration
		late, lost bool
		left       time.Duration
	}{
		{"in time", []time.Duration{400 * time.Millisecond}, false, false, 700 * time.Millisecond},
		{"exactly", []time.Duration{time.Second}, false, false, 100 * time.Millisecond},
		{"within the margin", []time.Duration{1050 * time.Millisecond}, true, false, 100 * time.Millisecond},
		{"beyond the margin", []time.Duration{1051 * time.Millisecond}, false, true, 0},
		{"next period", []time.Duration{500 * time.Millisecond, 500 * time.Millisecond}, false, false, 1200 * time.Millisecond},
		{"overrun at the control", []time.Duration{500 * time.Millisecond, 700 * time.Millisecond}, false, true, 0},
	} {
		k := newClocks(l, l)
		var late, lost bool
		for _, w := range c.walls {
			late, lost = k.after(movegen.Red, w)
		}
		if late != c.late || lost != c.lost || k.left[movegen.Red] != c.left {
			t.Errorf("%s: late %v lost %v left %v", c.name, late, lost, k.left[movegen.Red])
		}
	}
}

// TestReplayLate has an engine that is late in its first games: with ReplayLate such pairs
// are played again, both legs alike and at most twice, also over a resume.
func TestReplayLate(t *testing.T) {
	limits := Limits{MoveTime: time.Second, Margin: time.Second}
	for _, c := range []struct {
		lateUntil int // attempts of the late engine that are late
		want      int // games stored of 2 pairs
	}{{0, 4}, {1, 8}, {2, 12}, {9, 12}} {
		for stop := 1; stop <= c.want; stop += 3 {
			var s sink
			play := func(stop int) {
				m := testMatch(t, &s, 2, 2, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
				m.ReplayLate = true
				for i := range m.Contestants {
					m.Contestants[i].Limits = limits
				}
				m.Contestants[1].Open = func() (Player, error) { return &latePlayer{hashPlayer{name: "b", salt: 2}}, nil }
				for _, g := range s.games {
					row, err := results.RowOf(g)
					if err != nil {
						t.Fatal(err)
					}
					m.Done = append(m.Done, row)
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				n := 0
				m.Put = func(ctx context.Context, g *results.Game) error {
					if g.Attempt >= c.lateUntil {
						for i := range g.Plies {
							g.Plies[i].Late = false
						}
					}
					return s.put(ctx, g)
				}
				m.Stored = func(*results.Game) error {
					if n++; n == stop {
						cancel()
					}
					return nil
				}
				if err := m.Play(ctx); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			play(stop)
			play(-1)
			if len(s.games) != c.want {
				t.Errorf("late %d times, stopped after %d: %d games, want %d", c.lateUntil, stop, len(s.games), c.want)
			}
			seen := map[results.GameKey]bool{}
			for _, g := range s.games {
				if seen[g.GameKey] {
					t.Errorf("%v is stored twice", g.GameKey)
				}
				seen[g.GameKey] = true
			}
		}
	}
}

// latePlayer uses more than its time, but less than the margin.
type latePlayer struct{ hashPlayer }

func (l *latePlayer) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	r, err := l.hashPlayer.Move(ctx, g, c)
	r.Wall = 1500 * time.Millisecond
	return r, err
}

// TestDrain ends a match after the games in progress; the rest is played by a resume.
func TestDrain(t *testing.T) {
	var s sink
	m := testMatch(t, &s, 10, 2, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
	n := 0
	m.Stored = func(*results.Game) error {
		if n++; n == 5 {
			m.Drain()
		}
		return nil
	}
	if err := m.Play(context.Background()); !errors.Is(err, ErrDrained) {
		t.Fatalf("ended with %v", err)
	}
	if len(s.games) < 5 || len(s.games) > 7 {
		t.Errorf("%d games, want those in progress and no more", len(s.games))
	}
	for _, g := range s.games {
		if g.Result == results.Unfinished || g.Result == results.NotPlayed {
			t.Errorf("game %v was given up", g.GameKey)
		}
	}
}

// TestConcurrencyChanges pauses a match and lets it go on with more games at once.
func TestConcurrencyChanges(t *testing.T) {
	var s sink
	m := testMatch(t, &s, 10, 1, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
	n := 0
	m.Stored = func(*results.Game) error {
		if n++; n == 5 {
			m.SetConcurrency(0)
			time.AfterFunc(20*time.Millisecond, func() { m.SetConcurrency(4) })
		}
		return nil
	}
	if err := m.Play(context.Background()); err != nil || len(s.games) != 20 {
		t.Errorf("%d games, %v", len(s.games), err)
	}
}

// TestClockTold: what each side hears before its moves, under equal and unequal limits.
func TestClockTold(t *testing.T) {
	const s = time.Second
	period := Limits{Time: 10 * s, MovesTo: 2}
	fischer := Limits{Time: 20 * s, Inc: 2 * s}
	type told struct{ left, other, inc, otherInc, toGo int }
	for _, c := range []struct {
		name       string
		red, black Limits
		walls      []time.Duration // by ply
		want       []told          // before each ply, to the side to move, in seconds
	}{
		{"moves per period", period, period, []time.Duration{s, 2 * s, 3 * s, 4 * s, s, s},
			[]told{{10, 10, 0, 0, 2}, {10, 9, 0, 0, 2}, {9, 8, 0, 0, 1}, {8, 16, 0, 0, 1}, {16, 14, 0, 0, 2}, {14, 15, 0, 0, 2}}},
		{"time odds", fischer, period, []time.Duration{s, s, s},
			[]told{{20, 10, 2, 0, 0}, {10, 21, 0, 2, 2}, {21, 9, 2, 0, 0}}},
		{"against nodes", fischer, Limits{Nodes: 5}, []time.Duration{s, 9 * s, s},
			[]told{{20, 20, 2, 2, 0}, {0, 21, 0, 2, 0}, {21, 21, 2, 2, 0}}},
		{"against a move time", fischer, Limits{MoveTime: s}, []time.Duration{s, s, s},
			[]told{{20, 20, 2, 2, 0}, {0, 21, 0, 2, 0}, {21, 21, 2, 2, 0}}},
	} {
		k := newClocks(c.red, c.black)
		for ply, want := range c.want {
			side := movegen.Color(ply & 1)
			b := k.before(side)
			sec := func(d time.Duration) int { return int(d / s) }
			got := told{sec(b.Left[side]), sec(b.Left[side.Other()]), sec(b.Incs[side]), sec(b.Incs[side.Other()]), b.ToGo}
			if got != want || b.Limits != [2]Limits{c.red, c.black}[side] {
				t.Errorf("%s, ply %d: told %+v, want %+v", c.name, ply, got, want)
			}
			k.after(side, c.walls[ply])
		}
	}
}

// crowd counts how many moves are thought about at once, by the limit in force.
type crowd struct {
	mu                     sync.Mutex
	thinking, ended, limit int
	most                   map[int]int
}

// counted is a player of a crowd.
type counted struct {
	hashPlayer
	of *crowd
}

func (p *counted) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	p.of.mu.Lock()
	p.of.thinking++
	if p.of.ended%60 > 30 { // games that were begun before the change are over and stored
		p.of.most[p.of.limit] = max(p.of.most[p.of.limit], p.of.thinking)
	}
	p.of.mu.Unlock()
	time.Sleep(20 * time.Microsecond)
	p.of.mu.Lock()
	p.of.thinking--
	p.of.mu.Unlock()
	return p.hashPlayer.Move(ctx, g, c)
}

// The number of games played at once follows the limit while they run, up and down; games
// that are only stored still do not count.
func TestConcurrencyFollows(t *testing.T) {
	var s sink
	c := &crowd{limit: 2, most: map[int]int{}}
	m := testMatch(t, &s, 90, c.limit, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
	for i := range m.Contestants {
		h := hashPlayer{name: m.Contestants[i].Name, salt: uint64(i + 1)}
		m.Contestants[i].Open = func() (Player, error) { return &counted{h, c}, nil }
	}
	m.Conduct.MaxPlies = 20
	m.Stored = func(*results.Game) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ended++; c.ended == 60 || c.ended == 120 {
			c.limit = map[int]int{60: 6, 120: 1}[c.ended]
			m.SetConcurrency(c.limit)
		}
		return nil
	}
	if err := m.Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(s.games) != 180 || c.most[1] != 1 || c.most[2] > 2 || c.most[6] < 3 || c.most[6] > 6 {
		t.Errorf("%d games, most at once by limit: %v", len(s.games), c.most)
	}
}

// A match that needs no game any more, as a test that is decided by what is stored, can be
// asked and steered too.
func TestMatchBeforePlay(t *testing.T) {
	var s sink
	m := testMatch(t, &s, 1, 1, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b"})
	if why := m.SetAside(1); why != "" {
		t.Error(why)
	}
	m.SetConcurrency(2)
	m.Drain()
}
