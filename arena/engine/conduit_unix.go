//go:build unix && !channels

package engine

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// conduit is a pair of pipes to a process. The goroutine that talks to it waits in the
// kernel itself: through Go's own poller each line would wake a second thread, which takes
// the processor from the engines. Its descriptors are therefore bare numbers, which that
// poller does not know.
type conduit struct {
	in, out int // our ends, which do not block
	fds     [2]unix.PollFd

	mu    sync.Mutex // guards the rest, and in against closing
	wake  [2]int     // a byte in this pipe ends a wait
	ended bool
}

// pipePair returns a pipe that no child inherits.
func pipePair() (p [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err = unix.Pipe(p[:]); err != nil {
		return p, os.NewSyscallError("pipe", err)
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p, nil
}

// openConduit makes the pipes and returns the process's ends.
func openConduit() (c *conduit, theirs []*os.File, err error) {
	var made []int
	pipes := [3][2]int{}
	for i := range pipes {
		if pipes[i], err = pipePair(); err != nil {
			for _, fd := range made {
				unix.Close(fd)
			}
			return nil, nil, err
		}
		made = append(made, pipes[i][:]...)
	}
	in, out, wake := pipes[0], pipes[1], pipes[2]
	for _, fd := range []int{in[1], out[0], wake[0], wake[1]} {
		unix.SetNonblock(fd, true)
	}
	c = &conduit{in: in[1], out: out[0], wake: wake}
	return c, []*os.File{os.NewFile(uintptr(in[0]), "stdin"), os.NewFile(uintptr(out[1]), "stdout")}, nil
}

// read reads what the process has printed, waiting for it until the deadline; the zero
// deadline is past. Errors are errLate, errWoken and io.EOF.
func (c *conduit) read(buf []byte, deadline time.Time) (n int, at time.Time, err error) {
	if !deadline.IsZero() {
		if err := c.poll(deadline, unix.PollFd{Fd: int32(c.wake[0]), Events: unix.POLLIN}); err != nil {
			return 0, at, err
		}
		if c.fds[1].Revents != 0 && c.fds[0].Revents == 0 {
			var some [64]byte
			unix.Read(c.wake[0], some[:])
			return 0, at, errWoken
		}
	}
	for {
		switch n, err := unix.Read(c.out, buf); {
		case n > 0:
			return n, time.Now(), nil
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, at, errLate
		default:
			return 0, at, io.EOF
		}
	}
}

// poll waits until the process has printed something or the other descriptor is ready.
func (c *conduit) poll(deadline time.Time, other unix.PollFd) error {
	c.fds = [2]unix.PollFd{{Fd: int32(c.out), Events: unix.POLLIN}, other}
	for {
		const most = time.Hour // what an int of milliseconds bears anywhere
		left := min(max(0, time.Until(deadline)), most)
		switch n, err := unix.Poll(c.fds[:], int((left+time.Millisecond-1)/time.Millisecond)); {
		case n > 0:
			return nil
		case err == nil && !time.Now().Before(deadline):
			return errLate
		case err != nil && err != unix.EINTR && err != unix.EAGAIN:
			return io.EOF
		}
	}
}

// write writes the whole text. While the process does not take it, readable is called when
// it has printed something, so that neither waits for the other; late is called at the
// deadline.
func (c *conduit) write(text []byte, deadline time.Time, readable, late func()) error {
	for len(text) > 0 {
		n, err := unix.Write(c.in, text)
		switch {
		case n > 0:
			text = text[n:]
		case err == unix.EINTR:
		case err != unix.EAGAIN:
			return errGone
		case c.poll(deadline, unix.PollFd{Fd: int32(c.in), Events: unix.POLLOUT}) != nil || time.Now().After(deadline):
			late()
			return errGone
		case c.fds[0].Revents != 0:
			readable()
		}
	}
	return nil
}

// interrupt ends a wait under way or the next one. Any goroutine may call it.
func (c *conduit) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		unix.Write(c.wake[1], []byte{0})
	}
}

// closeIn ends the process's input.
func (c *conduit) closeIn() {
	if c.in >= 0 {
		unix.Close(c.in)
	}
	c.in = -1
}

func (c *conduit) close() {
	c.closeIn()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended = true
		unix.Close(c.out)
		unix.Close(c.wake[0])
		unix.Close(c.wake[1])
	}
}
