package arena

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// keptPlayer is as one with a process of its own, and notes where that is kept.
type keptPlayer struct {
	hashPlayer
	cpu     int
	refuses bool
}

func (p *keptPlayer) Pin([]int) {}

func (p *keptPlayer) Keep(cpu int) bool {
	if p.refuses && cpu != nowhere {
		p.cpu = nowhere
		return false
	}
	p.cpu = cpu
	return true
}

// twoCores are processors 7 and 3, so that no number is right by chance.
func twoCores() ([][]int, error) { return [][]int{{7}, {3}}, nil }

// TestSeat: when a game is bound and when it is freed.
func TestSeat(t *testing.T) {
	type replies struct {
		n    int
		wall time.Duration
	}
	const between = (quickReply + slowReply) / 2
	for _, c := range []struct {
		name    string
		said    []replies
		refuses bool
		bound   bool
		need    int // quick replies it would take to be bound again, or did
	}{
		{"too few", []replies{{streak - 1, 0}}, false, false, streak},
		{"a streak", []replies{{streak, quickReply - 1}}, false, true, streak},
		{"a thinker", []replies{{1000, slowReply}}, false, false, mostNeed},
		{"one side thinks", slices.Repeat([]replies{{1, 0}, {1, slowReply}}, 200), false, false, mostNeed},
		{"neither quick nor slow", []replies{{1000, between}}, false, false, streak},
		{"one side neither", slices.Repeat([]replies{{1, 0}, {1, between}}, 200), false, false, streak},
		{"a pause in the streak", []replies{{streak - 1, 0}, {1, between}, {slowCost, 0}}, false, false, streak},
		{"made up for", []replies{{streak - 1, 0}, {1, between}, {slowCost + 1, 0}}, false, true, streak},
		{"a slow one frees", []replies{{streak, 0}, {1, slowReply}}, false, false, 2 * streak},
		{"some between do not", []replies{{streak, 0}, {streak/slowCost - 1, between}}, false, true, streak},
		{"many do", []replies{{streak, 0}, {streak / slowCost, between}}, false, false, 2 * streak},
		{"it takes longer then", []replies{{streak, 0}, {1, slowReply}, {2*streak - 1, 0}}, false, false, 2 * streak},
		{"and comes", []replies{{streak, 0}, {1, slowReply}, {2 * streak, 0}}, false, true, 2 * streak},
		{"again and again", slices.Repeat([]replies{{mostNeed, 0}, {1, slowReply}}, 3), false, false, streak},
		{"always soon", slices.Repeat([]replies{{streak, 0}, {1, slowReply}}, 3), false, false, 2 * streak},
		{"a process that cannot be bound", []replies{{streak, 0}}, true, false, mostNeed},
	} {
		shared := &tenancy{cores: twoCores}
		s := newSeat(shared)
		red, black := &keptPlayer{cpu: nowhere}, &keptPlayer{cpu: nowhere, refuses: c.refuses}
		s.begin(red, black)
		for _, r := range c.said {
			for range r.n {
				s.answered(r.wall)
			}
		}
		cpu := nowhere
		if c.bound {
			cpu = 7
		}
		if bound := s.release != nil; bound != c.bound || red.cpu != cpu || black.cpu != cpu || s.need != c.need && c.name != "a thinker" && c.name != "one side thinks" {
			t.Errorf("%s: bound %v, engines on %d and %d, it takes %d; want %v, %d, %d", c.name, bound, red.cpu, black.cpu, s.need, c.bound, cpu, c.need)
		}
		s.end()
		if slices.Max(append(shared.games, 0)) > 0 {
			t.Errorf("%s: games %v are bound after the end", c.name, shared.games)
		}
	}
}

// TestSeatOutlivesGames: the next game is bound from its beginning, also one whose engines
// are started after that, and players that another seat has bound are freed.
func TestSeatOutlivesGames(t *testing.T) {
	shared := &tenancy{cores: twoCores}
	s, other := newSeat(shared), newSeat(shared)
	a, b := &keptPlayer{cpu: nowhere}, &keptPlayer{cpu: nowhere}
	s.begin(a, b)
	for range streak {
		s.answered(0)
	}
	s.end()
	if a.cpu != 7 || s.release != nil {
		t.Fatalf("an engine is kept on %d, thread bound %v", a.cpu, s.release != nil)
	}
	s.begin(a, b)
	if s.release == nil || a.cpu != 7 || b.cpu != 7 {
		t.Errorf("the next game: thread bound %v, engines on %d, %d", s.release != nil, a.cpu, b.cpu)
	}
	b.cpu = nowhere // as a process started since
	s.answered(0)
	if b.cpu != 7 {
		t.Errorf("an engine started at the game's begin is on %d", b.cpu)
	}
	s.end()
	other.begin(b, a)
	if a.cpu != nowhere || b.cpu != nowhere {
		t.Errorf("at another seat they are on %d, %d", a.cpu, b.cpu)
	}
	s.begin(a, &hashPlayer{})
	s.answered(0)
	if s.release != nil || a.cpu != nowhere {
		t.Errorf("a game with an engine in process is bound: thread %v, engine on %d", s.release != nil, a.cpu)
	}
}

// TestSeatsProperty: whatever is played, a bound game has its thread and engines on one
// processor, others have not, a slow reply frees, and the counts are those of the games.
func TestSeatsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shared := &tenancy{cores: twoCores}
		players := []*keptPlayer{{cpu: nowhere}, {cpu: nowhere}, {cpu: nowhere}, {cpu: nowhere}}
		list := []*seat{newSeat(shared), newSeat(shared)}
		var playing [2][2]*keptPlayer
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			k := rapid.IntRange(0, 1).Draw(t, "seat")
			s := list[k]
			switch {
			case playing[k][0] == nil:
				i := rapid.IntRange(0, len(players)-2).Draw(t, "players")
				playing[k] = [2]*keptPlayer(players[i : i+2])
				players = slices.Delete(players, i, i+2)
				s.begin(playing[k][0], playing[k][1])
			case rapid.IntRange(0, 4).Draw(t, "end") == 0:
				s.end()
				players = append(players, playing[k][:]...)
				playing[k] = [2]*keptPlayer{}
			default:
				wall := rapid.SampledFrom([]time.Duration{0, 0, 0, quickReply, slowReply}).Draw(t, "wall")
				for range rapid.IntRange(1, 3*streak).Draw(t, "replies") {
					s.answered(wall)
				}
				if wall == slowReply && s.release != nil {
					t.Fatal("a slow game is bound")
				}
			}
			bound := 0
			for k, s := range list {
				if s.release != nil {
					bound++
				}
				for _, p := range playing[k] {
					if p != nil && (p.cpu != nowhere) != (s.release != nil) || p != nil && p.cpu != nowhere && p.cpu != s.cpu {
						t.Fatalf("seat %d on %d, bound %v: an engine is on %d", k, s.cpu, s.release != nil, p.cpu)
					}
				}
			}
			if n := append(shared.games, 0, 0); n[0]+n[1] != bound || n[0] > 1 || n[1] > 1 {
				t.Fatalf("%d games are bound, counted are %v", bound, shared.games)
			}
		}
		for _, s := range list {
			s.end()
		}
	})
}

func TestTenancy(t *testing.T) {
	for _, c := range []struct {
		cores  [][]int
		err    error
		rather []int // of each game
		want   string
	}{
		{[][]int{{0, 2}, {1, 3}}, nil, []int{-1, -1, -1, -1, -1}, "[0 1 2 3 0]"}, // cores first
		{[][]int{{0}, {1}, {2}}, nil, []int{1, 1, 1, 1}, "[1 0 2 1]"},
		{[][]int{{0}, {1}}, nil, []int{9}, "[0]"},
		{[][]int{{4}}, nil, []int{-1}, "[-1]"},
		{nil, errors.New("not here"), []int{-1}, "[-1]"},
	} {
		n := &tenancy{cores: func() ([][]int, error) { return c.cores, c.err }}
		var got []int
		for _, r := range c.rather {
			got = append(got, n.take(r))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.cores, got, c.want)
		}
		for _, cpu := range got {
			n.give(cpu)
		}
		if slices.Max(append(n.games, 0)) > 0 {
			t.Errorf("%v: left are %v", c.cores, n.games)
		}
	}
}

// TestTenancyTogether: games of many goroutines are counted right.
func TestTenancyTogether(t *testing.T) {
	n := &tenancy{cores: twoCores}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				n.give(n.take(3))
			}
		})
	}
	wg.Wait()
	if fmt.Sprint(n.games) != "[0 0]" {
		t.Errorf("left are %v", n.games)
	}
}
