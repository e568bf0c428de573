package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// SelfPlay plays games of one engine against itself, as many at once as asked, for the
// sake of their positions.
//
// Game k is a function of the configuration and k alone: its opening comes from Opening,
// the engine forgets everything before it, and nodes limit its moves. So the same games
// come out of any concurrency and after any interruption.
//
// A game is stored as pair k, leg 0, without a second leg: colours swapped would be the
// same game again where both sides are one engine. What must not be torn apart when
// positions are split into sets is therefore the game and the position that its opening
// led to.
//
// One player plays both sides of a game and what it learns at one move helps the other
// side's next one. That is half the work of clearing and makes the games better; it favours
// neither side.
//
// At 400 soft nodes a move (700 in the mean) and a table of 1 MB, 95 % of the processor's
// time is in the search itself; clearing takes 2 %.
type SelfPlay struct {
	Run         string // UUID
	Games       int
	Concurrency int
	Conduct     Conduct
	Limits      Limits
	// Exit is the greatest |score| of the first search, in centipawns, at which an opening
	// is played; 0 plays all. Another try of Opening takes the place of one that is not.
	Exit int
	// Opening returns the opening of a game, counted from 0, at each try from 0.
	Opening func(game, try int) (Opening, error)
	Open    func() (*BuiltIn, error) // opens one more player
	Done    []results.Row            // what earlier sittings stored
	// Put stores a game; when it returns nil the game is durable. It is called from many
	// goroutines.
	Put func(ctx context.Context, g *results.Game) error
	// Stored is told of each game after Put, one at a time.
	Stored func(g *results.Game) error

	once  sync.Once
	slots *slots
	drain chan struct{}
	mu    sync.Mutex
	idle  []*BuiltIn
}

// MaxTries bounds the openings that are tried for one game.
const MaxTries = 1000

// Play plays the games that are not stored, in the order of their numbers. It returns nil
// when all are, ErrDrained after Drain, and otherwise what stopped it.
func (s *SelfPlay) Play(parent context.Context) error {
	s.prepare()
	stored := make(map[int]bool, len(s.Done))
	for i := range s.Done {
		stored[s.Done[i].Pair] = true
	}
	group, ctx := errgroup.WithContext(parent)
	begin, stop := untilDrained(ctx, s.drain) // ends the wait for a slot
	defer stop()
	next := 0
	for ; next < s.Games; next++ {
		if stored[next] {
			continue
		}
		if s.slots.take(begin) != nil {
			break
		}
		if begin.Err() != nil {
			s.slots.give()
			break
		}
		game := next
		group.Go(func() error {
			defer s.slots.give()
			return s.playGame(ctx, game)
		})
	}
	if err := group.Wait(); err != nil || next == s.Games {
		return err
	}
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	return ErrDrained
}

func (s *SelfPlay) prepare() {
	s.once.Do(func() { s.slots, s.drain = newSlots(s.Concurrency), make(chan struct{}) })
}

// Drain lets games in progress end and begins no more. It may be called once.
func (s *SelfPlay) Drain() {
	s.prepare()
	close(s.drain)
}

// SetConcurrency changes how many games are played at once while they are played; 0 begins
// no more until it is raised.
func (s *SelfPlay) SetConcurrency(n int) {
	s.prepare()
	s.slots.setLimit(n)
}

// playGame plays and stores one game.
func (s *SelfPlay) playGame(ctx context.Context, game int) error {
	player, err := s.take()
	if err != nil {
		return err
	}
	defer s.give(player)
	rec, err := s.play(ctx, game, player)
	if err != nil {
		return err
	}
	rec.Ended = time.Now()
	if err := s.Put(context.WithoutCancel(ctx), rec); err != nil {
		return fmt.Errorf("game %d: %w", game+1, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Stored == nil {
		return nil
	}
	return s.Stored(rec)
}

// play plays a game from the first of its openings that is let through.
func (s *SelfPlay) play(ctx context.Context, game int, player *BuiltIn) (*results.Game, error) {
	gate := &gatekeeper{BuiltIn: player, most: results.Score(s.Exit)}
	side := Side{gate, s.Limits}
	for try := range MaxTries {
		o, err := s.Opening(game, try)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", game+1, err)
		}
		rec := &results.Game{GameKey: results.GameKey{Run: s.Run, Pair: game}, Started: time.Now()}
		gate.opened = false
		err = s.Conduct.Play(ctx, o, [2]Side{side, side}, rec)
		switch {
		case errors.Is(err, errUneven):
		case err != nil:
			return nil, err
		case len(rec.Plies) > rec.Book || s.Exit == 0:
			return rec, nil
		}
	}
	return nil, fmt.Errorf("game %d: no opening whose score is within ±%d, of %d that were tried; a wider limit or shorter openings would help", game+1, s.Exit, MaxTries)
}

// gatekeeper is a player that refuses a game whose first search shows too large an
// advantage.
type gatekeeper struct {
	*BuiltIn
	most   results.Score // 0 refuses none
	opened bool
}

// errUneven refuses an opening.
var errUneven = errors.New("the opening gives one side too much")

// Move searches, and at the first move of a game looks at its score.
func (g *gatekeeper) Move(ctx context.Context, game *referee.Game, c Clock) (Reply, error) {
	r, err := g.BuiltIn.Move(ctx, game, c)
	if err == nil && !g.opened && g.most > 0 && (r.Score > g.most || r.Score < -g.most) {
		return r, errUneven
	}
	g.opened = true
	return r, err
}

// take returns an idle player, or opens one.
func (s *SelfPlay) take() (*BuiltIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		p := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return p, nil
	}
	return s.Open()
}

func (s *SelfPlay) give(p *BuiltIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, p)
}
