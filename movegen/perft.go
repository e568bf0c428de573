package movegen

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Perft counts the paths of legal moves of the given length in plies, on one thread and
// as fast as it can.
func Perft(p *Position, depth int) uint64 {
	q := *p
	c := counter{p: &q, method: Count}
	return c.count(depth)
}

// Method is how far perft goes before it counts.
type Method uint8

// The methods. All give the same counts; they differ in what they check and cost.
const (
	Count Method = iota // the last two plies are counted in one node, from sets
	List                // the legal moves of the last ply are listed
	Play                // every move of the last ply is played and taken back
)

var methodNames = [...]string{"count", "list", "play"}

// String returns "count", "list" or "play".
func (m Method) String() string { return methodNames[m] }

// ParseMethod reads "count", "list" or "play".
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(methodNames[:], name); i >= 0 {
		return Method(i), nil
	}
	return 0, fmt.Errorf("method %q, want count, list or play", name)
}

// PerftOptions says what RunPerft counts and how. The zero value of a field but Depth is
// its default.
type PerftOptions struct {
	Depth   int    // plies, 0 to MaxPerftDepth
	Threads int    // 0: one
	HashMB  int    // size of the table of counts in MiB, 0: none
	Method  Method // default Count
}

// MaxPerftDepth and MaxPerftHashMB bound PerftOptions.
const (
	MaxPerftDepth  = 64
	MaxPerftHashMB = 1 << 16
)

// MoveCount is a root move and the number of paths that begin with it.
type MoveCount struct {
	Move  Move
	Nodes uint64
}

// PerftResult is what RunPerft counted. Moves are in order of their squares; there are
// none at depth 0.
type PerftResult struct {
	Nodes uint64
	Moves []MoveCount
}

// RunPerft counts the paths of legal moves of the given length. It stops early only when
// ctx ends, and then returns its cause.
func RunPerft(ctx context.Context, p *Position, o PerftOptions) (PerftResult, error) {
	if o.Depth < 0 || o.Depth > MaxPerftDepth {
		return PerftResult{}, fmt.Errorf("perft depth %d, want 0 to %d", o.Depth, MaxPerftDepth)
	}
	if o.HashMB > MaxPerftHashMB {
		return PerftResult{}, fmt.Errorf("perft hash of %d MiB, at most %d", o.HashMB, MaxPerftHashMB)
	}
	if o.Depth == 0 {
		return PerftResult{Nodes: 1}, nil
	}
	run := newPerftRun(p, o)
	defer context.AfterFunc(ctx, func() { run.stop.Store(true) })()
	var workers sync.WaitGroup
	for range max(o.Threads, 1) {
		workers.Go(run.work)
	}
	workers.Wait()
	if run.stop.Load() && ctx.Err() != nil {
		return PerftResult{}, context.Cause(ctx)
	}
	return run.result(), nil
}

// perftRun is the work of one RunPerft: a task for every line of one or two moves from
// the root, taken in turn by the workers.
type perftRun struct {
	root    Position
	options PerftOptions
	tasks   []perftTask
	next    atomic.Int64
	table   *countTable
	stop    atomic.Bool
}

type perftTask struct {
	line  [2]Move // the second may be NoMove
	nodes uint64
}

func newPerftRun(p *Position, o PerftOptions) *perftRun {
	r := &perftRun{root: *p, options: o, table: newCountTable(o.HashMB)}
	// Lines of two moves even out the load of the threads; they need two plies below them
	// that are worth it.
	split := o.Depth >= 4 && o.Threads > 1
	var l MoveList
	p.Legal(&l)
	slices.Sort(l.Slice())
	for _, m := range l.Slice() {
		if !split {
			r.tasks = append(r.tasks, perftTask{line: [2]Move{m}})
			continue
		}
		q := *p
		var u Undo
		q.Make(m, &u)
		var replies MoveList
		q.Legal(&replies)
		for _, reply := range replies.Slice() {
			r.tasks = append(r.tasks, perftTask{line: [2]Move{m, reply}})
		}
		if replies.Len() == 0 { // the move still has its line in the result
			r.tasks = append(r.tasks, perftTask{line: [2]Move{m}})
		}
	}
	return r
}

func (r *perftRun) work() {
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.tasks)) || r.stop.Load() {
			return
		}
		t := &r.tasks[i]
		q := r.root
		c := counter{p: &q, method: r.options.Method, table: r.table, stop: &r.stop}
		var u Undo
		depth := r.options.Depth
		for _, m := range t.line {
			if m != NoMove {
				q.Make(m, &u)
				depth--
			}
		}
		t.nodes = c.count(depth)
	}
}

func (r *perftRun) result() (res PerftResult) {
	for _, t := range r.tasks {
		res.Nodes += t.nodes
		if n := len(res.Moves); n > 0 && res.Moves[n-1].Move == t.line[0] {
			res.Moves[n-1].Nodes += t.nodes
			continue
		}
		res.Moves = append(res.Moves, MoveCount{t.line[0], t.nodes})
	}
	slices.SortFunc(res.Moves, func(a, b MoveCount) int { return cmp.Compare(a.Move, b.Move) })
	return res
}

// counter counts paths on one position.
type counter struct {
	p      *Position
	method Method
	single bool         // count one ply at a time, as a search would list
	table  *countTable  // may be nil
	stop   *atomic.Bool // may be nil
}

// stopDepth is the height at which a counter looks whether to stop, low enough to be
// prompt, high enough to cost nothing.
const stopDepth = 3

func (c *counter) count(depth int) uint64 {
	switch {
	case depth == 0:
		return 1
	case depth == 1:
		return c.leaves()
	case depth == 2 && c.method == Count && !c.single && c.table == nil:
		return c.pairs()
	case depth >= stopDepth && c.stop != nil && c.stop.Load():
		return 0
	}
	if c.table == nil {
		return c.descend(depth)
	}
	if n, ok := c.table.get(c.p.key, depth); ok {
		return n
	}
	n := c.descend(depth)
	if c.stop == nil || !c.stop.Load() {
		c.table.put(c.p.key, depth, n)
	}
	return n
}

// descend adds up the counts below each move.
func (c *counter) descend(depth int) (n uint64) {
	if depth == 2 && c.method == Count && !c.single {
		return c.pairs()
	}
	var l MoveList
	var u Undo
	c.p.Legal(&l)
	for _, m := range l.Slice() {
		c.p.Make(m, &u)
		n += c.count(depth - 1)
		c.p.Unmake(m, &u)
	}
	return n
}

// pairs counts the last two plies in one node.
func (c *counter) pairs() uint64 {
	n := c.p.countPairs()
	if checkPairs {
		plain := counter{p: c.p, single: true}
		if want := plain.descend(2); n != want {
			panic(fmt.Sprintf("movegen: %s has %d pairs, counted as %d", c.p.FEN(), want, n))
		}
	}
	return n
}

// leaves counts the legal moves by the counter's method.
func (c *counter) leaves() uint64 {
	if c.method == Count {
		return uint64(c.p.count())
	}
	var l MoveList
	c.p.Legal(&l)
	if c.method == List {
		return uint64(l.Len())
	}
	var n uint64
	var u Undo
	for _, m := range l.Slice() {
		c.p.Make(m, &u)
		n++
		c.p.Unmake(m, &u)
	}
	return n
}

// countTable remembers counts by position and depth. Threads share it without locks:
// an entry's first word is the key XORed with its count, so an entry of which two threads
// wrote a half each is not found.
type countTable struct {
	entries []countEntry // a power of two
}

type countEntry struct{ check, nodes atomic.Uint64 }

// newCountTable returns a table of at most the given size in MiB, nil for none.
func newCountTable(mb int) *countTable {
	if mb <= 0 {
		return nil
	}
	n := 1 << 16 // a MiB
	for ; n*2 <= mb<<16; n *= 2 {
	}
	return &countTable{make([]countEntry, n)}
}

// tag makes different keys of the same position at different depths.
func (t *countTable) tag(key uint64, depth int) uint64 {
	return key ^ uint64(depth)*0x9e3779b97f4a7c15
}

func (t *countTable) get(key uint64, depth int) (uint64, bool) {
	tag := t.tag(key, depth)
	e := &t.entries[tag&uint64(len(t.entries)-1)]
	n := e.nodes.Load()
	return n, e.check.Load()^n == tag && n != 0
}

func (t *countTable) put(key uint64, depth int, n uint64) {
	tag := t.tag(key, depth)
	e := &t.entries[tag&uint64(len(t.entries)-1)]
	e.nodes.Store(n)
	e.check.Store(tag ^ n)
}

// PerftCase is a known count, a line of a batch file.
type PerftCase struct {
	Line  int // in its file, from 1
	FEN   string
	Depth int
	Nodes uint64
}

// ReadPerftCases reads lines "FEN<TAB>depth<TAB>nodes"; further columns, empty lines and
// lines that begin with # are ignored, and so is UTF-8's mark. name is the file's, for errors, which name each
// line at fault (errors.Join); the cases that could be read are returned with them.
func ReadPerftCases(r io.Reader, name string) ([]PerftCase, error) {
	var cases []PerftCase
	var faults []error
	in := bufio.NewScanner(r)
	n := 0
	for in.Scan() {
		n++
		text := strings.TrimRight(in.Text(), " \r")
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // some editors' mark
		}
		if text == "" || text[0] == '#' {
			continue
		}
		c, err := parsePerftCase(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		c.Line = n
		cases = append(cases, c)
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		faults = append(faults, fmt.Errorf("%s:%d: the line has more than %d bytes; it and what follows is not read", name, n+1, bufio.MaxScanTokenSize-1))
	case err != nil:
		faults = append(faults, fmt.Errorf("%s:%d: %w", name, n+1, err))
	}
	return cases, errors.Join(faults...)
}

func parsePerftCase(text string) (PerftCase, error) {
	fields := strings.Split(text, "\t")
	if len(fields) < 3 {
		return PerftCase{}, fmt.Errorf("%q, want FEN, depth and nodes with tabs between", clip(text))
	}
	depth, err := strconv.Atoi(strings.TrimSpace(fields[1]))
	if err != nil || depth < 0 || depth > MaxPerftDepth {
		return PerftCase{}, fmt.Errorf("depth %q, want a number from 0 to %d", clip(fields[1]), MaxPerftDepth)
	}
	nodes, err := strconv.ParseUint(strings.TrimSpace(fields[2]), 10, 64)
	if err != nil {
		return PerftCase{}, fmt.Errorf("nodes %q, want a number", clip(fields[2]))
	}
	if _, err := ParseFEN(fields[0]); err != nil {
		return PerftCase{}, err
	}
	return PerftCase{FEN: fields[0], Depth: depth, Nodes: nodes}, nil
}
