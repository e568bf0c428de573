//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsEndReaders: one signal ends what waits for a pipe that nobody writes to, or for
// a terminal.
func TestSignalsEndReaders(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	waiting := [][]string{
		{"uci"}, {"judge", "--batch", "-"}, {"convert", "--to", "jsonl", "-"}, {"convert", "--to", "jsonl", fifo},
		{"perft", "--batch", fifo}, {"judge", "--batch", fifo}, {"eval", "--weights", fifo, "3k5/9/9/9/9/9/9/9/9/4K4 w"},
		{"arena", "--config", fifo}, {"results", "import", "--db", filepath.Join(dir, "i.db"), fifo},
	}
	// On a busy machine a signal may come before the program has begun to listen for it: such
	// a command is tried again with more time.
	for after := 700 * time.Millisecond; len(waiting) > 0; after *= 5 {
		var early [][]string
		for i, state := range signalled(t, xqlab, waiting, after) {
			s, ok := state.Sys().(syscall.WaitStatus)
			switch {
			case ok && s.Signal() == syscall.SIGKILL:
				t.Errorf("%q goes on after the signal", waiting[i])
			case ok && s.Signaled() && after < 30*time.Second:
				early = append(early, waiting[i])
			case state.ExitCode() != exitStopped:
				t.Errorf("%q: %s, want exit status %d", waiting[i], state, exitStopped)
			}
		}
		waiting = early
	}
}

// signalled starts the commands, sends each a signal after a time, and returns how they ended;
// one that goes on for half a minute is killed.
func signalled(t *testing.T, xqlab string, commands [][]string, after time.Duration) (states []*os.ProcessState) {
	t.Helper()
	var running []*exec.Cmd
	for _, args := range commands {
		cmd := exec.Command(xqlab, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	time.Sleep(after)
	for i, cmd := range running {
		sig := syscall.SIGTERM
		if i%2 == 1 && !signal.Ignored(syscall.SIGHUP) { // the terminal is closed
			sig = syscall.SIGHUP
		}
		cmd.Process.Signal(sig)
	}
	for _, cmd := range running {
		killed := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		killed.Stop()
		states = append(states, cmd.ProcessState)
	}
	return states
}

// TestSignalsEndInTime: whatever the program is doing, the first signal ends it within two
// seconds (more on a busy machine) with the status of a stop.
func TestSignalsEndInTime(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	match := []string{"arena", "--db", filepath.Join(dir, "a.db"), "--engine", "name=a,nodes=500", "--engine", "name=b,nodes=500"}
	cases := map[string][]string{
		"a search for openings without end": append(match, "--openings", "random,eval=30000..31000", "--games", "2"),
		"a match":                           append(match, "--openings", "random,plies=4", "--pairs", "100000"),
		"self-play":                         {"selfplay", "--db", filepath.Join(dir, "s.db"), "--games", "100000", "--nodes", "2k"},
		"a search by SPSA":                  {"tune", "spsa", "--db", filepath.Join(dir, "p.db"), "--param", "NullEval", "--openings", "random,plies=4"},
		"a loop":                            {"tune", "loop", "--db", filepath.Join(dir, "l.db"), "--out", filepath.Join(dir, "l.toml")},
		"perft":                             {"perft", "12"},
		"a book":                            {"book", "make", filepath.Join(dir, "b.epd"), "--number", "100000"},
	}
	scripted := buildScripted(t, dir)
	for _, do := range []string{"flood", "ignore-quit"} {
		cases["an engine that is "+do] = []string{"arena", "--db", filepath.Join(dir, do+".db"), "--openings", "start", "--pairs", "1000", "--concurrency", "4",
			"--engine", "name=good,nodes=1,cmd=" + scripted, "--engine", "name=bad,nodes=1,cmd=" + scripted + ",args=-do " + do + " -at 3"}
	}
	if _, err := os.Stat("/usr/games/fairy-stockfish"); err == nil {
		cases["an engine's start"] = append(match, "--engine", "name=f,nodes=100,cmd=/usr/games/fairy-stockfish", "--openings", "random,plies=4", "--pairs", "100000")
	}
	for name, args := range cases {
		for _, after := range []time.Duration{60 * time.Millisecond, 700 * time.Millisecond} {
			cmd := exec.Command(xqlab, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			cmd.Process.Signal(syscall.SIGTERM)
			const patience = 10 * time.Second
			killed := time.AfterFunc(patience, func() { cmd.Process.Kill() })
			cmd.Wait()
			killed.Stop()
			if cmd.ProcessState.ExitCode() != exitStopped && after > 500*time.Millisecond {
				t.Errorf("%s, stopped after %s: %s, want exit status %d", name, after, cmd.ProcessState, exitStopped)
			}
			if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signal() == syscall.SIGKILL {
				t.Errorf("%s, stopped after %s: still there after %s", name, after, patience)
			}
		}
	}
}

// TestEchoOfASignal: two signals of a kind that come together are one, after which the program
// ends in order.
func TestEchoOfASignal(t *testing.T) {
	xqlab := program(t)
	cmd := exec.Command(xqlab, "selfplay", "--db", filepath.Join(t.TempDir(), "s.db"), "--games", "100000", "--nodes", "2k")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(10 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitStopped || !strings.Contains(said.String(), "go on with: ") {
		t.Errorf("%s\n%s", cmd.ProcessState, said.String())
	}
}
