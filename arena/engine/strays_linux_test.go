package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What an engine has started in a session of its own, as a daemon too, ends with it: when it
// quits, when it is killed, and when it crashes.
func TestStrays(t *testing.T) {
	for _, do := range []string{"session", "daemon"} {
		for _, end := range []string{"quit", "kill"} {
			t.Run(do+" "+end, func(t *testing.T) {
				t.Parallel()
				cfg := script("-do", do)
				cfg.Deadlines = patient
				c := New(cfg)
				defer c.Close()
				if err := c.NewGame(context.Background()); err != nil {
					t.Fatal(err)
				}
				mark := c.p.cmd.Env[len(c.p.cmd.Env)-1]
				until(t, "a stray lives", func() bool { return len(strays(mark)) == 2 }) // and the engine
				if end == "kill" {
					c.p.kill()
				}
				c.Close()
				until(t, "none is left", func() bool { return len(strays(mark)) == 0 })
			})
		}
	}
}

// strays lists the processes with the mark, but those that wait to be reaped.
func strays(mark string) (list []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		if env, err := os.ReadFile(name); err == nil && marked(env, append([]byte(mark), 0)) {
			list = append(list, name)
		}
	}
	return list
}

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for range 1000 {
		if f() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("it never came that %s", what)
}

func TestMarked(t *testing.T) {
	mark := []byte("XQLAB_ENGINE=1.2.3\x00")
	for env, want := range map[string]bool{
		"XQLAB_ENGINE=1.2.3\x00": true, "A=1\x00XQLAB_ENGINE=1.2.3\x00B=2\x00": true, "": false,
		"A=XQLAB_ENGINE=1.2.3\x00": false, "XQLAB_ENGINE=1.2.33\x00": false,
	} {
		if got := marked([]byte(env), mark); got != want {
			t.Errorf("%q: %t", env, got)
		}
	}
}
