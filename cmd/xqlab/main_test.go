package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/shlex"
	"github.com/spf13/cobra"
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

// TestEveryCommandHasAnExample: the examples of each command's help name that command, or one
// under it, and flags that there are.
func TestEveryCommandHasAnExample(t *testing.T) {
	con := &console{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.HasParent() && !slices.ContainsFunc(strings.Fields(cmd.Example), func(w string) bool { return w == cmd.Name() }) {
			t.Errorf("%s has no example of its own", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if err := parsed(con, line); err != nil {
				t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(con))
}

// parsed says why the program would refuse a line of a shell.
func parsed(con *console, line string) error {
	words, err := shlex.Split(line[strings.Index(line, "xqlab"):])
	if err != nil {
		return err
	}
	if end := slices.IndexFunc(words, func(w string) bool { return w == "|" || w == ">" }); end > 0 {
		words = words[:end]
	}
	cmd, rest, err := rootCommand(con).Find(words[1:])
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
