package arena

import (
	"errors"
	"sync"
)

// pool keeps players between games. An engine has as many players as games need at
// once, those of games that are bound to processors for each place; idle ones beyond a
// bound are closed, longest unused first.
type pool struct {
	open func(engine, place int) (Player, error)
	most int // idle players kept

	mu   sync.Mutex
	idle []pooled // longest unused first
}

// IdlePlayers returns how many players without a game a match keeps, at most, for so many
// games at once.
func IdlePlayers(concurrency int) int { return 2*concurrency + 2 }

type pooled struct {
	engine int
	place  int
	player Player
}

// take returns an idle player of the engine for a place, or opens one.
func (p *pool) take(engine, place int) (Player, error) {
	p.mu.Lock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if p.idle[i].engine == engine && p.idle[i].place == place {
			player := p.idle[i].player
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.mu.Unlock()
			return player, nil
		}
	}
	p.mu.Unlock()
	return p.open(engine, place)
}

// give hands a player back.
func (p *pool) give(engine, place int, player Player) {
	p.mu.Lock()
	p.idle = append(p.idle, pooled{engine, place, player})
	var over []pooled
	if n := len(p.idle) - p.most; n > 0 {
		over = append(over, p.idle[:n]...)
		p.idle = append(p.idle[:0], p.idle[n:]...)
	}
	p.mu.Unlock()
	for _, o := range over {
		o.player.Close() // its game is over and stored: an error changes nothing
	}
}

// close ends all idle players at once, in haste when somebody waits for that.
func (p *pool) close(haste bool) error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	errs := make([]error, len(idle))
	var wg sync.WaitGroup
	for i, o := range idle {
		if h, ok := o.player.(Hastener); ok && haste {
			h.Hasten()
		}
		wg.Go(func() { errs[i] = o.player.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
