package notation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"pgregory.net/rapid"
)

func position(t testing.TB, fen string) *movegen.Position {
	t.Helper()
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func move(t testing.TB, text string) movegen.Move {
	t.Helper()
	m, err := movegen.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	start     = movegen.StartFEN
	afterC25  = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b"
	three     = "3k5/4P4/4P4/4P4/9/9/9/9/9/5K3 w"     // e8 e7 e6
	four      = "5k3/4P4/4P4/4P4/4P4/9/9/9/9/3K5 w"   // e8 e7 e6 e5
	five      = "5k3/4P4/4P4/4P4/4P4/9/4P4/9/9/3K5 w" // e8 e7 e6 e5 e3
	twoFiles  = "3k5/2P1P4/2P1P4/4P4/9/9/9/9/9/5K3 w" // e8 e7 e6, c8 c7
	blackPair = "3k5/9/9/9/2p3p2/2p3p2/9/9/2p6/5K3 b" // c5 c4 c1, g5 g4
	rooks     = "3k5/4R4/9/9/4r4/9/4r4/9/4R4/5K3 w"   // Red e8 e1, Black e5 e3
	horses    = "9/3k5/4N4/9/9/4N4/9/9/9/5K3 w"       // e7 e4
	double    = "3k5/9/9/P7P/P7P/9/9/9/9/5K3 w"       // a6 a5, i6 i5
	loose     = "3k5/9/9/9/4P1P1P/9/9/9/9/5K3 w"      // soldiers on three files
)

// TestParse holds texts as they are met, and the move each means. The dialects are those of xqbase, Fairy-Stockfish,
// playOK, pychess and books.
func TestParse(t *testing.T) {
	for _, c := range []struct{ fen, move, texts string }{
		{start, "h2e2", "h2e2 H2E2 H2-E2 h2-e2 h2xe2 C2=5 C2.5 c2.5 c2=5 炮二平五 炮2平5 炮２平５ 砲二平五 包二平五 炮贰平伍 炮②平⑤ Ｃ２＝５ Che2 炮二平五！ C2=5!? h2e2?! C2=5+"},
		{start, "h0g2", "h0g2 H0-G2 H2+3 N2+3 n2+3 h2+3 马二进三 馬二進三 傌二進三 馬２進３ Hg2 Ng2 馬二上三"},
		{start, "c0e2", "E7+5 B7+5 相七进五 象七进五 相七進五 c1e3"},
		{start, "f0e1", "A4+5 仕四进五 士四进五 f1e2"},
		{start, "a0a1", "R9+1 车九进一 車九進一 俥九進一 R9+1? 車九上一 Ra1"},
		{start, "h2h9", "C2+7 炮二进七 h3h10 H3-H10 Cxh9"},
		{start, "e0e1", "K5+1 帅五进一 帥五進一 将五进一 G5+1 帅进一"},
		{start, "c3c4", "P7+1 S7+1 兵七进一 卒七進1 c4 Pc4 c4c5"},
		{afterC25, "h9g7", "h9g7 h10g8 H8+7 h8+7 马8进7 馬８進７ 马八进七 N8+7"},
		{afterC25, "h7e7", "C8=5 c8.5 炮8平5 砲８平５"},
		{afterC25, "c6c5", "P3+1 p3+1 卒3进1 卒３進１"},
		{afterC25, "d9e8", "A4+5 a4+5 士4进5 士４進５"},

		{rooks, "e8d8", "R+=6 +R=6 r+=6 R+.6 前车平六 前車平六 前车平6 车前平六"},
		{rooks, "e1d1", "R-=6 -R=6 R.=6 .R=6 R-.6 后车平六 後車平六"},
		{rooks, "e1e2", "R-+1 -R+1 后车进一 後車進一"},
		{strings.Replace(rooks, " w", " b", 1), "e3e2", "R++1 r++1 +R+1 前车进1 前車進１"},
		{strings.Replace(rooks, " w", " b", 1), "e5e6", "R--1 R-−1 -R-1 后车退1 後車退１ 後車下一"},
		{horses, "e7g8", "H++3 +H+3 N++3 前马进三 前馬進三"},
		{horses, "e4g3", "H--3 H.-3 后马退三 後馬退三"},

		{three, "e8d8", "P+=6 15=6 Pa=6 PA=6 pa=6 前兵平六 一兵平六 前五平六 前兵五平六 1P=6 P+5=6"},
		{three, "e7d7", "P-=6 25=6 Pb=6 中兵平六 二兵平六 中五平六 中兵五平六"},
		{three, "e6d6", "P.=6 35=6 Pc=6 后兵平六 後兵平六 三兵平六 后五平六 3P=6"},
		{four, "e8d8", "15=6 Pa=6 前兵平六 一兵平六"},
		{four, "e7d7", "25=6 Pb=6 二兵平六"},
		{four, "e6d6", "35=6 Pc=6 三兵平六"},
		{four, "e5d5", "45=6 Pd=6 四兵平六 后兵平六"},
		{five, "e5d5", "45=6 Pd=6 四兵平六"},
		{five, "e3e4", "55+1 Pe+1 五兵进一 后兵进一 後兵進一"},

		// Two files: over both from the right in newer books (the e file is first), by file in older ones.
		{twoFiles, "e8d8", "15=6 Pa=6 一兵平六 前五平六 前兵五平六"},
		{twoFiles, "e7d7", "25=6 Pb=6 二兵平六 中五平六"},
		{twoFiles, "e6d6", "35=6 Pc=6 三兵平六 后五平六 後五平六"},
		{twoFiles, "c8b8", "17=8 Pd=8 四兵平八 前七平八 前兵平八"},
		{twoFiles, "c7b7", "27=8 Pe=8 五兵平八 后七平八"},
		{blackPair, "c1b1", "13=2 Pa=2 一卒平2 前3平2 前三平2 前卒３平２"},
		{blackPair, "c4b4", "23=2 二卒平2 中3平2"},
		{blackPair, "g4h4", "17=8 四卒平8 前7平8 Pd=8"},
		{double, "i6h6", "11=2 一兵平二 前一平二 前兵平二"},
		{double, "a5b5", "29=8 四兵平八 后九平八 后兵平八 後九平八"},
		{loose, "g5f5", "P3=4 兵三平四"},
	} {
		p := position(t, c.fen)
		for _, text := range strings.Fields(c.texts) {
			m, err := Parse(p, text)
			if err != nil || m != move(t, c.move) {
				t.Errorf("%s: %q is read as %s (%v), want %s", c.fen, text, m, err, c.move)
			}
		}
	}
}

func TestPychessCountsRanksFromOne(t *testing.T) {
	if m, err := ParseRanks(position(t, start), "Hg3", FromOne); err != nil || m.String() != "h0g2" {
		t.Errorf("Hg3 is read as %s (%v), want h0g2", m, err)
	}
}

// TestRanksDecide: a1a2 is legal text in both bases.
func TestRanksDecide(t *testing.T) {
	p := position(t, "3k5/9/9/9/9/9/9/R8/R8/5K3 w")
	for ranks, want := range map[Ranks]string{AnyRanks: "a2b2", FromZero: "a2b2", FromOne: "a1b1"} {
		if m, err := ParseRanks(p, "a2b2", ranks); err != nil || m.String() != want {
			t.Errorf("a2b2 with ranks %d is %s (%v), want %s", ranks, m, err, want)
		}
	}
	p = position(t, "3k5/9/9/9/9/9/9/9/R8/5K3 w")
	if m, err := ParseRanks(p, "a2a3", FromOne); err != nil || m.String() != "a1a2" {
		t.Errorf("a2a3 with ranks 1–10 is %s (%v), want a1a2", m, err)
	}
	if _, err := ParseRanks(p, "a2a3", FromZero); err == nil {
		t.Error("a2a3 with ranks 0–9 is read although a2 is empty")
	}
	if m, err := Parse(p, "a2a3"); err != nil || m.String() != "a1a2" {
		t.Errorf("a2a3 with unknown ranks is %s (%v), want a1a2, the only legal one", m, err)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ fen, move, want string }{
		{start, "h2e2", "h2e2 h3e3 H2-E2 C2=5 炮二平五 炮二平五 炮二平五 炮二平五"},
		{start, "b0c2", "b0c2 b1c3 B0-C2 H8+7 马八进七 马八进七 馬八進七 馬八進七"},
		{afterC25, "h9g7", "h9g7 h10g8 H9-G7 H8+7 马8进7 马８进７ 馬8進7 馬８進７"},
		{afterC25, "c9e7", "c9e7 c10e8 C9-E7 E3+5 象3进5 象３进５ 象3進5 象３進５"},
		{rooks, "e1d1", "e1d1 e2d2 E1-D1 R-=6 后车平六 后车平六 後車平六 後車平六"},
		{three, "e7d7", "e7d7 e8d8 E7-D7 25=6 中兵平六 中兵平六 中兵平六 中兵平六"},
		{three, "e6d6", "e6d6 e7d7 E6-D6 35=6 后兵平六 后兵平六 後兵平六 後兵平六"},
		{four, "e5d5", "e5d5 e6d6 E5-D5 45=6 四兵平六 四兵平六 四兵平六 四兵平六"},
		{five, "e8d8", "e8d8 e9d9 E8-D8 15=6 一兵平六 一兵平六 一兵平六 一兵平六"},
		{twoFiles, "c7b7", "c7b7 c8b8 C7-B7 27=8 五兵平八 五兵平八 五兵平八 五兵平八"},
		{blackPair, "g4h4", "g4h4 g5h5 G4-H4 17=8 四卒平8 四卒平８ 四卒平8 四卒平８"},
		{"3k5/9/9/9/9/4P4/4P4/9/9/5K3 w", "e4e5", "e4e5 e5e6 E4-E5 P++1 前兵进一 前兵进一 前兵進一 前兵進一"},
	} {
		p := position(t, c.fen)
		var got []string
		for s := Coordinates; s < Styles; s++ {
			got = append(got, Format(p, move(t, c.move), s))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s is written %s, want %s", c.fen, c.move, text, c.want)
		}
	}
}

// checkRoundTrip writes every legal move in every style and reads it back.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, p *movegen.Position) {
	var l movegen.MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		for s := Coordinates; s < Styles; s++ {
			text := Format(p, m, s)
			ranks := FromZero
			if s == FromOneRanks {
				ranks = FromOne
			}
			if got, err := ParseRanks(p, text, ranks); err != nil || got != m {
				t.Fatalf("%s: %s is written %q (%s) and read as %s (%v)", p.FEN(), m, text, s, got, err)
			}
		}
	}
}

func TestRoundTripInRandomGames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := movegen.StartPosition()
		for range rapid.IntRange(0, 80).Draw(r, "plies") {
			var l movegen.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var u movegen.Undo
			p.Make(l.At(rapid.IntRange(0, l.Len()-1).Draw(r, "move")), &u)
		}
		checkRoundTrip(r, p)
	})
}

// crowdedPosition puts two to five soldiers of each side on one or two files, and a few
// other pieces anywhere.
func crowdedPosition(r *rapid.T) *movegen.Position {
	for {
		var board [movegen.Squares]byte
		put := func(letter byte, squares []movegen.Square, most int) {
			for range rapid.IntRange(0, most).Draw(r, "n") {
				board[rapid.SampledFrom(squares).Draw(r, "square")] = letter
			}
		}
		for _, letter := range "RNCrnc" {
			file := rapid.IntRange(0, 8).Draw(r, "file")
			var line []movegen.Square
			for rank := range movegen.Ranks {
				line = append(line, movegen.SquareAt(file, rank))
			}
			put(byte(letter), line, 2)
		}
		for _, letter := range "Pp" {
			var line []movegen.Square
			for _, file := range rapid.SliceOfNDistinct(rapid.IntRange(0, 8), 1, 3, rapid.ID[int]).Draw(r, "files") {
				for rank := 5; rank < movegen.Ranks; rank++ {
					s := movegen.SquareAt(file, rank)
					if letter == 'p' {
						s = s.Flip()
					}
					line = append(line, s)
				}
			}
			put(byte(letter), line, 5)
		}
		board[movegen.SquareAt(rapid.IntRange(3, 5).Draw(r, "K"), rapid.IntRange(0, 2).Draw(r, "rank"))] = 'K'
		board[movegen.SquareAt(rapid.IntRange(3, 5).Draw(r, "k"), rapid.IntRange(7, 9).Draw(r, "rank"))] = 'k'
		for _, side := range "wb" {
			if p, err := movegen.ParseFEN(fenOf(&board) + " " + string(side)); err == nil {
				return p
			}
		}
	}
}

func fenOf(board *[movegen.Squares]byte) string {
	var rows []string
	for rank := movegen.Ranks - 1; rank >= 0; rank-- {
		row := ""
		for file := range movegen.Files {
			if c := board[movegen.SquareAt(file, rank)]; c != 0 {
				row += string(c)
			} else {
				row += "1"
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "/")
}

func TestRoundTripWithCrowdedFiles(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) { checkRoundTrip(r, crowdedPosition(r)) })
}

// TestEveryCrowding goes through every way of placing two to five soldiers on two files
// beyond the river.
func TestEveryCrowding(t *testing.T) {
	n := 0
	for mask := 0; mask < 1<<10; mask++ {
		var board [movegen.Squares]byte
		soldiers := 0
		for i := range 10 {
			if mask>>i&1 == 1 {
				board[movegen.SquareAt(8*(i/5), 5+i%5)] = 'P'
				soldiers++
			}
		}
		if soldiers < 2 || soldiers > 5 {
			continue
		}
		board[movegen.SquareAt(4, 0)], board[movegen.SquareAt(3, 9)] = 'K', 'k'
		checkRoundTrip(t, position(t, fenOf(&board)+" w"))
		n++
	}
	if n != 45+120+210+252 {
		t.Errorf("%d positions", n)
	}
}

func TestErrorsSayWhatWouldBeRight(t *testing.T) {
	for _, c := range []struct{ fen, text, want string }{
		{start, "xyzzy", `"xyzzy" is no move; expected coordinates such as h2e2`},
		{start, "", `"" is no move`},
		{start, "炮三平五", "Red has no cannon on file 3; it has them on h2 (file 2), b2 (file 8)"},
		{start, "前车进一", "Red has no such rook among several on a file"},
		{start, "h2e3", `"h2e3"`},
		{start, "h9g7", "it is Red's turn"},
		{start, "e5e6", "no piece on e5"},
		{start, "车一进九", "would be i0i9"},
		{start, "炮二进九", "cannot go there"},
		{start, "相三平五", "never goes sideways"},
		{start, "h2z9", "is no move"},
		{start, "i9i11", "is no move"},
		{double, "前兵进一", "may mean i6i7 (11+1, 一兵进一) or a6a7 (19+1, 三兵进一)"},
		{horses, "马五进三", "may mean"},
		{start, strings.Repeat("炮", 10000), "…"},
		{start, "Hh9", "no horse of Red"},
	} {
		_, err := Parse(position(t, c.fen), c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%s: %q: error %v, want one with %q", c.fen, c.text, err, c.want)
		}
	}
}

// TestOtherSchemeIsASecondChoice: what a dialect writes otherwise is found behind the
// likelier reading.
func TestOtherSchemeIsASecondChoice(t *testing.T) {
	c := Find(position(t, three), "P-=6", AnyRanks)
	if c.Len() != 2 || c.Ties() != 1 || c.At(0).String() != "e7d7" || c.At(1).String() != "e6d6" {
		t.Errorf("P-=6 with three on the file: %d candidates, %d likely, %s %s", c.Len(), c.Ties(), c.At(0), c.At(1))
	}
	if c := Find(position(t, start), "64=5", AnyRanks); c.Len() != 0 {
		t.Error("a cannon of file 4 is found in the start position")
	}
	if m, err := Parse(position(t, start), "62=5"); err != nil || m.String() != "h2e2" {
		t.Errorf("62=5 (xqbase's digit for the cannon) is %s (%v)", m, err)
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	p := position(t, twoFiles)
	for _, text := range []string{"e8d8", "15=6", "前五平六", "Pe8", "五兵平八", "garbage"} {
		if n := testing.AllocsPerRun(100, func() { Find(p, text, AnyRanks) }); n > 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

// FuzzFind: no text makes it crash, and what it finds is legal.
func FuzzFind(f *testing.F) {
	fens := []string{start, afterC25, three, four, five, twoFiles, blackPair, rooks, horses, double}
	for i := range fens {
		for _, text := range []string{"h2e2", "C2=5", "前五平六", "P-=6", "a10", "Rxe9+", "Ｃ２＝５", "\xff\xfe"} {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		p := position(t, fens[int(i)%len(fens)])
		for _, ranks := range []Ranks{AnyRanks, FromZero, FromOne} {
			c := Find(p, text, ranks)
			for k := range c.Len() {
				if !p.IsLegal(c.At(k)) {
					t.Fatalf("%q is read as the illegal %s", text, c.At(k))
				}
			}
			if _, err := ParseRanks(p, text, ranks); (err == nil) != (c.Ties() == 1) {
				t.Fatalf("%q: %d ties, error %v", text, c.Ties(), err)
			} else if err != nil && strings.ContainsAny(err.Error(), "\n\x00") {
				t.Fatalf("%q: the error has more than a line: %v", text, err)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for _, text := range []string{"h2e2", "C2=5", "炮二平五"} {
		b.Run(text, func(b *testing.B) {
			p := position(b, start)
			b.ReportAllocs()
			for b.Loop() {
				if c := Find(p, text, AnyRanks); c.n != 1 {
					b.Fatal(c)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	p := position(b, start)
	var buf [24]byte
	for s := Coordinates; s < Styles; s++ {
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Append(buf[:0], p, movegen.NewMove(movegen.SquareAt(7, 2), movegen.SquareAt(4, 2)), s)
			}
		})
	}
}
