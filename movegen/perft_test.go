package movegen

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"os"
	"slices"
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

// TestPerftWays: all methods, with threads and with a table of counts, agree, and the
// counts of the root moves add up.
func TestPerftWays(t *testing.T) {
	for _, c := range perftCases(t) {
		if c.nodes > 1_000_000 || raceEnabled && c.nodes > 300_000 {
			continue
		}
		p := mustParse(t, c.fen)
		for _, o := range []PerftOptions{
			{}, {Method: List}, {Method: Play}, {Threads: 3}, {HashMB: 1}, {Threads: 4, HashMB: 2, Method: Play}, {Threads: 2, HashMB: 1},
		} {
			o.Depth = c.depth
			r, err := RunPerft(t.Context(), p, o)
			if err != nil || r.Nodes != c.nodes {
				t.Errorf("%s %+v: %d, %v, want %d", c.fen, o, r.Nodes, err, c.nodes)
			}
			sum, last := uint64(0), NoMove
			for _, m := range r.Moves {
				if m.Move <= last || !p.IsLegal(m.Move) {
					t.Errorf("%s %+v: move %s after %s", c.fen, o, m.Move, last)
				}
				sum, last = sum+m.Nodes, m.Move
			}
			if n := p.count(); sum != r.Nodes || len(r.Moves) != n {
				t.Errorf("%s %+v: %d moves of %d, with %d nodes of %d", c.fen, o, len(r.Moves), n, sum, r.Nodes)
			}
		}
	}
}

func TestPerftShallow(t *testing.T) {
	p := StartPosition()
	for depth, want := range []uint64{1, 44, 1920, 79666} {
		for _, o := range []PerftOptions{{}, {Threads: 2}, {HashMB: 1}, {Method: Play}} {
			o.Depth = depth
			if r, err := RunPerft(t.Context(), p, o); err != nil || r.Nodes != want {
				t.Errorf("%+v: %d, %v, want %d", o, r.Nodes, err, want)
			}
		}
	}
	mated := mustParse(t, "3k5/9/3R5/9/3C5/9/9/1n7/9/4KA3 b")
	for depth := 1; depth < 4; depth++ {
		if r, err := RunPerft(t.Context(), mated, PerftOptions{Depth: depth}); err != nil || r.Nodes != 0 {
			t.Errorf("depth %d without a move: %d, %v", depth, r.Nodes, err)
		}
	}
	for _, o := range []PerftOptions{{Depth: -1}, {Depth: 65}, {Depth: 1, HashMB: 1 << 30}} {
		if _, err := RunPerft(t.Context(), p, o); err == nil {
			t.Errorf("%+v is not refused", o)
		}
	}
}

// TestPerftStops: a run whose context has ended returns its cause, long before a count
// that would take years.
func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	go cancel(cause)
	if _, err := RunPerft(ctx, StartPosition(), PerftOptions{Depth: 20, Threads: 2, HashMB: 1}); err != cause {
		t.Errorf("%v, want %v", err, cause)
	}
}

// TestReadPerftCasesOfEditors: UTF-8's mark is none of the first line; a line beyond the bound
// is named with it.
func TestReadPerftCasesOfEditors(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeff" + StartFEN + "\t1\t44\n":   "",
		"\ufeff# comment\n":                 "",
		"\ufeff\r\n":                        "",
		"\n\ufeff" + StartFEN + "\t1\t44\n": "cases.tsv:2: FEN",
		"\n# " + strings.Repeat("x", bufio.MaxScanTokenSize) + "\n" + StartFEN + "\t1\t44\n": "cases.tsv:2: the line has more than 65535 bytes",
		"# " + strings.Repeat("x", bufio.MaxScanTokenSize-3) + "\n":                          "",
	} {
		if _, err := ReadPerftCases(strings.NewReader(text), "cases.tsv"); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func TestReadPerftCases(t *testing.T) {
	text := "# comment\n\n" + StartFEN + "\t4\t3290240\tfrom somewhere\r\n" + StartFEN + "\tx\t5\n" +
		StartFEN + "\t3\nnonsense\t1\t1\n" + StartFEN + "\t1\t-44\n" + StartFEN + "\t1\t44"
	cases, err := ReadPerftCases(strings.NewReader(text), "cases.tsv")
	want := []PerftCase{{3, StartFEN, 4, 3290240}, {8, StartFEN, 1, 44}}
	if !slices.Equal(cases, want) {
		t.Errorf("%v, want %v", cases, want)
	}
	for i, part := range []string{`cases.tsv:4: depth "x"`, "cases.tsv:5: ", `cases.tsv:6: FEN "nonsense"`, `cases.tsv:7: nodes "-44"`} {
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 4 || !strings.Contains(lines[i], part) {
			t.Errorf("error %d of %q, want %q", i, lines, part)
		}
	}
}
