package arena

import (
	"context"
	"fmt"
	"strings"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// BenchSuite names the games of a Benchmark; it changes when their openings, limits or
// bounds do.
const BenchSuite = "selfplay-1"

// What each game of the suite is played with.
const (
	benchNodes = 1000 // a move
	benchPlies = 120  // after which a game is drawn
)

// benchOpenings are positions after six or eight random plies from the start.
var benchOpenings = [...]string{
	"r1bakabnr/9/n6c1/p1p1p1p1p/9/9/PcP1P1P1P/1C5C1/RR7/1NBAKABN1 w - - 6 4",
	"r1baka2r/9/1c2b1n2/p3p1p1p/1np1c4/6P2/P1P1P3P/C1NCB1N2/9/R1BAKA2R b - - 15 8",
	"1nb1kabnr/r3a4/1c7/p1p1p1p1p/7c1/9/P1P1P1P1P/2N6/7C1/RCBAKABNR w - - 6 4",
	"r1bakabr1/6n2/2n1c4/p1p1p1p1P/1c7/9/P1P1P1P2/2C3N1C/8R/RNBAKAB2 b - - 8 8",
	"rnbakab1r/6c2/1c4n2/pCp1p1p1p/9/9/P1P1P1P1P/B3C4/9/RN1AKABNR w - - 6 4",
	"3ak1b1r/r3a4/nc4nc1/p1p1p3p/6b2/8P/P1P1P4/2N2C1C1/4A4/R1B1KABNR b - - 1 8",
	"rnbakab1r/7c1/1c6n/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/4A4/RNBAK1BNR w - - 6 4",
	"1R1akab1r/9/b1n4cn/p1p1p1p1p/7C1/2P6/P1c1P1P1P/2N1B1C2/9/2BAKA1NR b - - 0 8",
}

// Benchmark is the suite of games that measures what self-play gets done: the built-in
// engine against itself at a fixed number of nodes a move, from fixed openings, under the
// computer rules, judged and recorded as the games of a match are. The moves are the same on
// every machine; they change with the engine and the referee.
type Benchmark struct {
	conduct Conduct
	sides   [2]Side
}

// NewBenchmark prepares the suite.
func NewBenchmark(w *eval.Weights, p search.Params, o search.Options) (*Benchmark, error) {
	o.Threads = 1
	rules, err := referee.Named("computer")
	b := &Benchmark{conduct: Conduct{Rules: rules, MaxPlies: benchPlies}}
	for i, name := range []string{"red", "black"} {
		b.sides[i] = Side{NewBuiltIn(name, w, p, o), Limits{Nodes: benchNodes}}
	}
	return b, err
}

// Len returns the number of games.
func (b *Benchmark) Len() int { return len(benchOpenings) }

// Play plays game i, from 0, and returns what it was, moves and result, in one line, and
// its plies. It returns ctx's cause when that ends the game.
func (b *Benchmark) Play(ctx context.Context, i int) (game string, plies uint64, err error) {
	var rec results.Game
	if err := b.conduct.Play(ctx, Opening{FEN: benchOpenings[i]}, b.sides, &rec); err != nil {
		return "", 0, fmt.Errorf("suite %s: game %d: %w", BenchSuite, i+1, err)
	}
	text := []string{rec.Opening}
	for _, p := range rec.Plies {
		text = append(text, p.Move.String())
	}
	text = append(text, fmt.Sprint(rec.Result), string(rec.Reason))
	return strings.Join(text, " "), uint64(len(rec.Plies)), nil
}
