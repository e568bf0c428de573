package movegen

import (
	"errors"
	"strings"
	"testing"
)

const (
	startBoard = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
	emptyRanks = "/9/9/9/9/9/9/9/9/"
)

// The forms of a FEN that are met in the wild.
func TestParseFENForms(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{startBoard + " w - - 0 1", StartFEN},
		{startBoard, StartFEN},
		{startBoard + " w", StartFEN},
		{startBoard + " r", StartFEN},
		{startBoard + " R", StartFEN},
		{startBoard + " b", startBoard + " b - - 0 1"},
		{startBoard + " w 0 1", StartFEN},
		{startBoard + " w 25 30", startBoard + " w - - 25 30"},
		{startBoard + " w - 3 4", startBoard + " w - - 3 4"},
		{startBoard + " w - -", StartFEN},
		{startBoard + " w - - 7", startBoard + " w - - 7 1"},
		{startBoard + " w - - 0 0", StartFEN},
		{startBoard + "[] w - - 0 1", StartFEN},
		{"  " + startBoard + "\t w -  - 0 1\r\n", StartFEN},
		{"rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - - 0 1", StartFEN},
		{"rhbakaenr/9/1c5c1/s1s1s1s1s/9/9/P1P1P1P1P/1C5C1/9/RNBAKAEHR w", StartFEN},
		{"rnbakabnr/45/1c5c1/p1p1p1p1p/54/333/P1P1P1P1P/1C5C1/111111111/RNBAKABNR w", StartFEN},
	} {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Errorf("%q: %v", c.fen, err)
			continue
		}
		if p.FEN() != c.want {
			t.Errorf("%q: %s, want %s", c.fen, p.FEN(), c.want)
		}
	}
}

// Every fault has its line; those that only say where a piece can never stand pass
// leniently.
func TestParseFENFaults(t *testing.T) {
	for _, c := range []struct {
		fen, want string
		lenient   bool
	}{
		{"", "FEN is empty", false},
		{"foobar", "1 ranks, want 10", false},
		{"4k4/9/9/9/9/9/9/9/4K4 w", "9 ranks, want 10", false},
		{"4k4/9/9/9/9/9/9/9/9/9/4K4 w", "11 ranks, want 10", false},
		{"4k4/9/9/8/9/9/9/9/9/3K5 w", `rank 6 ("8") has 8 files, want 9`, false},
		{"4k4/9/9/91/9/9/9/9/9/3K5 w", `rank 6 ("91") has 10 files, want 9`, false},
		{"4k4/10/9/9/9/9/9/9/9/3K5 w", `rank 8 has '0', want digits 1–9 and the letters`, false},
		{"4k4/4x4/9/9/9/9/9/9/9/3K5 w", `rank 8 has 'x'`, false},
		{startBoard + " x", `side to move "x", want w (Red) or b (Black)`, false},
		{startBoard + " w KQkq - 0 1", `field "KQkq", want -`, false},
		{startBoard + " w - - -1 1", `halfmove counter "-1"`, false},
		{startBoard + " w - - 0 99999999999999999999", `move number "99999999999999999999"`, false},
		{startBoard + " w - - 0 1 moves h2e2", `"moves h2e2" after the move number`, false},
		{"9" + emptyRanks + "4K4 w", "Black has no king", false},
		{"4k4" + emptyRanks + "9 w", "Red has no king", false},
		{"4k4" + emptyRanks + "3K1K3 w", "Red has 2 kings, at most 1", false},
		{"K3k4" + emptyRanks + "9 w", "Red king on a9, outside its palace", false},
		{"4k4" + emptyRanks + "4K4 w", "Red is to move and could take the king", false},
		{"4k4/9/9/9/9/9/9/9/4R4/4K4 w", "Red is to move and could take the king", false},
		{"3k5/9/9/9/9/9/9/9/9/RRR1K4 b", "Red has 3 rooks, at most 2", false},
		{"3k5/9/9/9/PPPPPP3/9/9/9/9/4K4 w", "Red has 6 soldiers, at most 5", false},
		{"3k5/9/9/9/9/9/9/9/9/4KA1A1 w", "Red advisor on h0: it can never stand there", true},
		{"3k5/9/9/9/9/9/9/9/3A5/4K4 w", "Red advisor on d1", true},
		{"3k4b/9/9/9/9/9/9/9/9/4K4 w", "Black elephant on i9", true},
		{"3k5/9/9/9/9/9/9/9/9/P3K4 w", "Red soldier on a0", true},
		{"3k5/9/9/9/1p7/9/9/9/9/4K4 w", "", true},
		{"3k5/9/9/1p7/9/9/9/9/9/4K4 w", "Black soldier on b6", true},
	} {
		p, err := ParseFEN(c.fen)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q is not refused: a soldier that has not crossed stands on its own files only", c.fen)
			}
			continue
		}
		if err == nil || p != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", c.fen, err, c.want)
		}
		q, err := ParseFENLenient(c.fen)
		if (err == nil) != c.lenient || (q != nil) != c.lenient {
			t.Errorf("%q leniently: %v", c.fen, err)
		}
		if c.lenient && !errors.Is(q.Validate(), ErrUnreachable) {
			t.Errorf("%q: %v is no ErrUnreachable", c.fen, q.Validate())
		}
	}
}

// TestLenientPositions: what stands on unreachable squares moves as the rules say.
func TestLenientPositions(t *testing.T) {
	for _, fen := range []string{
		"3k4b/4A4/9/9/1p7/4B4/P8/9/3A5/P3K4 w",
		"a2k4b/9/2B3B2/9/1p7/9/P8/9/3A5/P3KA3 w",
		"a2k4b/9/2B3B2/9/1p7/9/P8/9/3A5/P3KA3 b",
	} {
		p, err := ParseFENLenient(fen)
		if err != nil {
			t.Fatal(err)
		}
		checkAgainstPlain(t, p)
		comparePairs(t, p)
		b := plainOf(p)
		if got, want := Perft(p, 3), b.perft(3); got != want {
			t.Errorf("%s: perft 3 is %d, want %d", fen, got, want)
		}
	}
}

// FuzzFEN: no text crashes; what is read is written and read again as the same position.
func FuzzFEN(f *testing.F) {
	f.Add(StartFEN)
	f.Add("4k4/10/9/9/9/9/9/9/9/3K5 w - - 0 1")
	f.Add("a2k4b/9/2B3B2/9/1p7/9/P8/9/3A5/P3KA3[] r 5")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseFENLenient(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: the error has two lines: %v", text, err)
			}
			return
		}
		q, err := ParseFENLenient(p.FEN())
		if err != nil || *q != *p {
			t.Fatalf("%q: read again as %v, %v", text, q, err)
		}
		p.count()
		p.countPairs()
	})
}
