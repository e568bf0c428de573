package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestErrorsAreOneLine: whatever an error is made of, one line tells it.
func TestErrorsAreOneLine(t *testing.T) {
	for _, err := range []error{
		errors.New("--penta \n: 1 numbers"), errors.Join(errors.New("a"), errors.New("b")), usagef("x\r\ny\n"),
		stoppedError{fmt.Errorf("c: %w", errors.Join(errors.New("d"), usagef("e\rf")))},
	} {
		var out bytes.Buffer
		(&console{err: &out}).status(err)
		(&faults{con: &console{err: &out}}).tell(err)
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || strings.Contains(out.String(), "\r") {
			t.Errorf("%q gives %q", err, out.String())
		}
	}
}
