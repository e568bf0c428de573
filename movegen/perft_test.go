package movegen

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
)

// positions is how many random positions the tests against the plain generator visit;
// `go test -args -positions=5000000` for a long run.
var positions = flag.Int("positions", map[bool]int{false: 20000, true: 1000}[raceEnabled], "random positions to compare")

// perftCase is a line of testdata/perft.tsv.
type perftCase struct {
	fen   string
	depth int
	nodes uint64
}

func perftCases(t testing.TB) (cases []perftCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/perft.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		depth, err1 := strconv.Atoi(fields[1])
		nodes, err2 := strconv.ParseUint(fields[2], 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("testdata/perft.tsv: %q", line)
		}
		cases = append(cases, perftCase{fields[0], depth, nodes})
	}
	return cases
}

func TestPerft(t *testing.T) {
	for _, c := range perftCases(t) {
		if c.nodes > 500_000 && raceEnabled || c.nodes > 100_000_000 {
			continue
		}
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		before := *p
		if got := Perft(p, c.depth); got != c.nodes {
			t.Errorf("perft %d of %s = %d, want %d", c.depth, c.fen, got, c.nodes)
		}
		if *p != before {
			t.Errorf("%s: the position is not what it was before", c.fen)
		}
	}
}
