package search

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the suite's positions
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// Suite names the positions and the depth of Bench; it changes when either does.
const (
	Suite      = "bench-1"
	benchDepth = 10
)

// benchFile holds positions of games that this engine played against itself from random
// openings, opening to ending in turn.
//
//go:embed bench-1.epd
var benchFile []byte

// BenchResult is one run of the suite.
type BenchResult struct {
	Suite     string
	Signature string // hash over the nodes of each position, "–" with several threads
	Threads   int
	Nodes     uint64
	Elapsed   time.Duration // thinking alone
	Positions []BenchPosition
}

// BenchPosition is one position's part of a run.
type BenchPosition struct {
	FEN     string
	Move    movegen.Move
	Nodes   uint64
	Elapsed time.Duration
}

// BenchFENs returns the positions of the suite.
func BenchFENs() []string {
	var list []string
	for s := bufio.NewScanner(bytes.NewReader(benchFile)); s.Scan(); {
		if l := strings.TrimSpace(s.Text()); l != "" && l[0] != '#' {
			list = append(list, l)
		}
	}
	return list
}

// NoSignature stands for the signature of a run on several threads, whose node counts are
// not the same each time.
const NoSignature = "–"

// Signer makes the signature of a run of a suite: a hash over what each of its items is
// and how many units of work it took, in order.
type Signer struct{ h hash.Hash }

// NewSigner returns a signer of an empty run.
func NewSigner() *Signer { return &Signer{sha256.New()} }

// Add takes in the next item.
func (s *Signer) Add(item string, units uint64) { fmt.Fprintln(s.h, item, units) }

// Sum returns the signature, 16 hexadecimal digits.
func (s *Signer) Sum() string { return hex.EncodeToString(s.h.Sum(nil))[:16] }

// Benchmark is an engine ready to search the positions of the suite, each to a fixed
// depth from an empty table and empty histories. On one thread the node counts are the
// same on every machine; they change with the search, its parameters and the weights.
type Benchmark struct {
	engine *Engine
	rules  *referee.Rules
	fens   []string
}

// NewBenchmark prepares the suite.
func NewBenchmark(w *eval.Weights, p Params, o Options) (*Benchmark, error) {
	rules, err := referee.Named("computer")
	return &Benchmark{New(w, p, o), rules, BenchFENs()}, err
}

// Len returns the number of positions.
func (b *Benchmark) Len() int { return len(b.fens) }

// Load prepares position i, from 0, so that what it returns, called once, searches and
// does nothing else. It returns ctx's cause when that ends the search.
func (b *Benchmark) Load(i int) (func(ctx context.Context) (BenchPosition, error), error) {
	fen := b.fens[i]
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", Suite, err)
	}
	game := referee.NewGame(pos, b.rules)
	b.engine.NewGame()
	return func(ctx context.Context) (BenchPosition, error) {
		r := b.engine.Search(ctx, game, Limits{Depth: benchDepth}, nil)
		return BenchPosition{fen, r.Move, r.Nodes, r.Elapsed}, context.Cause(ctx)
	}, nil
}

// Bench runs the suite once. It ends early with ctx's error.
func Bench(ctx context.Context, w *eval.Weights, p Params, o Options) (BenchResult, error) {
	b, err := NewBenchmark(w, p, o)
	r := BenchResult{Suite: Suite, Signature: NoSignature, Threads: max(o.Threads, 1)}
	sign := NewSigner()
	for i := 0; i < b.Len() && err == nil; i++ {
		var search func(context.Context) (BenchPosition, error)
		if search, err = b.Load(i); err != nil {
			break
		}
		var p BenchPosition
		p, err = search(ctx)
		r.Nodes += p.Nodes
		r.Elapsed += p.Elapsed
		r.Positions = append(r.Positions, p)
		sign.Add(p.FEN, p.Nodes)
	}
	if r.Threads == 1 {
		r.Signature = sign.Sum()
	}
	return r, err
}
