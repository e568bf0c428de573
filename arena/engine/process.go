package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// The ways a wait ends without what was waited for.
var (
	errLate  = errors.New("deadline passed")
	errGone  = errors.New("the process has ended")
	errWoken = errors.New("woken")
)

// process is a running engine. One goroutine starts and reaps it and one reads its standard
// error; what it prints is read by the goroutine that talks to it, when that waits for it
// or is about to send something. An engine that prints to nobody is held up by its pipe.
type process struct {
	cmd     *exec.Cmd
	group   *group
	pipe    *conduit
	err     *os.File
	born    time.Time
	log     io.Writer
	name    string
	cpus    []int         // it is bound to these processors, nil for none
	exited  chan struct{} // closed when reaped
	errDone chan struct{} // closed when its standard error has ended

	// Of the goroutine that talks to it.
	buf  []byte                               // an unfinished line is at the front
	n    int                                  // bytes of it
	skip bool                                 // the rest of a line too long is to be dropped
	eof  bool                                 // its output has ended
	owed int                                  // isready that it has not answered
	want func(line []byte, at time.Time) bool // looks at lines until it is satisfied
	met  bool                                 // it was
	held *hold                                // keeps it on one processor, nil while nothing does

	mu   sync.Mutex // guards the rest, and rec.stderr
	rec  recorder
	dead bool // reaped: its ids may belong to others now
	shot bool // killed by us
}

// start runs the program in a process group of its own.
func start(path string, cfg *Config) (*process, error) {
	p := &process{
		name: cfg.name(), log: cfg.Log, cpus: cfg.CPUs, buf: make([]byte, lineBuffer),
		exited: make(chan struct{}), errDone: make(chan struct{}),
	}
	p.cmd = exec.Command(path, cfg.Args...)
	p.cmd.Dir = cfg.Dir
	mark := newMark()
	if mark != "" {
		p.cmd.Env = append(p.cmd.Environ(), mark)
	}
	theirs, err := p.pipes()
	if err == nil {
		p.born = time.Now()
		started := make(chan error, 1)
		go p.live(mark, started)
		err = <-started
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, err
	}
	go p.readErr()
	return p, nil
}

// pipes makes the three pipes and returns the engine's ends.
func (p *process) pipes() (theirs []*os.File, err error) {
	if p.pipe, theirs, err = openConduit(); err != nil {
		return nil, err
	}
	var errw *os.File
	if p.err, errw, err = os.Pipe(); err != nil {
		return theirs, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], errw
	return append(theirs, errw), nil
}

func (p *process) closePipes() {
	if p.pipe != nil {
		p.pipe.close()
	}
	if p.err != nil {
		p.err.Close()
	}
}

// live starts the process and reaps it. It keeps its thread, because on Linux the process
// is to die with its parent, and its parent is the thread that started it.
func (p *process) live(mark string, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, err := startOn(p.cmd, p.cpus)
	p.group = g
	started <- err
	if err != nil {
		return
	}
	g.awaitExit()
	// What the engine has started ends with it. Before it is reaped its process group
	// cannot belong to anybody else.
	p.mu.Lock()
	g.kill()
	p.dead = true
	p.mu.Unlock()
	killStrays(mark)
	p.cmd.Wait() // its status is in cmd.ProcessState
	g.release()
	close(p.exited)
	p.pipe.interrupt()
}

// kill ends the process and its group at once.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		p.shot = true
		p.group.kill()
	}
}

func (p *process) wasShot() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shot
}

// fill takes in what the engine has printed, waiting until the deadline for it.
func (p *process) fill(deadline time.Time) error {
	n, at, err := p.pipe.read(p.buf[p.n:], deadline)
	switch {
	case err == nil:
		p.take(n, at)
	case errors.Is(err, io.EOF) && !p.eof:
		p.eof = true
		if p.n > 0 && !p.skip && !p.wasShot() { // a last line without an end; killed in the middle of one, it says nothing
			p.line(bytes.TrimRight(p.buf[:p.n], "\r"), time.Now())
			p.n = 0
		}
	}
	return err
}

// take hands on the whole lines of the buffer, to which n bytes were added, and moves the
// unfinished one to its front. A line longer than the buffer is cut there.
func (p *process) take(n int, at time.Time) {
	data := p.buf[:p.n+n]
	from := p.n // where a line's end may be
	for {
		i := bytes.IndexByte(data[from:], '\n')
		if i < 0 {
			break
		}
		if i += from; !p.skip {
			p.line(bytes.TrimRight(data[:i], "\r"), at)
		}
		data, from, p.skip = data[i+1:], 0, false
	}
	if len(data) == len(p.buf) && !p.skip {
		p.line(data, at)
		p.skip = true
	}
	if p.skip {
		data = nil
	}
	p.n = copy(p.buf, data)
}

// line records a line and shows it to whoever waits.
func (p *process) line(line []byte, at time.Time) {
	p.rec.add(at.Sub(p.born), line, false)
	if p.log != nil {
		fmt.Fprintf(p.log, "%d %s < %s\n", at.Sub(p.born).Microseconds(), p.name, line)
	}
	if p.owed > 0 && isWord(line, "readyok") {
		p.owed--
	}
	if !p.met && p.want != nil {
		p.met = p.want(line, at)
	}
}

func (p *process) readErr() {
	defer close(p.errDone)
	buf := make([]byte, 16<<10)
	for {
		n, err := p.err.Read(buf)
		if n > 0 {
			p.mu.Lock()
			p.rec.addStderr(buf[:n])
			p.mu.Unlock()
			if p.log != nil {
				fmt.Fprintf(p.log, "%d %s ! %q\n", time.Since(p.born).Microseconds(), p.name, buf[:n])
			}
		}
		if err != nil {
			return
		}
	}
}

// expect makes f look at every line from now on until it returns true.
func (p *process) expect(f func(line []byte, at time.Time) bool) { p.want, p.met = f, false }

// writing is a write's begin and end.
type writing struct{ begin, end time.Time }

// send writes whole lines in one call. An engine that does not take them before the
// deadline is killed.
func (p *process) send(text []byte, deadline time.Time) (w writing, err error) {
	p.owed += bytes.Count(text, []byte("isready\n"))
	w.begin = time.Now()
	err = p.pipe.write(text, deadline, p.readable, p.kill)
	w.end = time.Now()
	before := w.begin.Sub(p.born)
	for rest := text; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		p.rec.add(before, line, true)
		if p.log != nil {
			fmt.Fprintf(p.log, "%d %s > %s\n", before.Microseconds(), p.name, line)
		}
		rest = after
	}
	return w, err
}

// readable takes in what is there.
func (p *process) readable() { p.fill(time.Time{}) }

// wait returns nil when what expect was told has come, else errLate after the deadline,
// errGone when the process has ended, or ctx's cause.
func (p *process) wait(ctx context.Context, deadline time.Time) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, p.pipe.interrupt)
		defer stop()
	}
	var slow time.Time // when it is no longer kept on one processor
	for !p.met {
		until := deadline
		if p.held != nil {
			until, slow = p.notSlow(deadline, slow)
		}
		switch err := p.fill(until); {
		case p.met: // whatever else has come
		case errors.Is(err, errLate) && until != deadline:
		case errors.Is(err, errLate), err == nil && time.Now().After(deadline):
			return errLate
		case errors.Is(err, io.EOF):
			return errGone
		case errors.Is(err, errWoken) && ctx.Err() != nil:
			return context.Cause(ctx)
		case p.hasExited():
			if p.drain(); !p.met {
				return errGone
			}
		}
	}
	return nil
}

// keepMost is how long a process may take for what it is waited for and still be kept on one
// processor. A timer of the kernel that comes after its next tick costs much less than one
// before.
const keepMost = 10 * time.Millisecond

// notSlow frees a process that is slow to reply, and returns until when to wait for one that
// is not yet, and when it will be.
func (p *process) notSlow(deadline, slow time.Time) (until, then time.Time) {
	now := time.Now()
	if slow.IsZero() {
		slow = now.Add(keepMost)
	}
	switch {
	case !now.Before(slow):
		p.free()
	case slow.Before(deadline):
		return slow, slow
	}
	return deadline, slow
}

// drain takes in what a process that has ended left in the pipe, which another process may
// still hold open.
func (p *process) drain() {
	deadline := time.Now().Add(exitGrace)
	for time.Now().Before(deadline) {
		if err := p.fill(deadline); err != nil && !errors.Is(err, errWoken) {
			return
		}
	}
}

// forget ends an expectation that was not met.
func (p *process) forget() { p.expect(nil) }

// hasExited reports whether the process has been reaped.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// awaitExit waits for the process to end by itself, and reads what it still prints.
func (p *process) awaitExit(limit time.Duration) {
	deadline := time.Now().Add(limit)
	for !p.hasExited() && !p.eof && time.Now().Before(deadline) {
		p.fill(deadline)
	}
	t := time.NewTimer(time.Until(deadline))
	defer t.Stop()
	select {
	case <-p.exited:
	case <-t.C:
	}
}

// end waits for the process to end by itself, kills it after limit, and reaps it.
func (p *process) end(limit time.Duration) {
	p.awaitExit(limit)
	p.kill()
	<-p.exited
	p.drain()
	t := time.NewTimer(exitGrace)
	defer t.Stop()
	select {
	case <-p.errDone:
	case <-t.C: // another process holds it open
	}
	p.closePipes()
	<-p.errDone
}

// ended reports whether the process has ended or closed its output.
func (p *process) ended() bool { return p.eof || p.hasExited() }

// status says in words how the process ended; it must have been reaped.
func (p *process) status() (text string, code int, signal string) {
	st := p.cmd.ProcessState
	code, signal = exitStatus(st)
	switch {
	case p.shot:
		return "was killed by xqlab", code, signal
	case signal != "":
		return "was ended by " + signal, code, signal
	}
	return fmt.Sprintf("exited with status %d", code), code, signal
}
