package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// outliveReaders lets the program go on when nobody reads its output any more, as under
// head: what is played is stored, and that must not end with what is looked at. Engines
// do not inherit it. The function that it returns takes it back.
func outliveReaders() (restore func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// unread reports whether a write failed because nobody reads any more.
func unread(err error) bool { return errors.Is(err, syscall.EPIPE) }
