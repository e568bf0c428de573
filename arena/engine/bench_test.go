//go:build bench

package engine

import (
	"context"
	"fmt"
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

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen/referee"
)

// TestPipes measures plies per second through pipes with an engine that answers at once,
// at concurrency 1 and 2. Where CCHESS names a folder with c-chess-cli and its test/engine
// built (see lucasart/c-chess-cli), that is measured in turn with ours: medians of rounds.
func TestPipes(t *testing.T) {
	const rounds = 7
	peer := os.Getenv("CCHESS")
	for _, n := range []int{1, 2} {
		var ours, theirs []float64
		for range rounds {
			ours = append(ours, pipes(t, n, 20000))
			if peer != "" {
				theirs = append(theirs, peerPipes(t, peer, n, 300))
			}
		}
		line := fmt.Sprintf("concurrency %d: %.0f plies/s", n, median(ours))
		if peer != "" {
			line += fmt.Sprintf(", c-chess-cli %.0f, ratio %.2f", median(theirs), median(ours)/median(theirs))
		}
		t.Log(line)
	}
}

// TestPipesMemory plays many games in one process and reports how the heap grows.
func TestPipesMemory(t *testing.T) {
	var before, after runtime.MemStats
	pipes(t, 2, 20000)
	runtime.GC()
	runtime.ReadMemStats(&before)
	rate := pipes(t, 2, 400000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("400000 plies at %.0f plies/s: heap %d kB before, %d kB after, %.2f allocations a ply", rate,
		before.HeapAlloc>>10, after.HeapAlloc>>10, float64(after.Mallocs-before.Mallocs)/400000)
}

// pipes plays games at the concurrency until each table has played its share of the plies,
// and returns plies per second.
func pipes(t *testing.T, concurrency, plies int) float64 {
	var tables [][2]arena.Player
	for range concurrency {
		var pair [2]arena.Player
		for c := range pair {
			cfg := script("-do", "instant")
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
				left -= pipeGame(t, pair, left)
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

// peerPipes runs c-chess-cli with its random mover and returns plies per second.
func peerPipes(t *testing.T, dir string, concurrency, games int) float64 {
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
	return float64(plies) / took.Seconds()
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
