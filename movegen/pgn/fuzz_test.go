package pgn

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// checkSource reads everything: errors are single lines, reading ends, and what is a game
// is one whose moves are legal and that is the same after writing and reading.
func checkSource(t *testing.T, content []byte, f Format, o Options) {
	s, err := NewSource(bytes.NewReader(content), f, o)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if n > len(content)+1 {
			t.Fatal("more games than bytes")
		}
		g, err := s.Next()
		var bad *GameError
		switch {
		case err == io.EOF:
			return
		case errors.As(err, &bad):
			if strings.ContainsAny(err.Error(), "\n\r\x00") {
				t.Fatalf("an error of several lines: %q", err)
			}
			continue
		case err != nil:
			return // of the file
		}
		checkWritten(t, g)
	}
}

func checkWritten(t *testing.T, g *Game) {
	p, err := movegen.ParseFEN(g.FEN)
	if err != nil || len(g.Notes) != 0 && len(g.Notes) != len(g.Moves) {
		t.Fatalf("%v, %d notes for %d moves", err, len(g.Notes), len(g.Moves))
	}
	for _, m := range g.Moves {
		if !p.IsLegal(m) {
			t.Fatalf("illegal move %s from %s", m, g.FEN)
		}
		var u movegen.Undo
		p.Make(m, &u)
	}
	for f := PGNICCS; f <= JSONL; f++ {
		var b bytes.Buffer
		w, err := NewSink(&b, f, SinkOptions{})
		if err == nil {
			err = errors.Join(w.Write(g), w.Flush())
		}
		if err != nil {
			t.Fatal(err)
		}
		text := b.String()
		s, err := NewSource(&b, f, Options{Encoding: UTF8, Variations: true})
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Next()
		if err != nil || len(again.Moves) != len(g.Moves) || again.FEN != g.FEN || again.Result != g.Result {
			t.Fatalf("%s: written as %q and read as %+v (%v), was %+v", f, text, again, err, g)
		}
		for i := range g.Moves {
			if again.Moves[i] != g.Moves[i] {
				t.Fatalf("%s: move %d is %s, was %s in %q", f, i+1, again.Moves[i], g.Moves[i], text)
			}
		}
		if _, err := s.Next(); err != io.EOF {
			t.Fatalf("%s: a second game in %q (%v)", f, text, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	g := chineseGame(1, 12)
	for style := notation.Coordinates; style < notation.Styles; style++ {
		f.Add([]byte(write(f, style, g)), uint8(0))
	}
	trad := toTraditional.Replace(write(f, notation.TraditionalWide, g, g))
	big5, err1 := traditionalchinese.Big5.NewEncoder().String(trad)
	gbk, err2 := simplifiedchinese.GBK.NewEncoder().String(trad)
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
	for _, text := range []string{
		big5, gbk, "\xff\xfe[\x00E\x00", "[FEN \"3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w\"]\n1. P-=6 d9d8 2. 35+1", "1. h2e2 {+0.33/12 0.250s, n=1, x=\"a,b\"} (1. b2e2 $3 {x} (c3c4)) h9g7 1/2-1/2",
		"FORMAT\tWXF\nFEN x\nSTART{\n1. C2=5 }END", "1．炮二平五　马8进7 2 马二 进三", "[A \"\\\\\"]\n%x\n;y\n1... h10g8", "[Event \"a\n{ [Event \"b\"]", "1. Che3 Hg8 2.Rxa10+",
	} {
		f.Add([]byte(text), uint8(1))
		f.Add([]byte(text), uint8(6))
	}
	f.Fuzz(func(t *testing.T, content []byte, how uint8) {
		o := Options{Encoding: Encoding(how>>2) % 5, Notes: how&1 != 0, Variations: how&2 != 0, Name: "f", Ranks: notation.Ranks(how>>5) % 3}
		checkSource(t, content, PGNICCS, o)
	})
}

func FuzzSource(f *testing.F) {
	f.Add([]byte(`{"tags":{"Event":"a","N":1,"X":null},"fen":"","moves":["h2e2","h9g7"],"result":"1-0"}` + "\n{"))
	f.Add([]byte(movegen.StartFEN + " moves h2e2 h9g7; id \"x\";\n# c\n" + movegen.StartFEN))
	f.Add([]byte("3k5/9/9/9/9/9/9/9/9/4K4 b - - hmvc 4; fmvn 9;"))
	f.Fuzz(func(t *testing.T, content []byte) {
		checkSource(t, content, AnyFormat, Options{})
		checkSource(t, content, JSONL, Options{})
		checkSource(t, content, EPDFormat, Options{})
	})
}

// FuzzEval: what is read from a comment and written is read the same.
func FuzzEval(f *testing.F) {
	for _, text := range []string{"+0.33/12 0.250s, n=12345, sd=3", ".0/0 .0215s", "1.0/1 1s, cpu=.0000015s, delay=.0000025s", ".0/0,cpu=-1s", "1.0/1, sd=-3, n=99999999999999999999, delay=x", "1.0/-1 1s", "1.0/1 2562047h, cpu=2562047h", "book, x", "-M4/1 250ms, cpu=1s, delay=1us", "0.00/0", "1.5/3 1s, pv=\"a, b\", n=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, _ := parseEval(text)
		if e == (Eval{}) {
			t.Skip()
		}
		again, rest := parseEval(string(e.append(nil)))
		e.Time, again.Time = e.Time.Round(1e6), again.Time.Round(1e6)
		e.CPU, again.CPU = e.CPU.Round(1e3), again.CPU.Round(1e3)
		e.Delay, again.Delay = e.Delay.Round(1e3), again.Delay.Round(1e3)
		if again != e || rest != "" {
			t.Fatalf("%q is %+v and, written as %q, %+v (%q)", text, e, e.append(nil), again, rest)
		}
	})
}
