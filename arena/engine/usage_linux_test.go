package engine

import (
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Of more busy processes than processors, each uses time and waits for it.
func TestUsage(t *testing.T) {
	var watched []*usage
	for range 3 * runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		u := newUsage(cmd.Process.Pid)
		defer u.close()
		watched = append(watched, u)
	}
	for range 200 {
		time.Sleep(20 * time.Millisecond)
		cpu, delay := time.Duration(0), time.Duration(0)
		for _, u := range watched {
			cpu += u.cpu()
			delay += u.delay()
		}
		if cpu > 50*time.Millisecond && delay > 50*time.Millisecond {
			return
		}
	}
	t.Error("busy processes show no processor time, or no waiting for it")
}

func TestSecondNumber(t *testing.T) {
	for text, want := range map[string]time.Duration{"5923033 2883144 14\n": 2883144, "1 0 0": 0, "": 0, "7": 0, "1 12": 12} {
		if got := secondNumber([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
