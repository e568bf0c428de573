//go:build bench && unix

package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// TestPipes measures plies per second through pipes with an engine that answers at once, in
// a match of games that are bound to no processor and of such as are, at concurrency 1 and 2
// or as CONCURRENCY says, and the processor time of a ply, engines included, which depends
// less on what else the machine does. Where CCHESS names a folder with c-chess-cli and its
// test/engine built (see lucasart/c-chess-cli), that is measured in turn with ours: medians
// of rounds.
func TestPipes(t *testing.T) {
	const rounds, plies = 7, 120000
	peer := os.Getenv("CCHESS")
	for _, n := range concurrencies(t) {
		var free, bound, theirs []speed
		for range rounds {
			free = append(free, ourSpeed(t, n, plies, false))
			if n <= runtime.NumCPU() {
				bound = append(bound, ourSpeed(t, n, plies, true))
			}
			if peer != "" {
				theirs = append(theirs, peerPipes(t, peer, n, 800))
			}
		}
		ours, peers := median(free), median(theirs)
		line := fmt.Sprintf("concurrency %d: %v", n, ours)
		if len(bound) > 0 {
			line += fmt.Sprintf(", with --affinity %v", median(bound))
		}
		if peer != "" {
			line += fmt.Sprintf("; c-chess-cli %v; ratio %.2f, of CPU %.2f", peers, ours.rate/peers.rate, peers.cpu/ours.cpu)
		}
		t.Log(line)
	}
}

// concurrencies returns what is to be measured.
func concurrencies(t *testing.T) []int {
	text := os.Getenv("CONCURRENCY")
	if text == "" {
		return []int{1, 2}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return []int{n}
}

// speed is plies per second and the processor time of a ply in microseconds.
type speed struct{ rate, cpu float64 }

func (s speed) String() string { return fmt.Sprintf("%.0f plies/s (%.1f µs CPU)", s.rate, s.cpu) }

func ourSpeed(t *testing.T, concurrency, plies int, bound bool) speed {
	cpu := cpuTime()
	rate := pipes(t, concurrency, plies, bound)
	return speed{rate, float64((cpuTime() - cpu).Microseconds()) / float64(plies)}
}

// cpuTime returns the processor time of this process and of its children that have ended.
func cpuTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}

// TestPipesMemory plays 10,000 games in one process and shows how its memory goes.
func TestPipesMemory(t *testing.T) {
	const games, plies = 10000, 80
	var m runtime.MemStats
	for part := range 11 {
		if part > 0 {
			pipes(t, 2, games/10*plies, false)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		t.Logf("after %5d games: resident %d kB, heap %d kB, %d goroutines, %d allocations", part*games/10, resident(), m.HeapAlloc>>10, runtime.NumGoroutine(), m.Mallocs)
	}
}

// resident returns the memory of this process in kB, 0 where that is unknown.
func resident() int {
	var size, pages int
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize() >> 10
}

var answererPath struct {
	sync.Once
	path string
}

// answerer compiles testdata/answer.c, an engine that answers at once with the move of a
// game it was given. Like the peer's it is written in C, so that runners are compared.
func answerer(t *testing.T) string {
	answererPath.Do(func() {
		dir, err := os.MkdirTemp("", "answer")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "answer")
		if out, err := exec.Command("cc", "-O2", "-o", path, "testdata/answer.c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		answererPath.path = path
	})
	return answererPath.path
}

// quietGame returns the moves of a game of 80 plies without a capture or a repetition.
func quietGame(t *testing.T) (words []string) {
	g := newGame(t)
	seen := map[uint64]bool{g.Position().Key(): true}
	random := rand.New(rand.NewPCG(1, 2))
	for tries := 0; g.Len() < 80; tries++ {
		var moves movegen.MoveList
		pos := *g.Position()
		pos.Legal(&moves)
		m := moves.Slice()[random.IntN(moves.Len())]
		capture := pos.At(m.To()) != movegen.NoPiece
		var u movegen.Undo
		pos.Make(m, &u)
		if tries > 1e6 {
			t.Fatal("no quiet game found")
		}
		if capture || seen[pos.Key()] {
			continue
		}
		seen[pos.Key()] = true
		if _, err := g.Play(m); err != nil {
			t.Fatal(err)
		}
		words = append(words, m.String())
	}
	return words
}

// pipes plays a match of games of 80 plies with the arena's own loop, each game bound to a
// processor of its own if asked for, and returns plies per second.
func pipes(t *testing.T, concurrency, plies int, bound bool) float64 {
	const length = 80
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Name: "answer", Cmd: answerer(t), Args: quietGame(t)}
	engine := arena.Contestant{Name: "answer", Limits: arena.Limits{Nodes: 100}, Open: func() (arena.Player, error) { return New(cfg), nil }}
	var played atomic.Int64
	m := arena.Match{
		Contestants: []arena.Contestant{engine, engine}, Pairings: []arena.Pairing{{First: 0, Second: 1}},
		Pairs: plies / length / 2, Concurrency: concurrency, Conduct: arena.Conduct{Rules: rules, MaxPlies: length},
		Opening: func(int) (arena.Opening, error) { return arena.Opening{FEN: movegen.StartFEN}, nil },
		Put: func(_ context.Context, g *results.Game) error {
			played.Add(int64(len(g.Plies)))
			return nil
		},
	}
	if bound {
		cores, err := arena.Cores()
		if err == nil {
			m.Places, err = arena.Places(cores, concurrency, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	if err := m.Play(context.Background()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	if played.Load() != int64(m.Pairs*2*length) {
		t.Fatalf("%d plies were played, want %d games of %d", played.Load(), m.Pairs*2, length)
	}
	return float64(played.Load()) / took.Seconds()
}

var plyCount = regexp.MustCompile(`\[PlyCount "(\d+)"\]`)

// peerPipes runs c-chess-cli with its random mover.
func peerPipes(t *testing.T, dir string, concurrency, games int) speed {
	pgn := filepath.Join(t.TempDir(), "peer.pgn")
	engine := filepath.Join(dir, "test", "engine")
	cmd := exec.Command(filepath.Join(dir, "c-chess-cli"), "-each", "cmd="+engine, "depth=1", "-engine", "name=a",
		"-engine", "cmd="+engine+" 7", "name=b", "-games", strconv.Itoa(games), "-pgn", pgn, "1", "-concurrency", strconv.Itoa(concurrency))
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	took := time.Since(begin)
	text, err := os.ReadFile(pgn)
	if err != nil {
		t.Fatal(err)
	}
	plies := 0
	for _, m := range plyCount.FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		plies += n
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return speed{float64(plies) / took.Seconds(), float64(used.Microseconds()) / float64(plies)}
}

// median takes that of each.
func median(list []speed) (m speed) {
	if len(list) == 0 {
		return m
	}
	slices.SortFunc(list, func(a, b speed) int { return cmp.Compare(a.rate, b.rate) })
	m.rate = list[len(list)/2].rate
	slices.SortFunc(list, func(a, b speed) int { return cmp.Compare(a.cpu, b.cpu) })
	m.cpu = list[len(list)/2].cpu
	return m
}
