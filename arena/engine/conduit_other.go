//go:build !unix || channels

package engine

import (
	"io"
	"os"
	"time"
)

// conduit is a pair of pipes to a process. One goroutine reads what it prints; the one that
// talks to it takes that over. (With -tags channels it is tried on other systems too.)
type conduit struct {
	in, out *os.File
	chunks  chan chunk    // closed at the end of the output
	woken   chan struct{} // a token ends a wait
	rest    chunk         // what the last read had no room for
}

// chunk is what was read at once.
type chunk struct {
	text []byte
	at   time.Time
}

// openConduit makes the pipes and returns the process's ends.
func openConduit() (c *conduit, theirs []*os.File, err error) {
	in, ourIn, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ourOut, out, err := os.Pipe()
	if err != nil {
		in.Close()
		ourIn.Close()
		return nil, nil, err
	}
	const ahead = 16 // chunks read before anybody wants them
	c = &conduit{in: ourIn, out: ourOut, chunks: make(chan chunk, ahead), woken: make(chan struct{}, 1)}
	go c.readOn()
	return c, []*os.File{in, out}, nil
}

// readOn reads until the pipe ends or is closed.
func (c *conduit) readOn() {
	defer close(c.chunks)
	for {
		buf := make([]byte, 8<<10)
		n, err := c.out.Read(buf)
		if n > 0 {
			c.chunks <- chunk{buf[:n], time.Now()}
		}
		if err != nil {
			return
		}
	}
}

// read reads what the process has printed, waiting for it until the deadline; the zero
// deadline is past. Errors are errLate, errWoken and io.EOF.
func (c *conduit) read(buf []byte, deadline time.Time) (n int, at time.Time, err error) {
	if len(c.rest.text) == 0 {
		if c.rest, err = c.next(deadline); err != nil {
			return 0, at, err
		}
	}
	n = copy(buf, c.rest.text)
	c.rest.text = c.rest.text[n:]
	return n, c.rest.at, nil
}

func (c *conduit) next(deadline time.Time) (chunk, error) {
	select { // what has come goes before what is late
	case k, ok := <-c.chunks:
		return k, endOf(ok)
	default:
	}
	if deadline.IsZero() {
		return chunk{}, errLate
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case k, ok := <-c.chunks:
		return k, endOf(ok)
	case <-c.woken:
		return chunk{}, errWoken
	case <-late.C:
		return chunk{}, errLate
	}
}

func endOf(ok bool) error {
	if ok {
		return nil
	}
	return io.EOF
}

// write writes the whole text; late is called at the deadline, and has to end the process.
func (c *conduit) write(text []byte, deadline time.Time, readable, late func()) error {
	t := time.AfterFunc(time.Until(deadline), late)
	defer t.Stop()
	if _, err := c.in.Write(text); err != nil {
		return errGone
	}
	return nil
}

// interrupt ends a wait under way or the next one. Any goroutine may call it.
func (c *conduit) interrupt() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// closeIn ends the process's input.
func (c *conduit) closeIn() { c.in.Close() }

// close ends both pipes.
func (c *conduit) close() {
	c.in.Close()
	c.out.Close()
	for range c.chunks { // until the reader has seen it
	}
}
