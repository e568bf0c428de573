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
