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
	errLate = errors.New("deadline passed")
	errGone = errors.New("the process has ended")
)

// process is a running engine. One goroutine starts and reaps it, one reads its output,
// one its standard error; one other goroutine at a time talks to it.
type process struct {
	cmd     *exec.Cmd
	group   *group
	in      *os.File
	out     *os.File
	err     *os.File
	born    time.Time
	log     io.Writer
	name    string
	cpus    []int         // it is bound to these processors, nil for none
	exited  chan struct{} // closed when reaped
	eof     chan struct{} // closed when its output has ended
	errDone chan struct{} // closed when its standard error has ended
	done    chan struct{} // a token when want was satisfied
	late    chan struct{} // a token when the deadline of a wait has passed
	dog     *watchdog     // of send and wait
	writing bool          // guarded by the watchdog's lock: send is under way

	mu   sync.Mutex // guards the rest
	rec  recorder
	want func(line []byte, at time.Time) bool // looks at lines while somebody waits
	dead bool                                 // reaped: its ids may belong to others now
	shot bool                                 // killed by us
}

// start runs the program in a process group of its own.
func start(path string, cfg *Config) (*process, error) {
	p := &process{
		name: cfg.name(), log: cfg.Log, cpus: cfg.CPUs,
		exited: make(chan struct{}), eof: make(chan struct{}), errDone: make(chan struct{}), done: make(chan struct{}, 1), late: make(chan struct{}, 1),
	}
	p.cmd = exec.Command(path, cfg.Args...)
	p.cmd.Dir = cfg.Dir
	theirs, err := p.pipes()
	if err == nil {
		p.born = time.Now()
		started := make(chan error, 1)
		go p.live(started)
		err = <-started
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, err
	}
	p.dog = newWatchdog(p.overdue)
	go p.read()
	go p.readErr()
	return p, nil
}

// pipes makes the three pipes and returns the engine's ends.
func (p *process) pipes() (theirs []*os.File, err error) {
	var in, out, errw *os.File
	if in, p.in, err = os.Pipe(); err != nil {
		return nil, err
	}
	theirs = append(theirs, in)
	if p.out, out, err = os.Pipe(); err != nil {
		return theirs, err
	}
	theirs = append(theirs, out)
	if p.err, errw, err = os.Pipe(); err != nil {
		return theirs, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errw
	return append(theirs, errw), nil
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.in, p.out, p.err} {
		if f != nil {
			f.Close()
		}
	}
}

// live starts the process and reaps it. It keeps its thread, because on Linux the process
// is to die with its parent, and its parent is the thread that started it.
func (p *process) live(started chan<- error) {
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
	p.cmd.Wait() // its status is in cmd.ProcessState
	g.release()
	close(p.exited)
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

// read takes in everything the engine prints until the pipe ends. Lines longer than
// lineBuffer are cut there.
func (p *process) read() {
	defer close(p.eof)
	buf := make([]byte, lineBuffer)
	n, skip := 0, false // bytes of an unfinished line; the rest of it is to be dropped
	for {
		k, err := p.out.Read(buf[n:])
		if k > 0 {
			n, skip = p.take(buf, n+k, skip, time.Now())
		}
		if err != nil {
			if n > 0 && !skip && !p.wasShot() { // a last line without an end; killed in the middle of one, it says nothing
				p.take(append(buf[:n], '\n'), n+1, false, time.Now())
			}
			return
		}
	}
}

// take hands on the whole lines of buf[:n] and moves the unfinished one to its front.
func (p *process) take(buf []byte, n int, skip bool, at time.Time) (rest int, skipping bool) {
	p.mu.Lock()
	satisfied := false
	data := buf[:n]
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			break
		}
		if !skip && p.line(bytes.TrimRight(data[:i], "\r"), at) {
			satisfied = true
		}
		data, skip = data[i+1:], false
	}
	if len(data) == len(buf) && !skip {
		if p.line(data, at) {
			satisfied = true
		}
		skip = true
	}
	p.mu.Unlock()
	if satisfied {
		p.done <- struct{}{}
	}
	if skip {
		return 0, true
	}
	return copy(buf, data), false
}

// line records a line and shows it to whoever waits; it reports whether that was what was
// waited for. The caller holds mu.
func (p *process) line(line []byte, at time.Time) bool {
	p.rec.add(at.Sub(p.born), line, false)
	if p.log != nil {
		fmt.Fprintf(p.log, "%d %s < %s\n", at.Sub(p.born).Microseconds(), p.name, line)
	}
	if p.want == nil || !p.want(line, at) {
		return false
	}
	p.want = nil
	return true
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
func (p *process) expect(f func(line []byte, at time.Time) bool) {
	p.mu.Lock()
	p.want = f
	p.mu.Unlock()
	select {
	case <-p.done: // of a wait that was given up
	default:
	}
}

// writing is a write's begin and end.
type writing struct{ begin, end time.Time }

// overdue ends what has passed its deadline: an engine that does not read is killed, a wait
// is told.
func (p *process) overdue() {
	if p.writing {
		p.kill()
		return
	}
	p.late <- struct{}{}
}

// send writes whole lines in one call. An engine that does not take them before the
// deadline is killed.
func (p *process) send(text []byte, deadline time.Time) (w writing, err error) {
	p.dog.set(deadline, p.toWrite)
	w.begin = time.Now()
	_, err = p.in.Write(text)
	w.end = time.Now()
	p.dog.clear()
	before := w.begin.Sub(p.born)
	p.mu.Lock()
	for rest := text; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		p.rec.add(before, line, true)
		if p.log != nil {
			fmt.Fprintf(p.log, "%d %s > %s\n", before.Microseconds(), p.name, line)
		}
		rest = after
	}
	p.mu.Unlock()
	if err != nil {
		return w, errGone
	}
	return w, nil
}

// wait returns nil when what expect was told has come, else errLate after the deadline,
// errGone when the process has ended, or ctx's cause.
func (p *process) wait(ctx context.Context, deadline time.Time) error {
	p.dog.set(deadline, p.toWait)
	defer p.dog.clear()
	var err error
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-p.late:
		err = errLate
	case <-p.eof:
		err = errGone
	case <-p.exited:
		p.drain()
		err = errGone
	}
	select {
	case <-p.done: // it came at the same instant
		return nil
	default:
	}
	return err
}

func (p *process) toWrite() { p.writing = true }

// toWait begins a wait; the token of a deadline that passed as the last one ended is void.
func (p *process) toWait() {
	p.writing = false
	select {
	case <-p.late:
	default:
	}
}

// forget ends an expectation that was not met.
func (p *process) forget() { p.expect(nil) }

// drain gives the reader a moment to read what a process that has ended left in the pipe,
// which another process may still hold open.
func (p *process) drain() {
	select {
	case <-p.eof:
	case <-time.After(300 * time.Millisecond):
	}
}

// end waits for the process to end by itself, kills it after limit, and reaps it.
func (p *process) end(limit time.Duration) {
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		select {
		case <-p.exited:
		case <-t.C:
		}
	}
	p.kill()
	<-p.exited
	p.drain()
	p.closePipes()
	<-p.eof
	<-p.errDone
	p.dog.stop()
}

// ended reports whether the process has ended or closed its output.
func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	case <-p.eof:
		return true
	default:
		return false
	}
}

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
