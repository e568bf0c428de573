package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// fullDisk is an output without room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestLostOutputIsNoSuccess: whatever a command was to print, when it cannot, it fails with
// one line.
func TestLostOutputIsNoSuccess(t *testing.T) {
	for _, line := range []string{
		"version", "version --json", "perft 2", "perft 2 --divide", "perft 1 --json", "judge --moves h2e2", "stats elo --wdl 3,4,5",
		"stats sprt --penta 1,2,3,4,5 --elo0 0 --elo1 5", "stats plan --sprt gain", "eval 3k5/9/9/9/9/9/9/9/9/4K4", "--help", "arena --help",
	} {
		var errs bytes.Buffer
		code := run(strings.Fields(line), strings.NewReader(""), fullDisk{}, &errs)
		if code != exitFailed || strings.Count(errs.String(), "no space left") != 1 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: status %d, %q", line, code, errs.String())
		}
	}
}

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
