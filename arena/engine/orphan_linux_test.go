package engine

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A runner that is killed with -9 leaves no engine behind, not even one that is deaf to
// the end of its input. The runner is this test's own binary, run again.
func TestKilledRunner(t *testing.T) {
	if os.Getenv("XQLAB_TEST_RUNNER") != "" {
		runnerToBeKilled(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRunner$")
	cmd.Env = append(os.Environ(), "XQLAB_TEST_RUNNER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var pids []int
	for s := bufio.NewScanner(out); len(pids) < 2 && s.Scan(); {
		if text, ok := strings.CutPrefix(s.Text(), "engine "); ok {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	if len(pids) != 2 {
		t.Fatalf("%d engines were started, want 2", len(pids))
	}
	for _, pid := range pids {
		if !groupAlive(pid) {
			t.Fatalf("engine %d does not run", pid)
		}
	}
	cmd.Process.Kill()
	for _, pid := range pids {
		groupGone(t, pid)
	}
}

// runnerToBeKilled starts engines from goroutines that end, and thinks for ever.
func runnerToBeKilled(t *testing.T) {
	for range 2 {
		c := make(chan *Client)
		go func() {
			cfg := script("-do", "silent", "-at", "1")
			cfg.Deadlines = patient
			e := New(cfg)
			if err := e.NewGame(context.Background()); err != nil {
				t.Error(err)
			}
			c <- e
		}()
		e := <-c
		go e.Move(context.Background(), newGame(t), nodes)
		fmt.Printf("engine %d\n", e.p.cmd.Process.Pid)
	}
	time.Sleep(time.Minute)
}
