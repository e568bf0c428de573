// Command xqlab is a laboratory for Xiangqi engines: matches, tuning, benchmarks.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses, as every command promises.
const (
	exitDone    = 0
	exitFailed  = 1 // the work failed or a check did not hold
	exitUsage   = 2
	exitStopped = 3 // a signal or a limit came first; what was finished is stored
)

// usageError is wrong usage: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef returns wrong usage.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// stoppedError is an early stop: exit status 3.
type stoppedError struct{ error }

func (e stoppedError) Unwrap() error { return e.error }

// errReported is a failure that has been told already: exit status 1 without a line.
var errReported = errors.New("reported")

// console is where a command reads and writes.
type console struct {
	in       io.Reader
	out, err io.Writer
}

// notef tells the user something on standard error.
func (c *console) notef(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

// run runs the command line and returns the exit status.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	told := &teller{w: out}
	con := &console{in, told, errw}
	ctx, stop := signalContext()
	defer stop()
	root := rootCommand(con)
	args, notices, err := translate(args)
	if err == nil {
		for _, n := range notices {
			con.notef("xqlab: %s", n)
		}
		root.SetArgs(args)
		err = patiently(ctx, patience(args), func() error { return root.ExecuteContext(ctx) })
	}
	if err != nil && ctx.Err() != nil && !errors.Is(err, errReported) {
		err = stoppedError{causeOf(ctx, err)} // whatever the signal interrupted
	}
	if failed := told.failed(); err == nil && failed != nil {
		err = failed
	}
	return con.status(err)
}

// teller writes for the whole program and remembers the first failure, so that output that
// was lost, as on a full disk, is no success. A reader that leaves is none.
type teller struct {
	w   io.Writer
	mu  sync.Mutex // guards the rest
	err error
}

// Write writes b.
func (t *teller) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	if err != nil && !unread(err) {
		t.mu.Lock()
		t.err = cmp.Or(t.err, err)
		t.mu.Unlock()
	}
	return n, err
}

func (t *teller) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// patience is the time that a command has to end by itself after a signal. Those that
// store something have more: what they finish is worth it, and they heed the signal unless
// a file that they read keeps them.
func patience(args []string) time.Duration {
	if len(args) > 0 && slices.Contains([]string{"arena", "bench", "book", "results", "selfplay", "tune"}, args[0]) {
		return 10 * time.Second
	}
	return time.Second
}

// patiently runs a command and returns its error, or ctx's cause when the command does not
// return within limit after ctx's end: it waits for a terminal, a pipe or a device that says
// nothing, or reads one without end, which nothing but the end of the process can stop.
func patiently(ctx context.Context, limit time.Duration, command func() error) error {
	done := make(chan error, 1)
	go func() { done <- command() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return context.Cause(ctx)
	}
}

// oneLine makes one line of an error's text, which may be several errors' or hold what
// somebody wrote.
func oneLine(err error) string {
	return strings.NewReplacer("\r\n", "; ", "\n", "; ", "\r", "; ").Replace(strings.TrimSpace(err.Error()))
}

// status tells what err says and returns its exit status.
func (c *console) status(err error) int {
	var usage usageError
	var stopped stoppedError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &stopped):
		c.notef("xqlab: %s", oneLine(err))
		return exitStopped
	case errors.As(err, &usage):
		c.notef("xqlab: %s", oneLine(err))
		return exitUsage
	}
	c.notef("xqlab: %s", oneLine(err))
	return exitFailed
}

// errSignal is the cause of a context ended by a signal.
type errSignal struct{ os.Signal }

func (e errSignal) Error() string {
	name := e.String()
	switch e.Signal {
	case os.Interrupt:
		name = "Ctrl-C (SIGINT)"
	case syscall.SIGTERM:
		name = "SIGTERM"
	}
	return "stopped by " + name
}

// causeOf returns why ctx ended in place of an error that says only that it did.
func causeOf(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) {
		return cmp.Or(context.Cause(ctx), err)
	}
	return err
}

// echo is how long after a signal the same one is taken for it.
const echo = 500 * time.Millisecond

// signalContext returns a context that the first interrupt or termination ends; the
// second one ends the process, unless it is the first one's echo: timeout(1), for one, signals
// its child and then the child's whole group.
func signalContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // the terminal is closed; nohup lets it be ignored
		signal.Notify(ch, syscall.SIGHUP)
	}
	go func() {
		s, ok := <-ch
		if !ok {
			return
		}
		cancel(errSignal{s})
		first := time.Now()
		for again := range ch {
			if again != s || time.Since(first) > echo {
				os.Exit(exitStopped)
			}
		}
	}()
	return ctx, func() { signal.Stop(ch); close(ch); cancel(nil) }
}

// rootCommand builds the whole command tree.
func rootCommand(con *console) *cobra.Command {
	root := &cobra.Command{
		Use:           "xqlab",
		Short:         "A laboratory for Xiangqi engines: matches, judging, benchmarks",
		Long:          longHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommandOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(con.in)
	root.SetOut(con.out)
	root.SetErr(con.err)
	root.SetFlagErrorFunc(flagError)
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	root.SetUsageTemplate(strings.NewReplacer(".LocalFlags.FlagUsages", "flagUsages .LocalFlags", ".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags").Replace(root.UsageTemplate()))
	root.AddCommand(
		arenaCommand(con),
		benchCommand(con),
		bookCommand(con),
		complianceCommand(con),
		convertCommand(con),
		evalCommand(con),
		judgeCommand(con),
		perftCommand(con),
		resultsCommand(con),
		selfplayCommand(con),
		uciCommand(con),
		statsCommand(con),
		tuneCommand(con),
		versionCommand(con),
	)
	return root
}

const longHelp = `xqlab lets Xiangqi (Chinese chess) engines play each other in parallel, tells who is
stronger, by how much and how sure that is, judges games, converts them, and measures
nodes per second. Every outcome is a row in one SQLite file.`

// spareValue is how pflag writes the value of a flag that may stand bare.
var spareValue = regexp.MustCompile(` (\S+)\[="[^"]*"\]`)

// flagUsages describes flags, those that may stand bare as --sprt [TEST].
func flagUsages(flags *pflag.FlagSet) string {
	return spareValue.ReplaceAllStringFunc(flags.FlagUsages(), func(long string) string {
		short := spareValue.ReplaceAllString(long, " [$1]")
		return short + strings.Repeat(" ", len(long)-len(short)) // what follows stays in its column
	})
}

// subcommandOnly refuses words that are no command, naming the nearest one.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usagef("unknown command %q for %q%s (%s --help lists all)", args[0], cmd.CommandPath(), didYouMean(args[0], "%q", names), cmd.CommandPath())
}

// exactArgs refuses a wrong number of words with one line.
func exactArgs(n int) cobra.PositionalArgs { return rangeArgs(n, n) }

func rangeArgs(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usagef("%s takes %s, got %d: see %s --help", cmd.CommandPath(), countText(low, high), len(args), cmd.CommandPath())
		}
		return nil
	}
}

func countText(low, high int) string {
	switch {
	case high == 0:
		return "no words after its flags"
	case low == high:
		return counted(low, "word")
	case high > 1000:
		return "at least " + counted(low, "word")
	}
	return fmt.Sprintf("%d to %d words", low, high)
}
