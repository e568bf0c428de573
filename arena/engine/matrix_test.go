package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// scriptedPath is the scripted engine, built once for all tests.
var scriptedPath string

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8") // these tests wait more than they work
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "scripted")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		scriptedPath = filepath.Join(dir, "scripted")
		if runtime.GOOS == "windows" {
			scriptedPath += ".exe"
		}
		if out, err := exec.Command("go", "build", "-o", scriptedPath, "./scripted").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building ./scripted: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// short are deadlines that keep a row of the matrix under a few seconds.
var short = Deadlines{Start: 1500 * time.Millisecond, Ready: 1500 * time.Millisecond, Stop: 300 * time.Millisecond, Quit: 300 * time.Millisecond, Hang: 600 * time.Millisecond}

// patient are deadlines for engines that answer, on a busy machine too.
var patient = Deadlines{Start: 20 * time.Second, Ready: 20 * time.Second, Stop: 300 * time.Millisecond, Quit: 300 * time.Millisecond, Hang: 20 * time.Second}

// script returns a configuration of the scripted engine; ranks are told, so that go is
// sent for the moves of the game only.
func script(args ...string) Config {
	return Config{Name: "bad", Cmd: scriptedPath, Args: args, Proto: "uci", Ranks: "0", Deadlines: short}
}

// fast is a clock of 200 ms a side.
var fast = arena.Clock{
	Limits: arena.Limits{Time: 200 * time.Millisecond, Margin: 50 * time.Millisecond},
	Left:   [2]time.Duration{200 * time.Millisecond, 200 * time.Millisecond},
}

var nodes = arena.Clock{Limits: arena.Limits{Nodes: 100}}

// groupGone fails when a process of the group lives on.
func groupGone(t *testing.T, pid int) {
	t.Helper()
	for range 100 {
		if !groupAlive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("a process of the engine's group %d is left", pid)
}

// moveOnce begins a game and asks for one move.
func moveOnce(c *Client, g *referee.Game, clock arena.Clock) (arena.Reply, error) {
	if err := c.NewGame(context.Background()); err != nil {
		return arena.Reply{}, err
	}
	return c.Move(context.Background(), g, clock)
}

// matrixRow is a misbehaviour and what must come of it.
type matrixRow struct {
	do     string
	clock  arena.Clock
	reason results.Reason // empty: nothing
	killed bool
	detail string // part of the error line
}

// deadlines are short where they are to pass, and long where a busy machine must not make
// them pass.
func (r *matrixRow) deadlines() Deadlines {
	d := patient
	switch {
	case r.do == "deaf":
		d.Ready = short.Ready
	case r.killed:
		d.Stop, d.Hang = short.Stop, short.Hang
	case r.reason != "":
		d.Stop, d.Hang = patient.Ready, short.Hang
	}
	return d
}

// Every row of the hang matrix of a bad engine: the verdict of its game, in bounded time,
// with evidence, without a process left, and ready for the next game.
func TestHangMatrix(t *testing.T) {
	const none results.Reason = ""
	for _, row := range []matrixRow{
		{"silent", fast, results.TimeLoss, true, "nor after stop"},
		{"silent", nodes, results.Hang, true, "nor after stop"},
		{"only-after-stop", fast, results.TimeLoss, false, "only after stop"},
		{"only-after-stop", nodes, results.Hang, false, "only after stop"},
		{"flood", fast, results.TimeLoss, true, "info depth 1 score cp 1"},
		{"flood", nodes, results.Hang, true, "info depth 1 score cp 1"},
		{"flood-until-stop", fast, results.TimeLoss, false, "only after stop"},
		{"trickle", fast, results.TimeLoss, true, "currmove"},
		{"trickle", nodes, results.Hang, true, "currmove"},
		{"deaf", nodes, none, false, ""},
		{"crash", nodes, results.Crash, true, "about to fail"},
		{"exit", nodes, results.Crash, true, "exited with status 7"},
		{"close", nodes, results.Crash, true, ""},
		{"exit-after", nodes, none, false, ""},
		{"none", nodes, results.IllegalMove, false, "bestmove (none)"},
		{"zero", nodes, results.IllegalMove, false, "bestmove 0000"},
		{"empty", nodes, results.IllegalMove, false, `"bestmove"`},
		{"garbage", nodes, results.IllegalMove, false, "is no move"},
		{"illegal", nodes, results.IllegalMove, false, "is no move"},
		{"illegal-move", nodes, results.IllegalMove, false, `"e0e5" is illegal in "rnbakabnr/`},
		{"ponder", nodes, none, false, ""},
		{"long-line", nodes, none, false, ""},
		{"binary", nodes, none, false, ""},
		{"stderr", nodes, none, false, ""},
		{"twice", nodes, none, false, ""},
		{"twice-late", nodes, none, false, ""},
		{"chatter", nodes, none, false, ""},
		{"child", nodes, none, false, ""},
		{"ignore-quit", nodes, none, false, ""},
	} {
		t.Run(fmt.Sprintf("%s/timed=%t", row.do, row.clock.Timed()), func(t *testing.T) {
			t.Parallel()
			cfg := script("-do", row.do)
			cfg.Deadlines = row.deadlines()
			c := New(cfg)
			begin := time.Now()
			reply, err := moveOnce(c, newGame(t), row.clock)
			if row.reason == none {
				if err != nil {
					t.Fatalf("a good move gave %v", err)
				}
				if reply.Move == 0 {
					t.Error("no move")
				}
			} else {
				checkFailure(t, err, row.reason, row.killed, row.detail)
			}
			var pid int
			if c.p != nil {
				pid = c.p.cmd.Process.Pid
			}
			// The next game goes on, whatever happened, but for engines that cannot.
			if _, err := moveOnce(c, newGame(t), row.clock); row.reason == none && err != nil && row.do != "deaf" {
				t.Errorf("the second game: %v", err)
			}
			c.Close()
			if pid != 0 {
				groupGone(t, pid)
			}
			if d := time.Since(begin); d > 30*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// checkFailure checks the verdict, its one line, and the evidence.
func checkFailure(t *testing.T, err error, reason results.Reason, killed bool, detail string) {
	t.Helper()
	var f *arena.Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a failure: %s", err, reason)
	}
	if f.Reason != reason || f.Killed != killed {
		t.Errorf("%s, killed=%t, want %s, %t (%s)", f.Reason, f.Killed, reason, killed, f.Detail)
	}
	line := f.Error()
	if !strings.Contains(line, detail) || strings.ContainsAny(line, "\n\r\x00") || len(line) > 600 || !utf8.ValidString(line) {
		t.Errorf("the line is %q (%d bytes), want one line with %q", line, len(line), detail)
	}
	var e Evidence
	if err := json.Unmarshal(f.Evidence, &e); err != nil {
		t.Fatalf("evidence: %v", err)
	}
	if len(e.Lines) == 0 && e.Stderr == "" || len(f.Evidence) > 64<<10 {
		t.Errorf("evidence of %d bytes has %d lines", len(f.Evidence), len(e.Lines))
	}
	if killed && e.Exit == "" {
		t.Errorf("evidence does not say how the process ended")
	}
	if e.State == "thinking" && (len(e.Commands) != 2 || !strings.Contains(e.Replay, "go ") || e.FEN == "") {
		t.Errorf("evidence has commands %q, replay %q, FEN %q", e.Commands, e.Replay, e.FEN)
	}
}

// What goes wrong before a game is a failure to start, in bounded time.
func TestStartFailures(t *testing.T) {
	for _, row := range []struct {
		do, detail string
	}{
		{"exit-at-start", `no uciok: it exited with status 3; its last line: "cannot find the network"`},
		{"stderr-start", `its standard error ends: "no licence found"`},
		{"silent-start", "no uciok within 1.5s; it printed nothing"},
		{"flood-start", `its last line: "info string loading"`},
		{"no-ok", "no uciok within 1.5s"},
	} {
		t.Run(row.do, func(t *testing.T) {
			t.Parallel()
			c := New(script("-do", row.do))
			_, err := moveOnce(c, newGame(t), nodes)
			checkFailure(t, err, results.StartFailed, true, row.detail)
			if c.p != nil {
				t.Error("the process is kept")
			}
		})
	}
	t.Run("no-ready", func(t *testing.T) {
		t.Parallel()
		cfg := script("-do", "no-ready")
		cfg.Deadlines.Start, cfg.Deadlines.Ready = patient.Start, 2*time.Second
		c := New(cfg)
		if _, err := moveOnce(c, newGame(t), nodes); err != nil {
			t.Fatal(err)
		}
		checkFailure(t, c.NewGame(context.Background()), results.StartFailed, true, "no readyok within 2s")
		if _, err := moveOnce(c, newGame(t), nodes); err != nil {
			t.Errorf("started again: %v", err)
		}
		c.Close()
	})
	t.Run("no such file", func(t *testing.T) {
		_, err := moveOnce(New(Config{Cmd: "/nowhere/engine"}), newGame(t), nodes)
		var f *arena.Failure
		if !errors.As(err, &f) || f.Reason != results.StartFailed || !strings.Contains(f.Error(), "/nowhere/engine") {
			t.Errorf("got %v", err)
		}
	})
}

// A move given up by the arena ends at once, and the engine plays the next game.
func TestCancel(t *testing.T) {
	for _, do := range []string{"only-after-stop", "silent", "flood"} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			cfg := script("-do", do, "-at", "2")
			cfg.Deadlines = patient
			c := New(cfg)
			defer c.Close()
			g := newGame(t)
			if _, err := moveOnce(c, g, nodes); err != nil {
				t.Fatal(err)
			}
			cause := errors.New("the run has ended")
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
			begin := time.Now()
			if _, err := c.Move(ctx, g, nodes); !errors.Is(err, cause) {
				t.Errorf("got %v, want the cause", err)
			}
			if d := time.Since(begin); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
			if err := c.NewGame(context.Background()); err != nil {
				t.Errorf("the next game: %v", err)
			}
		})
	}
}

// An engine that stops reading is killed when its pipe is full, not waited for.
func TestDeafEngine(t *testing.T) {
	cfg := script("-do", "deaf")
	cfg.Deadlines = patient
	c := New(cfg)
	defer c.Close()
	g := newGame(t)
	if _, err := moveOnce(c, g, nodes); err != nil {
		t.Fatal(err)
	}
	_, err := c.p.send(bytes.Repeat([]byte("isready\n"), 1<<17), time.Now().Add(300*time.Millisecond))
	if !errors.Is(err, errGone) {
		t.Errorf("sending a megabyte gave %v, want %v", err, errGone)
	}
	_, err = c.Move(context.Background(), g, nodes)
	checkFailure(t, err, results.Crash, true, "killed by xqlab")
}

// A second bestmove for one go, at once or only when the next command is read, is never taken
// for the next move: every move is the one that the engine chooses in the position.
func TestSecondBestmove(t *testing.T) {
	for _, do := range []string{"twice", "twice-late"} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			cfg, plain := script("-do", do), script()
			cfg.Deadlines, plain.Deadlines = patient, patient
			bad, good := New(cfg), New(plain)
			defer bad.Close()
			defer good.Close()
			for range 2 {
				g := newGame(t)
				for _, c := range []*Client{bad, good} {
					if err := c.NewGame(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				for g.Len() < 30 && g.Verdict().Status == referee.Ongoing {
					want, err := good.Move(context.Background(), g, nodes)
					if err != nil {
						t.Fatal(err)
					}
					got, err := bad.Move(context.Background(), g, nodes)
					if err != nil {
						t.Fatalf("ply %d: %v", g.Len()+1, err)
					}
					if got.Move != want.Move {
						t.Fatalf("ply %d: %s, want %s", g.Len()+1, got.Move, want.Move)
					}
					if _, err := g.Play(got.Move); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
