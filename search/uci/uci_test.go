package uci

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// talk sends lines, waiting for the answer that begins with the text after "→" where one
// is given, and returns all that was said.
func talk(t *testing.T, lines ...string) string {
	t.Helper()
	in, feed := io.Pipe()
	var said syncBuffer
	done := make(chan error, 1)
	go func() { done <- Run(in, &said, "test", nil) }()
	for _, l := range lines {
		send, want, wait := strings.Cut(l, " → ")
		before := said.count(want)
		if _, err := io.WriteString(feed, send+"\n"); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); wait && said.count(want) == before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no %q after %q; said:\n%s", want, send, said.String())
			}
		}
	}
	feed.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("does not end with its input")
	}
	return said.String()
}

// syncBuffer is a buffer for two goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// count returns how many lines begin with a text.
func (b *syncBuffer) count(prefix string) int { return strings.Count("\n"+b.String(), "\n"+prefix) }

const mated = "R2k5/1R7/9/9/9/9/9/9/9/4K4 b"

func TestConversations(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string // each somewhere in what was said
		never []string
	}{
		{"uci", []string{"uci → uciok", "isready → readyok", "ucinewgame", "position startpos moves h2e2", "go nodes 3000 → bestmove", "quit"},
			[]string{"id name xqlab test\n", "option name Hash type spin default 16 min 1 max 32768\n", "option name NullBase type spin", "info depth 1 seldepth ",
				" score cp ", " nps ", " hashfull ", " tbhits 0 time ", " pv ", "\nbestmove "}, []string{"error"}},
		{"ucci", []string{"ucci → ucciok", "setoption usemillisec true", "setoption hashsize 2", "position startpos", "go time 100 increment 0 → bestmove", "stop → nobestmove", "quit"},
			[]string{"option hashsize type spin min 1 max 32768 default 16\n", "info depth 1 score ", "info time ", "\nbye\n"}, []string{"error", "score cp"}},
		{"cyclone", []string{"startpos moves h2e2 h9g7", "d", "go depth 2 → bestmove"}, []string{"Fen: rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w"}, []string{"error"}},
		{"letters E and H, side r, no counters", []string{"position fen rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r", "go perft 2 → Nodes"}, []string{"Nodes searched: 1920\n"}, []string{"error"}},
		{"illegal move", []string{"position startpos moves h2e2 h2e2", "d", "go nodes 10 → bestmove"},
			[]string{"info string error: position: move 2, h2e2, is not legal in rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b"}, nil},
		{"bad lines", []string{"position fen foobar", "position", "go depth", "go depth x", "go bananas", "setoption", "setoption name Nonsense value 3", "setoption name Hash value 0",
			"setoption name Weights value /no/such/file", "setoption name Rules value chess", "perft", "go perft x", "xyzzy", "isready → readyok"},
			[]string{"error: FEN \"foobar\"", "error: position \"\"", "depth without a number", "depth \"x\"", "unknown word \"bananas\"", "without a name", "no option \"Nonsense\"",
				"option Hash: value \"0\"", "/no/such/file", "unknown rule set \"chess\"", "how deep", "perft \"x\"", "unknown command \"xyzzy\""}, nil},
		{"unknown words of go", []string{"position startpos", "go deeply 3 nodes 50 → bestmove"}, []string{`unknown word "deeply" is passed over`}, nil},
		{"a clock below a second", []string{"ucci → ucciok", "go time 0 increment 0 → bestmove", "go time 0 → bestmove", "go time 0 increment 1 → bestmove"}, nil, []string{"error"}},
		{"a line without end", []string{"position startpos moves " + strings.Repeat("h2e2 ", maxLine/5), "go nodes 50 → bestmove"}, []string{"error: a line of more than"}, nil},
		{"mated", []string{"position fen " + mated, "go depth 3 → bestmove"}, []string{"info depth 0 score mate 0\nbestmove (none)\n"}, nil},
		{"mated in ucci", []string{"ucci → ucciok", "position fen " + mated, "go depth 3 → nobestmove"}, nil, []string{"bestmove ("}},
		{"mate score", []string{"position fen 3k5/R8/1R7/9/9/9/9/9/9/4K4 w", "go nodes 2000 → bestmove"}, []string{" score mate 1 ", "bestmove b7b9\n"}, nil},
		{"infinite and stop", []string{"go infinite → info depth 3", "isready → readyok", "stop → bestmove"}, nil, []string{"error"}},
		{"ponder", []string{"go ponder wtime 100 btime 100 → info depth 3", "ponderhit → bestmove"}, nil, []string{"error"}},
		{"position stops a search", []string{"go infinite → info depth 2", "position startpos → bestmove"}, nil, nil},
		{"banmoves", []string{"ucci → ucciok", "position fen 3k5/R8/1R7/9/9/9/9/9/9/4K4 w", "banmoves b7b9", "go nodes 500 → bestmove"}, nil, []string{"bestmove b7b9"}},
		{"searchmoves", []string{"go searchmoves a0a1 a0a2 depth 3 → bestmove a0a"}, nil, []string{"error"}},
		{"multipv", []string{"setoption name MultiPV value 3", "go depth 3 → bestmove"}, []string{"multipv 3 score"}, nil},
		{"parameters", []string{"setoption name NullBase value 4", "uci → uciok"}, []string{"option name NullBase type spin default 4 min"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := talk(t, c.lines...)
			for _, w := range c.want {
				if !strings.Contains(said, w) {
					t.Errorf("%q was not said:\n%s", w, said)
				}
			}
			for _, n := range c.never {
				if strings.Contains(said, n) {
					t.Errorf("%q was said:\n%s", n, said)
				}
			}
		})
	}
}

// TestOneBestmove sends stop and go in quick turns: each go gets one bestmove.
func TestOneBestmove(t *testing.T) {
	var lines []string
	for range 50 {
		lines = append(lines, "go infinite", "stop")
	}
	if n := strings.Count(talk(t, lines...), "bestmove"); n != 50 {
		t.Errorf("%d bestmoves for 50 searches", n)
	}
}

func TestEndOfInputEndsASearch(t *testing.T) { talk(t, "go infinite → info depth 2") }

func FuzzRun(f *testing.F) {
	f.Add("uci\nposition startpos moves h2e2\ngo nodes 50\n")
	f.Add("ucci\nsetoption usemillisec on\ngo time 1 movestogo 3 opptime 4\nbanmoves a0a1\n")
	f.Add("position fen 3k5/9/9/9/9/9/9/9/9/4K4 w moves\ngo searchmoves\nd\neval\n")
	f.Fuzz(func(t *testing.T, text string) {
		var kept []string
		for l := range strings.Lines(text) {
			if !strings.Contains(l, "perft") && !strings.Contains(l, "bench") && !strings.Contains(strings.ToLower(l), "hash") && !strings.Contains(strings.ToLower(l), "threads") {
				kept = append(kept, l)
			}
		}
		if err := Run(strings.NewReader(strings.Join(kept, "\n")), io.Discard, "fuzz", nil); err != nil {
			t.Fatal(err)
		}
	})
}

// TestHashThatCannotBeHad: the old one stays, and the engine goes on.
func TestHashThatCannotBeHad(t *testing.T) {
	var out strings.Builder
	room := func(mb int) error {
		if mb > 100 {
			return fmt.Errorf("%d MB wanted, 100 can be had", mb)
		}
		return nil
	}
	in := "uci\nsetoption name Hash value 50\nsetoption name Hash value 8000\nsetoption name Hash value 4\nsetoption name Hash value 100\nisready\nquit\n"
	if err := Run(strings.NewReader(in), &out, "test", room); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "error"); n != 1 || !strings.Contains(out.String(), "info string error: option Hash: 8000 MB wanted, 100 can be had; it stays 50\n") {
		t.Errorf("%s", out.String())
	}
}
