package search

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the suite's positions
	"encoding/hex"
	"fmt"
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

// Bench searches each position of the suite to a fixed depth, each from an empty table
// and empty histories. On one thread the node counts, and so the signature, are the same
// on every machine; they change with the search, its parameters and the weights. It ends
// early with ctx's error.
func Bench(ctx context.Context, w *eval.Weights, p Params, o Options) (BenchResult, error) {
	e := New(w, p, o)
	r := BenchResult{Suite: Suite, Threads: len(e.workers)}
	rules, err := referee.Named("computer")
	if err != nil {
		return r, err
	}
	h := sha256.New()
	for _, fen := range BenchFENs() {
		pos, err := movegen.ParseFEN(fen)
		if err != nil {
			return r, fmt.Errorf("suite %s: %w", Suite, err)
		}
		e.NewGame()
		res := e.Search(ctx, referee.NewGame(pos, rules), Limits{Depth: benchDepth}, nil)
		if err := context.Cause(ctx); err != nil {
			return r, err
		}
		r.Nodes += res.Nodes
		r.Elapsed += res.Elapsed
		r.Positions = append(r.Positions, BenchPosition{fen, res.Move, res.Nodes, res.Elapsed})
		fmt.Fprintln(h, fen, res.Nodes)
	}
	r.Signature = "–"
	if r.Threads == 1 {
		r.Signature = hex.EncodeToString(h.Sum(nil))[:16]
	}
	return r, nil
}
