//go:build bench && unix

package engine

import (
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
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// TestPipes measures plies per second through pipes with an engine that answers at once, at
// concurrency 1 and 2, and the processor time of a ply, engines included, which depends less
// on what else the machine does. Where CCHESS names a folder with c-chess-cli and its
// test/engine built (see lucasart/c-chess-cli), that is measured in turn with ours: medians
// of rounds.
func TestPipes(t *testing.T) {
	const rounds, plies = 7, 60000
	peer := os.Getenv("CCHESS")
	for _, n := range []int{1, 2} {
		var ours, theirs, oursCPU, theirsCPU []float64
		for range rounds {
			cpu := cpuTime()
			ours = append(ours, pipes(t, n, plies))
			oursCPU = append(oursCPU, float64((cpuTime()-cpu).Microseconds())/plies)
			if peer != "" {
				rate, cpu := peerPipes(t, peer, n, 800)
				theirs, theirsCPU = append(theirs, rate), append(theirsCPU, cpu)
			}
		}
		line := fmt.Sprintf("concurrency %d: %.0f plies/s, %.1f µs CPU a ply", n, median(ours), median(oursCPU))
		if peer != "" {
			line += fmt.Sprintf("; c-chess-cli %.0f, %.1f µs; ratio %.2f, of CPU %.2f", median(theirs), median(theirsCPU),
				median(ours)/median(theirs), median(theirsCPU)/median(oursCPU))
		}
		t.Log(line)
	}
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
			pipes(t, 2, games/10*plies)
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

// pipes plays games at the concurrency until each table has played its share of the plies,
// and returns plies per second.
func pipes(t *testing.T, concurrency, plies int) float64 {
	var tables [][2]arena.Player
	for range concurrency {
		var pair [2]arena.Player
		for c := range pair {
			cfg := Config{Name: "answer", Cmd: answerer(t), Args: quietGame(t)}
			cfg.Deadlines = Deadlines{}
			e := New(cfg)
			defer e.Close()
			if err := e.NewGame(context.Background()); err != nil {
				t.Fatal(err)
			}
			pair[c] = e
		}
		tables = append(tables, pair)
	}
	var wg sync.WaitGroup
	begin := time.Now()
	for _, pair := range tables {
		wg.Go(func() {
			for left := plies / concurrency; left > 0; {
				left -= pipeGame(t, pair, min(left, 80))
			}
		})
	}
	wg.Wait()
	return float64(plies) / time.Since(begin).Seconds()
}

func pipeGame(t *testing.T, players [2]arena.Player, most int) int {
	g := newGame(t)
	for _, p := range players {
		if err := p.NewGame(context.Background()); err != nil {
			t.Error(err)
		}
	}
	for g.Verdict().Status == referee.Ongoing && g.Len() < most {
		r, err := players[g.Position().Side()].Move(context.Background(), g, nodes)
		if err == nil {
			_, err = g.Play(r.Move)
		}
		if err != nil {
			t.Error(err)
			return most
		}
	}
	return g.Len()
}

var plyCount = regexp.MustCompile(`\[PlyCount "(\d+)"\]`)

// peerPipes runs c-chess-cli with its random mover and returns plies per second and the
// processor time of a ply in microseconds.
func peerPipes(t *testing.T, dir string, concurrency, games int) (rate, cpu float64) {
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
	return float64(plies) / took.Seconds(), float64(used.Microseconds()) / float64(plies)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
