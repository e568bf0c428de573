package pgn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"pgregory.net/rapid"
)

// walk gives a line's moves as files hold trees: a move, all that follows it, its siblings.
func walk(l Line, emit func(m movegen.Move, comment string, next, sibling bool)) {
	var from func(l Line, i int, siblings []Line)
	from = func(l Line, i int, siblings []Line) {
		comment := ""
		var own []Line
		if i < len(l.Notes) {
			comment, own = l.Notes[i].Comment, l.Notes[i].Variations
		}
		if i == 0 && siblings != nil {
			own = siblings
		}
		emit(l.Moves[i], comment, i+1 < len(l.Moves), len(own) > 0)
		if i+1 < len(l.Moves) {
			from(l, i+1, nil)
		}
		if len(own) > 0 {
			from(own[0], 0, own[1:])
		}
	}
	if len(l.Moves) > 0 {
		from(l, 0, nil)
	}
}

// placed returns the squares of the pieces in pieceOrder, −1 for those that are not there.
func placed(p *movegen.Position) (squares [32]int) {
	for i := range squares {
		squares[i] = -1
	}
	board, _, _ := strings.Cut(p.FEN(), " ")
	s := 0
	for _, c := range []byte(strings.ReplaceAll(board, "/", "")) {
		if c >= '1' && c <= '9' {
			s += int(c - '0')
			continue
		}
		for i := range pieceOrder {
			if pieceOrder[i] == c && squares[i] < 0 {
				squares[i] = int(movegen.Square(s).Flip())
				break
			}
		}
		s++
	}
	return squares
}

// xqfFile writes a game as XQStudio does in a version; keys are bytes 3 to 15 of the header.
func xqfFile(t testing.TB, g *Game, version byte, keys [13]byte) []byte {
	h := make([]byte, xqfHeader)
	copy(h, "XQ")
	h[2] = version
	copy(h[3:], keys[:])
	k := newXQFKeys(h)
	start, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range placed(start) {
		b := byte(0xff)
		if s >= 0 {
			b = byte(s%9*10 + s/9)
		}
		if version >= xqfKeyed && s >= 0 {
			b += k.square
		} else if version >= xqfKeyed {
			b = 0xfe + k.square
		}
		if version >= xqfRotated {
			i = ((i-1-int(k.square))%32 + 32) % 32
		}
		h[xqfPieces+i] = b
	}
	h[xqfResult] = map[Result]byte{RedWins: 1, BlackWins: 2, Drawn: 3}[g.Result]
	for _, tag := range xqfTags {
		text := encode(t, simplifiedchinese.GBK, g.Tags.Get(tag.name))
		h[tag.at] = byte(copy(h[tag.at+1:tag.at+1+tag.room], text))
	}
	var body []byte
	node := func(from, to byte, comment string, next, sibling bool) {
		text := encode(t, simplifiedchinese.GBK, comment)
		var flags byte
		if version < xqfKeyed {
			if next {
				flags |= 0xf0
			}
			if sibling {
				flags |= 0x0f
			}
			body = append(body, from+24, to+32, flags, 0)
			body = binary.LittleEndian.AppendUint32(body, uint32(len(text)))
		} else {
			for i, on := range []bool{next, sibling, text != ""} {
				if on {
					flags |= 0x80 >> i
				}
			}
			body = append(body, from+24+k.from, to+32+k.to, flags, 0)
			if text != "" {
				body = binary.LittleEndian.AppendUint32(body, uint32(len(text)+k.length))
			}
		}
		body = append(body, text...)
	}
	node(0, 0, g.Comment, len(g.Moves) > 0, false)
	walk(Line{Moves: g.Moves, Notes: g.Notes}, func(m movegen.Move, comment string, next, sibling bool) {
		square := func(s movegen.Square) byte { return byte(s.File()*10 + s.Rank()) }
		node(square(m.From()), square(m.To()), comment, next, sibling)
	})
	for i := range body {
		body[i] += k.stream[i%32]
	}
	return append(h, body...)
}

// cbrFile writes a game as CCBridge does.
func cbrFile(t testing.TB, g *Game) []byte {
	h := bytes.Repeat([]byte{0xcd}, cbrHeader) // between the fields is what was in memory
	copy(h, cbrMagic+"\x00")
	start, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	units := func(text string) (b []byte) {
		for _, u := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return b
	}
	for _, tag := range cbrTags {
		copy(h[tag.at:tag.at+tag.room], append(units(g.Tags.Get(tag.name)), 0, 0))
	}
	h[cbrResult] = map[Result]byte{RedWins: 1, BlackWins: 2, Drawn: 3}[g.Result]
	h[cbrSide] = 1 + byte(start.Side())
	for i := range movegen.Squares {
		h[cbrBoard+i] = 1
	}
	for i, s := range placed(start) {
		if s >= 0 {
			h[cbrBoard+int(movegen.Square(s).Flip())] = byte(1+i/16)<<4 | byte(strings.IndexByte(cbrPieces, pieceOrder[i%16]))
		}
	}
	node := func(from, to movegen.Square, comment string, next, sibling bool) {
		var flags byte
		for i, on := range []bool{!next, sibling, comment != ""} {
			if on {
				flags |= 1 << i
			}
		}
		h = append(h, flags, 0xcd, byte(from.Flip()), byte(to.Flip()))
		if comment != "" {
			text := units(comment)
			h = append(binary.LittleEndian.AppendUint32(h, uint32(len(text))), text...)
		}
	}
	node(0, 0, g.Comment, len(g.Moves) > 0, false)
	walk(Line{Moves: g.Moves, Notes: g.Notes}, func(m movegen.Move, comment string, next, sibling bool) {
		node(m.From(), m.To(), comment, next, sibling)
	})
	return h
}

// cblFile writes a library with room for 128 games.
func cblFile(t testing.TB, games ...*Game) []byte {
	h := make([]byte, 101952)
	copy(h, cblMagic)
	binary.LittleEndian.PutUint32(h[cblEntries:], 128)
	for _, g := range games {
		h = append(h, cbrFile(t, g)...)
		h = append(h, make([]byte, (cblSlot-(len(h)-101952)%cblSlot)%cblSlot)...)
	}
	return h
}

// ubbText writes a game as dpxq.com does.
func ubbText(t testing.TB, g *Game) string {
	var b strings.Builder
	field := func(name, value string) { fmt.Fprintf(&b, "[DhtmlXQ_%s]%s[/DhtmlXQ_%s]\n", name, value, name) }
	square := func(s movegen.Square) string { return fmt.Sprintf("%d%d", s.File(), 9-s.Rank()) }
	start, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("[DhtmlXQ]\n")
	field("ver", "www_dpxq_com")
	init := ""
	for _, s := range placed(start) {
		if s < 0 {
			init += "99"
		} else {
			init += square(movegen.Square(s))
		}
	}
	field("binit", init)
	for name, tag := range map[string]string{"title": "Title", "event": "Event", "place": "Site", "date": "Date", "redname": "Red", "blackname": "Black"} {
		field(name, g.Tags.Get(tag))
	}
	field("result", map[Result]string{RedWins: "红胜", BlackWins: "黑胜", Drawn: "和局", Unknown: ""}[g.Result])
	if g.Comment != "" {
		field("comment0", g.Comment)
	}
	branches := 0
	var line func(l Line, name string, branch, first int)
	line = func(l Line, name string, branch, first int) {
		moves := ""
		for _, m := range l.Moves {
			moves += square(m.From()) + square(m.To())
		}
		field(name, moves)
		for i, n := range l.Notes {
			if n.Comment != "" {
				field(fmt.Sprintf("comment%d_%d", branch, first+i), n.Comment)
			}
			for _, v := range n.Variations {
				branches++
				line(v, fmt.Sprintf("move_%d_%d_%d", branch, first+i, branches), branches, first+i)
			}
		}
	}
	line(Line{Moves: g.Moves, Notes: g.Notes}, "movelist", 0, 1)
	b.WriteString("[/DhtmlXQ]\n")
	return b.String()
}

// treeGame is a game from a start position with comments and variations in each other.
func treeGame(r *rand.Rand, start *movegen.Position, plies int) *Game {
	var line func(p movegen.Position, n, depth int) Line
	line = func(p movegen.Position, n, depth int) Line {
		l := Line{Moves: randomMoves(r, p, n)}
		l.Notes = make([]Note, len(l.Moves))
		for i, m := range l.Moves {
			if r.IntN(4) == 0 {
				l.Notes[i].Comment = []string{"好棋", "a", "红方先手，黑方难应"}[r.IntN(3)]
			}
			for range 2 {
				if depth < 3 && (i > 0 || depth == 0) && r.IntN(6) == 0 {
					if v := line(p, 1+r.IntN(6), depth+1); len(v.Moves) > 0 {
						l.Notes[i].Variations = append(l.Notes[i].Variations, v)
					}
				}
			}
			var u movegen.Undo
			p.Make(m, &u)
		}
		return l
	}
	l := line(*start, plies, 0)
	g := &Game{FEN: start.FEN(), Moves: l.Moves, Notes: l.Notes, Result: []Result{Unknown, RedWins, BlackWins, Drawn}[r.IntN(4)],
		Tags: Tags{{"Event", "象棋赛"}, {"Site", "上海"}, {"Date", "2026.11.30"}, {"Red", "王天一"}, {"Black", "孟辰"}, {"Title", "对局"}}}
	if r.IntN(2) == 0 && len(g.Moves) > 0 {
		g.Comment = "开局"
	}
	return g
}

// fileForms are the ways to write a game for the readers of other programs' files.
func fileForms(t testing.TB, r *rand.Rand, g *Game) map[string][]byte {
	var keys [13]byte
	for i := range keys {
		keys[i] = byte(r.Uint32())
	}
	ubb := ubbText(t, g)
	return map[string][]byte{
		"xqf 1.0": xqfFile(t, g, 0x0a, keys), "xqf 1.1": xqfFile(t, g, 0x0b, keys), "xqf 1.8": xqfFile(t, g, 0x12, keys),
		"cbr": cbrFile(t, g), "cbl": cblFile(t, g),
		"ubb": []byte(ubb), "ubb gbk": []byte(encode(t, simplifiedchinese.GBK, ubb)), "ubb in html": []byte("<html>\n<div>" + strings.ReplaceAll(ubb, "\n", "<br>\n") + "</div>"),
	}
}

// TestOtherProgramsFiles: games with comments and variations come out of each format as
// they went in, whoever moves first.
func TestOtherProgramsFiles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rng(rapid.Uint64().Draw(rt, "seed"))
		p := movegen.StartPosition()
		for _, m := range randomMoves(r, *p, r.IntN(60)) {
			var u movegen.Undo
			p.Make(m, &u)
		}
		text, err := movegen.ParseFEN(strings.Join(strings.Fields(p.FEN())[:2], " ") + " - - 0 1") // the formats have no counters
		if err != nil || !text.HasLegal() {
			rt.Skip()
		}
		g := treeGame(r, text, 1+r.IntN(30))
		want := write(t, notation.ICCS, g)
		bare := *g
		bare.Notes, bare.Comment = nil, ""
		for name, file := range fileForms(t, r, g) {
			for _, o := range []Options{{Variations: true}, {}} {
				s, err := NewSource(bytes.NewReader(file), AnyFormat, o)
				if err != nil {
					rt.Fatalf("%s: %v", name, err)
				}
				games, errs := readAll(t, s)
				if len(games) != 1 || len(errs) != 0 {
					rt.Fatalf("%s: %d games, %v; of %s", name, len(games), errs, want)
				}
				games[0].Tags = reordered(games[0].Tags, g.Tags)
				wanted := want
				if !o.Variations {
					wanted = write(t, notation.ICCS, &bare)
				}
				if got := write(t, notation.ICCS, games[0]); got != wanted {
					rt.Fatalf("%s:\n%s\nwant\n%s", name, got, wanted)
				}
			}
		}
	})
}

// reordered returns tags in the order of others.
func reordered(tags, like Tags) (out Tags) {
	for _, t := range like {
		out = append(out, Tag{t.Name, tags.Get(t.Name)})
	}
	if len(tags) != len(out) {
		return tags
	}
	return out
}

func TestLibraryOfGames(t *testing.T) {
	var games []*Game
	for i := range uint64(5) {
		g := treeGame(rng(i), movegen.StartPosition(), 20+200*int(i%2)) // of one slot and of several
		g.Notes[3].Comment = strings.Repeat("长", int(i)*1500)
		games = append(games, g)
	}
	file := cblFile(t, games...)
	s, err := NewSource(bytes.NewReader(file), AnyFormat, Options{Variations: true})
	if err != nil {
		t.Fatal(err)
	}
	got, errs := readAll(t, s)
	if len(got) != len(games) || errs != nil {
		t.Fatalf("%d games, %v", len(got), errs)
	}
	for i := range games {
		if !sameGame(got[i], games[i]) {
			t.Errorf("game %d is another", i+1)
		}
	}
	// a record that is not one is told, the others are still read
	at := bytes.Index(file, []byte(cbrMagic)) + cbrBoard
	copy(file[at:], bytes.Repeat([]byte{0x11}, 90))
	s, _ = NewSource(bytes.NewReader(file), AnyFormat, Options{Name: "a.cbl"})
	if got, errs = readAll(t, s); len(got) != 4 || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "a.cbl: game 1: ") {
		t.Errorf("%d games, %v", len(got), errs)
	}
}

// TestXQFKeys has keys that are worked out by hand from the header bytes 3, 5 and 7 at
// 13 to 15.
func TestXQFKeys(t *testing.T) {
	h := make([]byte, xqfHeader)
	copy(h, "XQ\x0b")
	h[3], h[8], h[9], h[10], h[11] = 0xff, 0, 0, 0, 0
	h[12], h[13], h[14], h[15] = 1, 3, 5, 7
	k := newXQFKeys(h)
	// 54·9+221 = 707, ·3 = 2121 = 73 mod 256; 54·25+221 = 1571, ·73 = 114683 = 251; 54·49+221 = 2867, ·251 = 719617 = 1
	if k.square != 73 || k.from != 251 || k.to != 1 || k.length != 1*256+3+767 {
		t.Errorf("%+v", k)
	}
	if want := [4]byte{'[' & 1, '(' & 3, 'C' & 5, ')' & 7}; [4]byte(k.stream[:4]) != want {
		t.Errorf("stream %v, want %v", k.stream[:4], want)
	}
}

// TestDamagedFiles: wherever a file is cut off, and whatever byte of it is another, there is
// a game or a one-line error, and cut files are told of.
func TestDamagedFiles(t *testing.T) {
	g := treeGame(rng(3), movegen.StartPosition(), 12)
	for name, file := range fileForms(t, rng(4), g) {
		step := max(len(file)/150, 1)
		for n := 0; n < len(file); n += step {
			s, err := NewSource(bytes.NewReader(file[:n]), AnyFormat, Options{Variations: true})
			if err != nil {
				t.Fatal(err)
			}
			games, errs := readAllBut(t, s)
			for _, got := range games {
				if strings.HasPrefix(name, "xqf") || name == "cbr" || len(got.Moves) > len(g.Moves) {
					t.Errorf("%s: cut off at %d of %d bytes it is a game of %d moves", name, n, len(file), len(got.Moves))
				}
			}
			if len(errs) == 0 && len(games) == 0 && n > 200 && name == "cbr" {
				t.Errorf("%s: cut off at %d of %d bytes there is neither a game nor an error", name, n, len(file))
			}
		}
		r := rng(5)
		for range 150 {
			broken := bytes.Clone(file)
			for range 1 + r.IntN(3) {
				broken[r.IntN(len(broken))] = byte(r.Uint32())
			}
			checkSource(t, broken, AnyFormat, Options{Variations: true})
		}
	}
}

// readAllBut is readAll for files that end with an error.
func readAllBut(t *testing.T, s Source) (games []*Game, errs []error) {
	for {
		g, err := s.Next()
		var bad *GameError
		switch {
		case err == io.EOF:
			return games, errs
		case errors.As(err, &bad):
			errs = append(errs, err)
		case err != nil:
			return games, append(errs, err)
		default:
			games = append(games, g)
		}
	}
}

func TestUBB(t *testing.T) {
	const start = "[DhtmlXQ_binit]" + ubbStart + "[/DhtmlXQ_binit]"
	for _, c := range []struct{ name, text, want, fault string }{
		{"without a board it is the start position", "[DhtmlXQ][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]", "1. H2-E2 H9-G7 *", ""},
		{"variations inside the list", start + "[DhtmlXQ_movelist][0_1_0]77477062[/0_1_0][0_2_1]10228988[/0_2_1][/DhtmlXQ_movelist]",
			"1. H2-E2 H9-G7 (1. ... B9-C7 2. I0-I1) *", ""},
		{"Black moves first", start + "[DhtmlXQ_movelist]7062[/DhtmlXQ_movelist]", "1. ... H9-G7 *", ""},
		{"comments have lines and brackets", start + "[DhtmlXQ_comment0]x[y]||z[/DhtmlXQ_comment0][DhtmlXQ_comment1]q[/DhtmlXQ_comment1][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]",
			"{x[y] z} 1. H2-E2 {q} *", ""},
		{"variations that name each other end", start + "[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][DhtmlXQ_move_1_1_2]1747[/DhtmlXQ_move_1_1_2][DhtmlXQ_move_2_1_1]1737[/DhtmlXQ_move_2_1_1]",
			"1. H2-E2 *", ""},
		{"not closed", start + "[DhtmlXQ_movelist]7747", "", "line 1: the field \"movelist\" is not closed"},
		{"half a move", start + "[DhtmlXQ_movelist]774[/DhtmlXQ_movelist]", "", `move 1 (Red): the move "774" is not on the board`},
		{"an illegal move", start + "[DhtmlXQ_movelist]77477777[/DhtmlXQ_movelist]", "", "move 1 (Black): "},
		{"letters", start + "[DhtmlXQ_movelist]h2e2[/DhtmlXQ_movelist]", "", `the move "h2e2" is not on the board`},
		{"a short board", "[DhtmlXQ_binit]8979[/DhtmlXQ_binit]", "", `binit "8979", want 64 digits`},
		{"two on a square", "[DhtmlXQ_binit]" + strings.Repeat("89", 32) + "[/DhtmlXQ_binit]", "", "two pieces, R and N, on i0"},
	} {
		s, err := NewSource(strings.NewReader(c.text), AnyFormat, Options{Variations: true})
		if err != nil {
			t.Fatal(err)
		}
		games, errs := readAll(t, s)
		switch {
		case c.fault != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.fault)):
			t.Errorf("%s: %v", c.name, errs)
		case c.fault == "" && len(games) != 1:
			t.Errorf("%s: %d games, %v", c.name, len(games), errs)
		case c.fault == "":
			_, moves, _ := strings.Cut(write(t, notation.ICCS, games[0]), "\n\n")
			if got := strings.Join(strings.Fields(moves), " "); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
	// many in a file, each in its encoding's characters; what is broken is told
	text := ubbText(t, chineseGame(1, 8)) + "[DhtmlXQ][DhtmlXQ_movelist]9999[/DhtmlXQ_movelist][/DhtmlXQ]" + ubbText(t, chineseGame(2, 9))
	for _, e := range []encoding.Encoding{encoding.Nop, simplifiedchinese.GB18030, traditionalchinese.Big5} {
		in := text
		if e == traditionalchinese.Big5 {
			in = toTraditional.Replace(strings.ReplaceAll(text, "红胜", ""))
		}
		s, err := NewSource(strings.NewReader(encode(t, e, in)), AnyFormat, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if games, errs := readAll(t, s); len(games) != 2 || len(errs) != 1 || games[1].Tags.Get("Red") != "王天一" {
			t.Errorf("%v: %d games, %v", e, len(games), errs)
		}
	}
}

func TestDatabasesAreNoGames(t *testing.T) {
	if _, err := NewSource(strings.NewReader("SQLite format 3\x00xxx"), AnyFormat, Options{}); err == nil || !strings.Contains(err.Error(), "SQLite database") {
		t.Error(err)
	}
}

// TestDeepTreesAreBounded: variations in variations without end cost an error, no stack.
func TestDeepTreesAreBounded(t *testing.T) {
	file := cbrFile(t, chineseGame(1, 0))[:cbrHeader]
	file = append(file, 0, 0, 0, 0)
	for range maxNodes + 10 { // each move has a sibling, in a line of its own
		file = append(file, 2, 0, 81, 72, 1, 0, 81, 63)
	}
	for _, o := range []Options{{Variations: true}, {}} {
		s, err := NewSource(bytes.NewReader(file), AnyFormat, o)
		if err != nil {
			t.Fatal(err)
		}
		if games, errs := readAll(t, s); len(games) != 0 || len(errs) != 1 {
			t.Errorf("%d games, %v", len(games), errs)
		}
	}
}

func FuzzFormats(f *testing.F) {
	for i := range uint64(2) {
		for _, file := range fileForms(f, rng(i), treeGame(rng(i), movegen.StartPosition(), 10)) {
			if len(file) < 50_000 {
				f.Add(file, uint8(i))
			}
		}
	}
	f.Add([]byte(cblMagic), uint8(0))
	f.Fuzz(func(t *testing.T, content []byte, how uint8) {
		s, err := NewSource(bytes.NewReader(content), AnyFormat, Options{})
		format := XQF + Format(how>>1)%3
		switch s.(type) {
		case *xqfReader:
			format = XQF
		case *cbrReader:
			format = CBR
		case *ubbReader:
			format = UBB
		}
		if err == nil {
			checkSource(t, content, format, Options{Variations: how&1 == 0, Name: "f"})
		}
	})
}
