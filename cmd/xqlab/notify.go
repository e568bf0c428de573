package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/google/shlex"
)

// notifyLimit is how long the command of --notify may take.
const notifyLimit = 10 * time.Second

// notifier runs a command for each notice, one at a time, in the background.
type notifier struct {
	con     *console
	args    []string
	stop    context.CancelFunc // kills a command that runs
	done    chan struct{}
	warning sync.Once

	mu      sync.Mutex
	notices chan notice // closed by close
	closed  bool
}

// notice is an event as the command gets it: a line for people and the JSON.
type notice struct {
	text string
	json []byte
}

// noticeBacklog is how many notices may wait: more are engines that fail all at once.
const noticeBacklog = 64

func newNotifier(con *console, command string) (*notifier, error) {
	if command == "" {
		return nil, nil
	}
	args, err := shlex.Split(command)
	if err == nil && len(args) == 0 {
		err = fmt.Errorf("it has no words")
	}
	if err == nil {
		_, err = exec.LookPath(args[0])
	}
	if err != nil {
		return nil, fmt.Errorf("--notify %s: %w", command, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &notifier{con: con, args: args, notices: make(chan notice, noticeBacklog), stop: stop, done: make(chan struct{})}
	go n.work(ctx)
	return n, nil
}

func (n *notifier) put(x notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	select {
	case n.notices <- x:
	default:
		n.warn("too slow: %s", x.text)
	}
}

func (n *notifier) warn(format string, args ...any) {
	n.warning.Do(func() {
		n.con.notef("xqlab: --notify %s: %s (told once; the games go on)", n.args[0], fmt.Sprintf(format, args...))
	})
}

func (n *notifier) work(ctx context.Context) {
	defer close(n.done)
	for x := range n.notices {
		if err := n.call(ctx, x); err != nil {
			n.warn("%v", err)
		}
	}
}

// call runs the command for one notice.
func (n *notifier) call(parent context.Context, x notice) error {
	ctx, cancel := context.WithTimeout(parent, notifyLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.args[0], n.args[1:]...)
	cmd.Stdin = bytes.NewReader(x.json)
	cmd.Env = append(os.Environ(), "XQLAB_TEXT="+strings.ReplaceAll(x.text, "\x00", "?"))
	var said firstBytes
	cmd.Stderr = &said
	cmd.WaitDelay = 500 * time.Millisecond // children that keep its pipes are not waited for
	err := cmd.Run()
	if ctx.Err() != nil {
		return fmt.Errorf("it was ended after %s", notifyLimit)
	}
	if err != nil && len(said) > 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		return fmt.Errorf("%w: %q", err, line)
	}
	return err
}

// firstBytes keeps the beginning of what is written to it.
type firstBytes []byte

// Write implements io.Writer; it never fails.
func (f *firstBytes) Write(p []byte) (int, error) {
	const most = 300
	*f = append(*f, p[:min(len(p), max(0, most-len(*f)))]...)
	return len(p), nil
}

// close waits until all notices are given, or as long as one may take, and a second once
// ctx ends: what is left is dropped.
func (n *notifier) close(ctx context.Context) {
	n.mu.Lock()
	n.closed = true
	close(n.notices)
	n.mu.Unlock()
	if !within(ctx, n.done, notifyLimit+time.Second, time.Second) {
		n.warn("it takes too long; what was left to tell is dropped")
		n.stop()
		for range n.notices {
		}
		<-n.done
	}
	n.stop()
}
