package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a writer whose reader stands still until it is let go.
type stuck struct {
	free chan struct{}
	bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	return s.Buffer.Write(p)
}

// TestEventsNeverBlock: a reader that stands still stops nobody; what it missed is told.
func TestEventsNeverBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{free: make(chan struct{})}
		var said bytes.Buffer
		h, err := newHerald(&console{nil, out, &said}, "-", "")
		if err != nil {
			t.Fatal(err)
		}
		const more = 100
		for i := range eventBacklog + more {
			h.say("pair", struct {
				Pair int `json:"pair"`
			}{i})
		}
		close(out.free)
		h.close(context.Background())
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) < eventBacklog || !strings.Contains(out.String(), `{"event":"lost",`) {
			t.Errorf("%d lines, none says what was lost", len(lines))
		}
		h.say("pair", struct {
			Pair int `json:"pair"`
		}{1}) // after the end: nothing
		if said.Len() > 0 {
			t.Errorf("said %q", said.String())
		}
	})
	synctest.Test(t, func(t *testing.T) { // one that never reads: the end is bounded
		out := &stuck{free: make(chan struct{})}
		var said bytes.Buffer
		h, err := newHerald(&console{nil, out, &said}, "-", "")
		if err != nil {
			t.Fatal(err)
		}
		h.say("pair", struct {
			Pair int `json:"pair"`
		}{1})
		ctx, cancel := context.WithCancel(context.Background())
		begin := time.Now()
		time.AfterFunc(time.Second, cancel)
		h.close(ctx)
		if took := time.Since(begin); took != time.Second+lastWordsHurried {
			t.Errorf("the end took %s after a signal at 1 s", took)
		}
		if !strings.Contains(said.String(), "too slow") {
			t.Errorf("said %q", said.String())
		}
		close(out.free)
	})
}

// TestEventsToAFullDisk: one warning, the rest is taken and dropped, and the end is an error.
func TestEventsToAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	var said bytes.Buffer
	h, err := newHerald(&console{nil, nil, &said}, "/dev/full", "")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		h.say("pair", struct {
			Pair int `json:"pair"`
		}{1})
	}
	if err := h.close(context.Background()); !errors.Is(err, errUnsaid) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("closing: %v", err)
	}
	if n := strings.Count(said.String(), "\n"); n != 1 || !strings.Contains(said.String(), "no more events are written") {
		t.Errorf("said %q", said.String())
	}
}

// TestEventsWithoutAReader: whoever reads no more has seen what it wanted; that is no error.
func TestEventsWithoutAReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var said bytes.Buffer
	h, err := newHerald(&console{nil, w, &said}, "-", "")
	if err != nil {
		t.Fatal(err)
	}
	h.say("pair", struct {
		Pair int `json:"pair"`
	}{1})
	if err := h.close(context.Background()); err != nil || !strings.Contains(said.String(), "no more events are written") {
		t.Errorf("closing: %v; said %q", err, said.String())
	}
}

// TestNotifyIsBounded: a command that does not end is ended, and the end does not wait for it.
func TestNotifyIsBounded(t *testing.T) {
	var said bytes.Buffer
	h, err := newHerald(&console{nil, nil, &said}, "", "sleep 1000")
	if err != nil {
		t.Skip(err)
	}
	for i := range noticeBacklog + 5 {
		h.cry("run_end", fmt.Sprint(i), struct {
			Text string `json:"text"`
		}{"x"})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.close(ctx)
	if n := strings.Count(said.String(), "\n"); n != 1 {
		t.Errorf("%d warnings, want one: %s", n, said.String())
	}
}

// TestEventsAfterHalfALine: what a kill left is ended before more is written.
func TestEventsAfterHalfALine(t *testing.T) {
	for before, want := range map[string]string{"": "{", "{\"a\":1}\n": "{\"a\":1}\n{", "{\"a\"": "{\"a\"\n{"} {
		path := filepath.Join(t.TempDir(), "e.jsonl")
		if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := newHerald(&console{}, path, "")
		if err != nil {
			t.Fatal(err)
		}
		h.say("pair", struct {
			Pair int `json:"pair"`
		}{1})
		h.close(context.Background())
		if got, _ := os.ReadFile(path); !strings.HasPrefix(string(got), want) || strings.Count(string(got), "\n") != strings.Count(want, "\n")+1 {
			t.Errorf("after %q: %q", before, got)
		}
	}
}
