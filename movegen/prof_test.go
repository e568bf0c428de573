package movegen

import (
	"fmt"
	"os"
	"testing"
)

func TestProf(t *testing.T) {
	var i int
	fmt.Sscan(os.Getenv("POS"), &i)
	c := peerPositions[i]
	p := mustParse(t, c.fen)
	k := counter{p: p, single: os.Getenv("SINGLE") != "", method: map[string]Method{"": Count, "list": List, "play": Play}[os.Getenv("METHOD")]}
	b := cpu(t)
	n := uint64(0)
	for range 12 {
		n += k.count(c.depth)
	}
	fmt.Println(i, n, float64(n)/(cpu(t)-b).Seconds()/1e6, "M/s")
}
