//go:build unix

package movegen

import (
	"flag"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The comparison with Pikafish-HCE, built elsewhere:
//
//	go test -run TestPeer -v ./movegen -args -pikafish=PATH
//
// Both run in turn on eight positions; what counts is processor time, the peer's without
// its start-up, as medians, so that other work on the machine disturbs little.
var (
	pikafish = flag.String("pikafish", "", "path of a Pikafish-HCE binary to measure against")
	played   = flag.String("pikafish-play", "", "path of a Pikafish-HCE binary changed to play every move of the last ply")
	rounds   = flag.Int("rounds", 5, "rounds of the measurement against -pikafish")
)

var peerPositions = []struct {
	fen   string
	depth int
}{
	{StartFEN, 5},
	{"CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w - - 0 1", 6},
	{"1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1", 5},
	{"r1bakab1r/9/1c2c4/p3p3p/2p3p2/2P3P2/P3P3P/1C2C4/9/R1BAKAB1R w - - 0 1", 5},
	{"1r1akabr1/1c7/2n1b1n2/p1p1p3p/6p2/PN3R3/1cP1P1P1P/2C1C1N2/1R7/2BAKAB2 b - - 0 1", 5},
	{"4ka3/3Pa4/r6R1/2C4C1/9/9/8n/9/4p3r/3K3R1 w - - 0 1", 5},
	{"2bakab2/9/2n1c1R1c/3r4p/4N4/r8/6P1P/6C1C/4A4/1RBAK1B2 w - - 0 1", 5},
	{"9/4k4/3aba3/3P5/1cb6/2BC5/n3N4/B2A5/9/3AK4 w - - 0 1", 6},
}

// cpu returns the processor time that this process has used.
func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peerRun feeds the peer and returns the processor time it took and what it printed.
func peerRun(t *testing.T, path, input string) time.Duration {
	cmd := exec.Command(path)
	cmd.Stdin = strings.NewReader(input)
	if _, err := cmd.Output(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return d[len(d)/2].Seconds()
}

// peerWay is a way of ours to count, and the peer it is measured against.
type peerWay struct {
	name string
	c    counter
	peer *string
}

var peerWays = []peerWay{
	{"count", counter{}, pikafish},
	{"one ply", counter{single: true}, pikafish},
	{"list", counter{method: List}, pikafish},
	{"play", counter{method: Play}, played},
}

func TestPeer(t *testing.T) {
	if *pikafish == "" {
		t.Skip("no -pikafish to measure against")
	}
	ways := peerWays
	if *played == "" {
		ways = ways[:3]
	}
	fmt.Printf("%8s %12s", "peer", "nodes")
	for _, w := range ways {
		fmt.Printf(" %9s", w.name)
	}
	fmt.Println()
	logs := make([]float64, len(ways))
	for _, c := range peerPositions {
		nodes, peer, ratios := measurePeer(t, mustParse(t, c.fen), c.depth, ways)
		fmt.Printf("%7.0fM %12d", float64(nodes)/peer/1e6, nodes)
		for i, r := range ratios {
			logs[i] += math.Log(r)
			fmt.Printf(" %8.2f×", r)
		}
		fmt.Println("  " + c.fen)
	}
	fmt.Printf("%21s", "geometric mean")
	for _, l := range logs {
		fmt.Printf(" %8.2f×", math.Exp(l/float64(len(peerPositions))))
	}
	fmt.Println()
}

// measurePeer returns how many times faster than their peers the ways are, the peer's
// seconds for the first way, and the nodes.
func measurePeer(t *testing.T, p *Position, depth int, ways []peerWay) (nodes uint64, seconds float64, ratios []float64) {
	start, own, peers := []time.Duration(nil), make([][]time.Duration, len(ways)), map[string][]time.Duration{}
	perft := fmt.Sprintf("position fen %s\ngo perft %d\nquit\n", p.FEN(), depth)
	for range *rounds {
		start = append(start, peerRun(t, *pikafish, "quit\n"))
		for _, path := range []string{*pikafish, *played} {
			if path != "" {
				peers[path] = append(peers[path], peerRun(t, path, perft))
			}
		}
		for i, w := range ways {
			w.c.p = p
			began := cpu(t)
			nodes = w.c.count(depth)
			own[i] = append(own[i], cpu(t)-began)
		}
	}
	for i, w := range ways {
		ratios = append(ratios, (median(peers[*w.peer])-median(start))/median(own[i]))
	}
	return nodes, median(peers[*pikafish]) - median(start), ratios
}
