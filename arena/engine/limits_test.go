package engine

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// said keeps what is said to an engine.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// goes returns the go commands, that which asks for the ranks left out.
func (s *said) goes() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range strings.Split(s.b.String(), "\n") {
		if _, text, ok := strings.Cut(l, " > go "); ok {
			lines = append(lines, text)
		}
	}
	return lines
}

// TestLimitsReachEngines plays games under each kind of limit in each protocol and looks at
// the go commands that Red and Black receive.
func TestLimitsReachEngines(t *testing.T) {
	blitz := arena.Limits{Time: ms(60000), Inc: ms(500)}
	period := arena.Limits{Time: ms(30000), MovesTo: 2}
	const t60, t30 = `(60\d{3}|59\d{3})`, `(30000|29\d{3})`
	two30 := `(60000|59\d{3})` // a new period on top of what was left
	for _, c := range []struct {
		name       string
		red, black arena.Limits
		proto      Proto
		millis     bool     // UCCI
		want       []string // of Red's first moves, regular expressions
		other      []string // of Black's
	}{
		{"increment", blitz, blitz, UCI, false, []string{"wtime 60000 btime 60000 winc 500 binc 500", "wtime " + t60 + " btime " + t60 + " winc 500 binc 500"}, []string{"wtime " + t60 + " btime 60000 winc 500 binc 500"}},
		{"increment", blitz, blitz, Cyclone, false, []string{"wtime 60000 btime 60000 winc 500 binc 500"}, []string{"wtime " + t60 + " btime 60000 winc 500 binc 500"}},
		{"increment", blitz, blitz, UCCI, true, []string{"time 60000 increment 500 opptime 60000 oppincrement 500"}, []string{"time 60000 increment 500 opptime " + t60 + " oppincrement 500"}},
		{"increment", blitz, blitz, UCCI, false, []string{"time 60 increment 0 opptime 60 oppincrement 0"}, []string{"time 60 increment 0 opptime (60|59) oppincrement 0"}},
		{"periods", period, period, UCI, false, []string{
			"wtime 30000 btime 30000 winc 0 binc 0 movestogo 2", "wtime " + t30 + " btime " + t30 + " winc 0 binc 0 movestogo 1",
			"wtime " + two30 + " btime " + two30 + " winc 0 binc 0 movestogo 2"}, []string{"wtime " + t30 + " btime 30000 winc 0 binc 0 movestogo 2"}},
		{"periods", period, period, Cyclone, false, []string{
			"wtime 30000 btime 30000 winc 0 binc 0 movestogo 2", "wtime " + t30 + " btime " + t30 + " winc 0 binc 0 movestogo 1"}, nil},
		{"periods", period, period, UCCI, true, []string{
			"time 30000 movestogo 2 opptime 30000 oppincrement 0", "time " + t30 + " movestogo 1 opptime " + t30 + " oppincrement 0", "time " + two30 + " movestogo 2 opptime " + two30 + " oppincrement 0"}, nil},
		{"odds", blitz, period, UCI, false, []string{"wtime 60000 btime 30000 winc 500 binc 0"}, []string{"wtime " + t60 + " btime 30000 winc 500 binc 0 movestogo 2"}},
		{"odds", blitz, period, UCCI, true, []string{"time 60000 increment 500 opptime 30000 oppincrement 0"}, []string{"time 30000 movestogo 2 opptime " + t60 + " oppincrement 500"}},
		{"odds of kind", blitz, arena.Limits{Nodes: 7}, UCI, false, []string{"wtime 60000 btime 60000 winc 500 binc 500"}, []string{"nodes 7"}},
		{"move time", arena.Limits{MoveTime: ms(3000)}, arena.Limits{MoveTime: ms(3000)}, UCI, false, []string{"movetime 3000", "movetime 3000"}, []string{"movetime 3000"}},
		{"move time", arena.Limits{MoveTime: ms(3000)}, arena.Limits{MoveTime: ms(3000)}, Cyclone, false, []string{"movetime 3000"}, []string{"movetime 3000"}},
		{"move time", arena.Limits{MoveTime: ms(3000)}, arena.Limits{MoveTime: ms(3000)}, UCCI, true, []string{"time 3000 movestogo 1"}, []string{"time 3000 movestogo 1"}},
		{"move time", arena.Limits{MoveTime: ms(3000)}, arena.Limits{MoveTime: ms(3000)}, UCCI, false, []string{"time 3 movestogo 1"}, nil},
		{"nodes", arena.Limits{Nodes: 12}, arena.Limits{Nodes: 34}, UCI, false, []string{"nodes 12", "nodes 12"}, []string{"nodes 34"}},
		{"nodes", arena.Limits{Nodes: 12}, arena.Limits{Nodes: 34}, Cyclone, false, []string{"nodes 12"}, []string{"nodes 34"}},
		{"nodes", arena.Limits{Nodes: 12}, arena.Limits{Nodes: 34}, UCCI, true, []string{"nodes 12"}, []string{"nodes 34"}},
		{"depth", arena.Limits{Depth: 3}, arena.Limits{Depth: 4}, UCI, false, []string{"depth 3"}, []string{"depth 4"}},
		{"depth", arena.Limits{Depth: 3}, arena.Limits{Depth: 4}, UCCI, false, []string{"depth 3"}, []string{"depth 4"}},
		{"clock and nodes", arena.Limits{Time: ms(60000), Nodes: 9}, blitz, UCI, false, []string{"wtime 60000 btime 60000 winc 0 binc 500 nodes 9"}, nil},
	} {
		t.Run(fmt.Sprintf("%s/%s/%v", c.name, c.proto, c.millis), func(t *testing.T) {
			var heard [2]said
			var sides [2]arena.Side
			for i, l := range []arena.Limits{c.red, c.black} {
				args := []string{"-proto", string(c.proto)}
				if c.millis {
					args = append(args, "-option", "usemillisec type check default false")
				}
				cfg := script(args...)
				cfg.Proto, cfg.Ranks, cfg.Log = string(c.proto), "0", &heard[i]
				e := New(cfg)
				defer e.Close()
				l.Margin = ms(1000)
				sides[i] = arena.Side{Player: e, Limits: l}
			}
			rules, err := referee.Named("computer")
			if err != nil {
				t.Fatal(err)
			}
			conduct := arena.Conduct{Rules: rules, MaxPlies: 6}
			g := &results.Game{Red: 0, Black: 1}
			if err := conduct.Play(context.Background(), arena.Opening{FEN: movegen.StartFEN}, sides, g); err != nil || g.Reason != results.MaxPlies {
				t.Fatalf("%v %s %s", err, g.Reason, g.Detail)
			}
			for i, want := range [][]string{c.want, c.other} {
				got := heard[i].goes()
				for k, w := range want {
					if k >= len(got) || !regexp.MustCompile("^"+w+"$").MatchString(got[k]) {
						t.Errorf("side %d, move %d: go %s, want %s", i, k+1, got[min(k, len(got)-1)], w)
					}
				}
			}
		})
	}
}
