package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/results/stats"
)

// duel compares this xqlab with another one. Both run the same items of the suite in turn
// on one core, each first as often as second, and only the ratios of the two times of an
// item count, so that whatever slows the machine for longer than an item slows both. A
// round takes a few items in two new processes, since where a process happens to lie in
// memory makes it faster or slower for all its life; they run from new copies, since the
// program itself lies where it is in memory as long as its file is the same, which made one
// of two equal ones faster by half a per cent and more. The rounds' trimmed means are what
// the interval comes from.
type duel struct {
	f      *benchFlags
	s      *suite
	core   *int              // where both run, nil for anywhere
	exe    [2]string         // this, other
	sides  [2]*results.Bench // this, other
	clock  string
	start  time.Time
	run    []work    // what each item of the suite is, as far as it is known
	logs   []float64 // of each round: ln of this speed by the other's
	rounds int
	// inPlace is set where the programs cannot be run from copies, as on Windows, where
	// what runs cannot be removed.
	inPlace bool
}

// duel compares with f.against and tells the verdict.
func (f *benchFlags) duel(ctx context.Context, con *console, s *suite, core *int) error {
	other, err := exec.LookPath(f.against)
	if err != nil {
		return usagef("--against: %v", err)
	}
	d := &duel{f: f, s: s, core: core, start: time.Now(), clock: results.WallClock, inPlace: runtime.GOOS == "windows"}
	if all := cores(); core == nil && f.pin != "none" && len(all) > 0 {
		d.core = &all[len(all)-1]
	}
	this, err := self()
	if err != nil {
		return err
	}
	d.exe = [2]string{this, other}
	for i := range d.sides {
		if d.sides[i], err = f.newBench(ctx); err != nil {
			return err
		}
	}
	if d.sides[1].SHA256, err = engine.Sum(ctx, other); err != nil {
		return err
	}
	if err := d.play(ctx); err != nil {
		if ctx.Err() != nil {
			err = stoppedError{err}
		}
		return err
	}
	return d.tell(ctx, con)
}

// play plays rounds until the time is up, but until every item has been measured.
func (d *duel) play(ctx context.Context) error {
	budget, runs := d.f.limits()
	if d.f.runs == 0 {
		runs = math.MaxInt
	}
	for items := 0; ; {
		began := time.Now()
		n, err := d.round(ctx)
		if err != nil {
			return err
		}
		items += d.s.round
		if whole := items >= n; whole && (d.rounds >= runs || time.Since(d.start)+time.Since(began) > budget) {
			return nil
		}
	}
}

// round measures the next items in two new processes and returns the number of items of
// the suite.
func (d *duel) round(ctx context.Context) (n int, err error) {
	var w [2]*worker
	defer func() {
		for _, w := range w {
			if w != nil {
				err = errors.Join(err, w.close())
			}
		}
	}()
	if err := d.begin(ctx, &w); err != nil {
		return 0, err
	}
	if err := d.meet(w); err != nil {
		return 0, err
	}
	n = w[0].Items
	var total [2]results.BenchRun
	var logs []float64
	at := time.Since(d.start).Seconds()
	for k := -1; k < d.s.round; k++ {
		item := (d.rounds*d.s.round + max(k, 0)) % n
		var pair [2]sample
		for j := range pair {
			side := (j + k + d.rounds + 1) % 2
			if pair[side], err = w[side].run(ctx, item); err != nil {
				return n, err
			}
		}
		if k < 0 {
			continue // warm-up
		}
		if err := d.same(item, pair); err != nil {
			return n, err
		}
		logs = append(logs, math.Log(d.seconds(pair[1])/d.seconds(pair[0])))
		for side, s := range pair {
			total[side].Units += s.Units
			total[side].Seconds += s.Seconds
			total[side].CPU += s.CPU
		}
	}
	d.rounds++
	d.logs = append(d.logs, stats.TrimmedMean(logs, 0.25))
	for side, r := range total {
		r.At = at
		d.sides[side].Add(r)
	}
	return n, nil
}

// begin starts both from new copies, or where that cannot be from the programs themselves.
func (d *duel) begin(ctx context.Context, w *[2]*worker) error {
	exe := d.exe
	if !d.inPlace {
		dir, err := os.MkdirTemp("", "xqlab-bench-")
		if err == nil {
			defer os.RemoveAll(dir)
			exe, err = copyPrograms(dir, exe)
		}
		d.inPlace = err != nil
	}
	for k := range w {
		side := (k + d.rounds) % 2
		start := func() (err error) {
			w[side], err = startWorker(ctx, exe[side], d.exe[side], d.s, d.f, 1, d.core)
			return err
		}
		err := start()
		if errors.Is(err, fs.ErrPermission) && !d.inPlace { // nothing may be started in that folder
			d.inPlace, exe = true, d.exe
			err = start()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyPrograms copies programs to a folder, each under its own name. A script is not copied,
// for it may ask where it lies.
func copyPrograms(dir string, exe [2]string) ([2]string, error) {
	to := exe
	for i, from := range exe {
		side := filepath.Join(dir, strconv.Itoa(i))
		to[i] = filepath.Join(side, filepath.Base(from))
		if err := os.Mkdir(side, 0o700); err != nil {
			return exe, err
		}
		if err := copyProgram(from, to[i]); err != nil {
			return exe, err
		}
	}
	return to, nil
}

func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	var head [2]byte
	if _, err := in.ReadAt(head[:], 0); err != nil || string(head[:]) == "#!" {
		return fmt.Errorf("%s: %w", from, errors.ErrUnsupported)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// meet takes down who the two are.
func (d *duel) meet(w [2]*worker) error {
	if w[0].Items != w[1].Items {
		return fmt.Errorf("suite %s has %d items here and %d in %s: they cannot be compared", d.s.name, w[0].Items, w[1].Items, d.exe[1])
	}
	if d.run == nil {
		d.run = make([]work, w[0].Items)
	}
	if w[0].Precise && w[1].Precise {
		d.clock = results.CPUClock
	}
	for side, b := range d.sides {
		g := &w[side].greeting
		b.Suite, b.Unit, b.Threads, b.Processes, b.HashMB, b.Core, b.Clock = d.s.name, d.s.unit, 1, 1, d.f.hash, d.core, d.clock
		b.Version, b.Commit, b.PGO, b.CGO, b.Host.GOAMD64, b.Host.Go = g.Version, g.Commit, g.PGO, g.CGO, g.GOAMD64, g.Go
		b.Against = d.sides[1-side].ID
	}
	return nil
}

func (d *duel) seconds(s sample) float64 {
	if d.clock == results.CPUClock {
		return s.CPU
	}
	return s.Seconds
}

// same refuses to compare unequal work.
func (d *duel) same(item int, pair [2]sample) error {
	for side, s := range pair {
		if d.run[item].Item == "" {
			d.run[item] = s.work
		}
		if then := d.run[item]; then != s.work {
			return fmt.Errorf("suite %s, item %d: %d %s here and %d in %s (%s): the two do not do the same work, so their speeds are not comparable; the suite %s may be",
				d.s.name, item+1, then.Units, d.s.unit, s.Units, filepath.Base(d.exe[side]), s.Item, suites[1].name)
		}
		if !(d.seconds(s) > 0) {
			return fmt.Errorf("suite %s, item %d took no time by the %s clock", d.s.name, item+1, d.clock)
		}
	}
	return nil
}

// tell stores and shows the outcome.
func (d *duel) tell(ctx context.Context, con *console) error {
	for _, b := range d.sides {
		b.Signature = signature(d.run)
		b.State[1] = results.HostNow()
		b.Finish()
	}
	if err := d.f.store(ctx, d.sides[:]...); err != nil {
		return err
	}
	return showComparison(con, report.Paired(d.sides[0], d.sides[1], d.logs), d.f)
}

// showComparison shows a comparison, and fails as --fail-below asks.
func showComparison(con *console, c report.Comparison, f *benchFlags) error {
	if f.asJSON {
		if err := printJSON(con, c); err != nil {
			return err
		}
	} else {
		fmt.Fprint(con.out, c.Text())
	}
	return failBelow([]report.Comparison{c}, f.failBelow)
}

// failBelow returns an error when one of the comparisons shows a loss of speed beyond the
// bound.
func failBelow(list []report.Comparison, bound string) error {
	least, err := parseBelow(bound)
	if err != nil || least == 0 {
		return err
	}
	for _, c := range list {
		if c.Verdict == stats.Slower && c.Ratio.Value < least {
			return fmt.Errorf("slower by %.2f %%, beyond --fail-below %s", 100*(1-c.Ratio.Value), bound)
		}
	}
	return nil
}
