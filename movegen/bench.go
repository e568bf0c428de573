package movegen

import (
	"context"
	"fmt"
)

// BenchSuite names the positions and depths of BenchPerft; it changes when either does.
const BenchSuite = "perft-1"

// benchPerfts are positions from the opening to the ending with the depth to count them
// to, so that each takes about as long.
var benchPerfts = [...]struct {
	fen   string
	depth int
}{
	{StartFEN, 5},
	{"r1baka2r/9/1c2b1n2/p3p1p1p/1np1c4/6P2/P1P1P3P/C1NCB1N2/9/R1BAKA2R b - - 15 8", 4},
	{"1nb1k4/4a4/rc2b3c/p1p3n1p/6p2/2r5P/P3P1P2/1RN1C1N2/9/2BAKAB1R w - - 0 12", 4},
	{"1rbak2r1/9/1c2c1n2/pR2p3p/9/2P3P2/P3P1n1P/2NC2N1B/4A4/2BAK3R b - - 8 16", 4},
	{"2baka3/9/4c2cb/R8/4n1p2/3N5/P3P1P1P/6NC1/4A4/2rAK1B2 w - - 1 21", 4},
	{"3ak1b2/1r2a4/4b3n/p7p/1c7/P1R3Pr1/8P/B3C4/3RN4/3AKAB2 b - - 0 26", 4},
	{"2bk1a3/4a2R1/c1n3C2/p1C6/9/4p1P1c/P3N4/2N1B4/4Ar3/2B1KA3 b - - 0 40", 4},
	{"4k1b2/7C1/4b1R2/9/P7p/2p2p3/2r6/9/4A4/4K4 b - - 4 47", 5},
	{"2baka3/9/9/6R2/p1r6/9/9/4BA3/4A4/4K1B2 b - - 36 67", 5},
	{"1Cb6/3P1k3/b1N6/9/9/4p4/9/4Bp3/6n2/2BKc4 b - - 11 67", 5},
}

// BenchPerfts returns the number of positions of the suite.
func BenchPerfts() int { return len(benchPerfts) }

// BenchPerft counts position i, from 0, of the suite by the fastest method and returns
// what it is, in one line, and the number of paths, which no build changes. It returns
// ctx's cause when that ends it.
func BenchPerft(ctx context.Context, i, threads int) (item string, paths uint64, err error) {
	c := benchPerfts[i]
	p, err := ParseFEN(c.fen)
	if err != nil {
		return "", 0, fmt.Errorf("suite %s: %w", BenchSuite, err)
	}
	r, err := RunPerft(ctx, p, PerftOptions{Depth: c.depth, Threads: threads})
	return fmt.Sprintf("%s depth %d", c.fen, c.depth), r.Nodes, err
}
