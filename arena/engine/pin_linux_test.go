package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/results"
)

// boundTo returns where the threads of a running engine may run: the list of processors, or
// all of them where they differ.
func boundTo(t *testing.T, c *Client) string {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.p.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		t.Fatal("no threads", err)
	}
	var lists []string
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // a thread that has ended
		}
		_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
		list, _, _ := strings.Cut(rest, "\n")
		lists = append(lists, strings.TrimSpace(list))
	}
	slices.Sort(lists)
	return strings.Join(slices.Compact(lists), " and ")
}

// TestPinnedEngine: all threads of an engine's process are bound before it runs, a new
// process too, and those of this program are not.
func TestPinnedEngine(t *testing.T) {
	cores, err := arena.Cores()
	if err != nil || len(cores) == 0 {
		t.Fatal(err)
	}
	cpu := cores[len(cores)-1][0]
	cfg := script()
	cfg.Restart = true
	c := New(cfg)
	c.Pin([]int{cpu})
	defer c.Close()
	for range 2 {
		if err := c.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got, want := boundTo(t, c), fmt.Sprint(cpu); got != want {
			t.Errorf("bound to %q, want %s", got, want)
		}
	}
	own, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range own {
		var mask unix.CPUSet
		var id int
		fmt.Sscan(filepath.Base(dir), &id)
		if unix.SchedGetaffinity(id, &mask) == nil && len(cores) > 1 && mask.Count() == 1 {
			t.Errorf("thread %d of this program is bound", id)
		}
	}
}

// TestKeptEngine: all threads of a running engine are bound, moved and given back what they
// had, each its own; a move that takes long frees them while it goes on; one that is bound
// elsewhere, or has ended, is left alone.
func TestKeptEngine(t *testing.T) {
	cores, err := arena.Cores()
	if err != nil || len(cores) == 0 {
		t.Fatal(err)
	}
	cpus := slices.Concat(cores...)
	if len(cpus) < 2 {
		t.Skip("there is one processor")
	}
	c := New(script("-pause", "100ms"))
	defer c.Close()
	if c.Keep(cpus[0]) || !c.Keep(-1) {
		t.Error("an engine that does not run was bound, or not free")
	}
	if err := c.NewGame(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := boundTo(t, c)
	for _, cpu := range []int{cpus[1], cpus[0], cpus[0], -1, -1, cpus[1]} {
		want := fmt.Sprint(cpu)
		if cpu < 0 {
			want = all
		}
		if ok, got := c.Keep(cpu), boundTo(t, c); !ok || got != want {
			t.Fatalf("Keep(%d) is %v, bound to %s, want %s", cpu, ok, got, want)
		}
	}
	if c.Keep(1000) || boundTo(t, c) != all {
		t.Errorf("a processor that is not there: bound to %s, want %s", boundTo(t, c), all)
	}
	c.Keep(cpus[1])
	during := make(chan string)
	go func() {
		time.Sleep(50 * time.Millisecond)
		during <- boundTo(t, c)
	}()
	if _, err := c.Move(context.Background(), newGame(t), nodes); err != nil {
		t.Fatal(err)
	}
	if got := <-during; got != all || boundTo(t, c) != all {
		t.Errorf("in a long move bound to %s, after it to %s, want %s", got, boundTo(t, c), all)
	}
	if err := c.NewGame(context.Background()); err != nil {
		t.Fatal(err)
	}
	odd := arena.Mask(cpus[:1])
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", c.p.cmd.Process.Pid))
	var last int
	fmt.Sscan(filepath.Base(tasks[len(tasks)-1]), &last)
	if err := unix.SchedSetaffinity(last, &odd); err != nil || len(tasks) < 2 {
		t.Fatal(err, tasks)
	}
	mixed := boundTo(t, c)
	if c.Keep(cpus[1]) || boundTo(t, c) != mixed {
		t.Errorf("one thread may not run there: bound to %s, want %s", boundTo(t, c), mixed)
	}
	c.p.kill()
	<-c.p.exited
	if c.Keep(cpus[0]) {
		t.Error("an engine that has ended was bound")
	}
}

// TestKeptFlood: an engine that prints all the time is freed as well, and neither the
// deadline of a move nor the end of a game given up is missed.
func TestKeptFlood(t *testing.T) {
	cores, err := arena.Cores()
	if err != nil || len(cores) == 0 {
		t.Fatal(err)
	}
	cpu := cores[0][0]
	for _, what := range []string{"flood", "silent"} {
		c := New(script("-do", what))
		defer c.Close()
		if err := c.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !c.Keep(cpu) {
			t.Fatal("not bound")
		}
		_, err := c.Move(context.Background(), newGame(t), nodes)
		var f *arena.Failure
		if !errors.As(err, &f) || f.Reason != results.Hang {
			t.Errorf("%s: %v", what, err)
		}
		if c.p != nil && c.p.held != nil {
			t.Errorf("%s: it is still bound", what)
		}
		if err := c.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
		c.Keep(cpu)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		if _, err := c.Move(ctx, newGame(t), nodes); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: given up: %v", what, err)
		}
	}
}
