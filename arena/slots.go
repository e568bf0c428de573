package arena

import (
	"context"
	"sync"
)

// slots bounds the games played at once. The bound may change while games run; 0 pauses.
type slots struct {
	mu    sync.Mutex
	limit int
	used  int
	free  chan struct{} // closed and replaced at each change that may let someone in
}

func newSlots(limit int) *slots { return &slots{limit: limit, free: make(chan struct{})} }

// take waits for a slot, or for ctx; once that has ended no slot is given any more.
func (s *slots) take(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.mu.Lock()
		if s.used < s.limit {
			s.used++
			s.mu.Unlock()
			return nil
		}
		wait := s.free
		s.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *slots) give() { s.change(func() { s.used-- }) }

// setLimit changes the bound; games in progress go on.
func (s *slots) setLimit(n int) { s.change(func() { s.limit = n }) }

func (s *slots) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.free)
	s.free = make(chan struct{})
}

// untilDrained returns a context that ends with ctx, by the function, or when drain is
// closed.
func untilDrained(ctx context.Context, drain <-chan struct{}) (context.Context, context.CancelFunc) {
	begin, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-drain:
			stop()
		case <-begin.Done():
		}
	}()
	return begin, stop
}
