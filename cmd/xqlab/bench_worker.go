package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/xqlab/xqlab/search"
)

// greeting is the first line of a process that runs items of a suite for another one:
// xqlab bench --serve. Then it reads numbers of items, from 0, one a line, and answers
// each with a served line, until its input ends.
type greeting struct {
	Bench   int    `json:"bench"` // version of these lines
	Suite   string `json:"suite"`
	Items   int    `json:"items"`
	Precise bool   `json:"precise"` // processor time is fine enough for an item
	buildFacts
	PGO bool `json:"pgo"`
	CGO bool `json:"cgo"`
}

// served answers an item.
type served struct {
	sample
	Error string `json:"error,omitempty"`
}

// benchProtocol is the version of the lines between bench processes.
const benchProtocol = 1

// serve is the other side of a worker.
func (f *benchFlags) serve(ctx context.Context, con *console, s *suite) error {
	l, err := newLocal(s, search.Options{HashMB: f.hash, Threads: f.threads})
	if err != nil {
		return err
	}
	out := json.NewEncoder(con.out)
	pgo, cgo := buildKind()
	if err := out.Encode(greeting{benchProtocol, s.name, l.n, preciseCPU, facts(), pgo, cgo}); err != nil {
		return err
	}
	for in := bufio.NewScanner(con.in); in.Scan(); {
		var answer served
		item, err := strconv.Atoi(strings.TrimSpace(in.Text()))
		if err != nil || item < 0 || item >= l.n {
			answer.Error = fmt.Sprintf("item %q, want 0 to %d", in.Text(), l.n-1)
		} else if answer.sample, err = l.run(ctx, item); err != nil {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// worker runs items in a process of its own.
type worker struct {
	greeting
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// greetTime is how long a process may take to be ready.
const greetTime = 20 * time.Second

// startWorker starts exe, an xqlab, as a worker; name is what errors call it. Core is where to pin it, or none.
func startWorker(ctx context.Context, exe, name string, s *suite, f *benchFlags, threads int, core *int) (*worker, error) {
	args := []string{"bench", "--serve", "--suite", s.name, "--threads", strconv.Itoa(threads), "--hash", strconv.Itoa(f.hash)}
	if core != nil {
		args = append(args, "--pin", strconv.Itoa(*core))
	}
	w := &worker{name: name, cmd: exec.CommandContext(ctx, exe, args...)}
	w.cmd.Stderr, w.cmd.WaitDelay = &w.stderr, time.Second
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(greetTime, func() { w.cmd.Process.Kill() })
	err = w.read(&w.greeting)
	if !late.Stop() {
		err = fmt.Errorf("%s: not ready within %s", name, greetTime)
	}
	if err == nil && (w.Bench != benchProtocol || w.Suite != s.name || w.Items < 1) {
		err = fmt.Errorf("%s: it speaks version %d about suite %q, want %d about %s; the other xqlab is too old or too new", name, w.Bench, w.Suite, benchProtocol, s.name)
	}
	if err != nil {
		w.cmd.Process.Kill()
		w.close()
		return nil, err
	}
	return w, nil
}

// read reads a line of the process.
func (w *worker) read(into any) error {
	line, err := w.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, into)
	}
	if err == nil {
		return nil
	}
	w.cmd.Process.Kill()
	w.cmd.Wait()
	said := strings.TrimSpace(w.stderr.String())
	if k := strings.LastIndexByte(said, '\n'); k >= 0 {
		said = said[k+1:]
	}
	return fmt.Errorf("%s does not answer as xqlab bench does (%w): %s", w.name, err, orDash(said))
}

func (w *worker) items() int { return w.Items }

func (w *worker) run(ctx context.Context, item int) (sample, error) {
	if _, err := fmt.Fprintln(w.in, item); err != nil {
		return sample{}, fmt.Errorf("%s: %w", w.name, err)
	}
	var s served
	err := w.read(&s)
	switch {
	case ctx.Err() != nil:
		return sample{}, context.Cause(ctx)
	case err != nil:
		return sample{}, err
	case s.Error != "":
		return sample{}, fmt.Errorf("%s: %s", w.name, s.Error)
	case !(s.Seconds > 0) || s.Units == 0 || s.CPU < 0:
		return sample{}, fmt.Errorf("%s: item %d: %d units in %v s is no speed", w.name, item+1, s.Units, s.Seconds)
	}
	return s.sample, nil
}

// close lets the process end, which its input's end tells it to.
func (w *worker) close() error {
	w.in.Close()
	err := w.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
		return nil // killed, or stopped by the signal that stopped us all
	}
	return err
}

// self returns the path of this program.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	return path, nil
}
