package arena

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/movegen/referee"
)

// boundPlayer notes on which processors the thread that plays it may run.
type boundPlayer struct {
	hashPlayer
	seen *[]int
}

func (p *boundPlayer) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	*p.seen = append(*p.seen, boundTo())
	return p.hashPlayer.Move(ctx, g, c)
}

// boundTo returns the number of processors that this thread may run on.
func boundTo() int {
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) != nil {
		return -1
	}
	return mask.Count()
}

// ownPlayer is as one with a process of its own.
type ownPlayer struct {
	boundPlayer
	pins *[][]int
}

func (p *ownPlayer) Pin(cpus []int) { *p.pins = append(*p.pins, cpus) }

func (p *ownPlayer) Keep(cpu int) bool {
	if cpu != nowhere {
		*p.pins = append(*p.pins, []int{cpu})
	}
	return true
}

// TestGamesAreBound: the thread that plays a game is bound during the game alone, and a
// player with its own process is told its processors once.
func TestGamesAreBound(t *testing.T) {
	cores, err := Cores()
	if err != nil || len(cores) == 0 {
		t.Fatal(err)
	}
	all := boundTo()
	for _, own := range []bool{false, true} {
		var s sink
		var seen []int
		var pins [][]int
		m := testMatch(t, &s, 3, 1, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
		m.Places = [][]int{{cores[0][0]}}
		for i := range m.Contestants {
			player := boundPlayer{hashPlayer{name: "p", salt: uint64(i)}, &seen}
			m.Contestants[i].Open = func() (Player, error) {
				if own {
					return &ownPlayer{player, &pins}, nil
				}
				return &player, nil
			}
		}
		if err := m.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(s.games) != 6 || slices.Min(seen) != 1 || slices.Max(seen) != 1 {
			t.Errorf("own process %v: %d games, threads were bound to %d to %d processors, want 1", own, len(s.games), slices.Min(seen), slices.Max(seen))
		}
		if own && fmt.Sprint(pins) != fmt.Sprintf("[[%d] [%d]]", cores[0][0], cores[0][0]) {
			t.Errorf("told %v", pins)
		}
		if n := boundTo(); n != all {
			t.Errorf("a thread is bound to %d of %d processors after the match", n, all)
		}
	}
}

// TestQuickGamesAreBound: without places the threads of games whose engines answer at once
// are bound after a streak, those of others and of engines in process never; none is after
// the match.
func TestQuickGamesAreBound(t *testing.T) {
	all := boundTo()
	if all < 2 {
		t.Skip("there is one processor: nothing is to be bound")
	}
	for _, c := range []struct {
		wall  time.Duration
		own   bool
		bound bool
	}{{0, true, true}, {0, false, false}, {2 * slowReply, true, false}} {
		var s sink
		var seen []int
		var pins [][]int
		m := testMatch(t, &s, 3, 1, hashPlayer{name: "a", salt: 1}, hashPlayer{name: "b", salt: 2})
		for i := range m.Contestants {
			player := boundPlayer{hashPlayer{name: "p", salt: uint64(i), wall: c.wall}, &seen}
			m.Contestants[i].Open = func() (Player, error) {
				if c.own {
					return &ownPlayer{player, &pins}, nil
				}
				return &player, nil
			}
		}
		if err := m.Play(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := slices.Repeat([]int{all}, len(seen))
		for i := range want {
			if c.bound && i >= streak {
				want[i] = 1
			}
		}
		if len(seen) < 4*streak || !slices.Equal(seen, want) || (len(pins) > 0) != c.bound {
			t.Errorf("%+v: %d replies by threads bound to %v of %d processors; engines bound to %v", c, len(seen), seen, all, pins)
		}
		if n := boundTo(); n != all || slices.Max(tenants.games) > 0 {
			t.Errorf("%+v: after the match a thread is bound to %d of %d processors, games there are %v", c, n, all, tenants.games)
		}
	}
}

// TestGamesBeyondPlaces are not bound.
func TestGamesBeyondPlaces(t *testing.T) {
	p := places{sets: [][]int{{0}, {1}}}
	a, b, c := p.take(), p.take(), p.take()
	if a != 0 || b != 1 || c != nowhere {
		t.Errorf("places %d %d %d", a, b, c)
	}
	p.give(c)
	p.give(a)
	if got := p.take(); got != 0 {
		t.Errorf("place %d, want the free one", got)
	}
}

func TestGroupCores(t *testing.T) {
	root := t.TempDir()
	for n, siblings := range []string{"0,2", "1,3", "0,2", "1,3"} {
		dir := filepath.Join(root, fmt.Sprint("cpu", n), "topology")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "thread_siblings_list"), []byte(siblings+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		allowed []int
		want    string
	}{
		{[]int{0, 1, 2, 3}, "[[0 2] [1 3]]"},
		{[]int{2, 3}, "[[2] [3]]"}, // a control group without the others
		{[]int{1, 3, 9}, "[[1 3] [9]]"},
	} {
		if got := fmt.Sprint(groupCores(root, func(n int) bool { return slices.Contains(c.allowed, n) })); got != c.want {
			t.Errorf("allowed %v: %s, want %s", c.allowed, got, c.want)
		}
	}
}
