package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
)

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
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.p.cmd.Process.Pid))
		if err != nil || len(tasks) == 0 {
			t.Fatal("no threads", err)
		}
		for _, path := range tasks {
			text, err := os.ReadFile(path)
			if err != nil {
				continue // a thread that has ended
			}
			_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
			list, _, _ := strings.Cut(rest, "\n")
			if strings.TrimSpace(list) != fmt.Sprint(cpu) {
				t.Errorf("%s is bound to %q, want %d", path, strings.TrimSpace(list), cpu)
			}
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
