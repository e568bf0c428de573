package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

// randomMoves plays n random legal moves, fewer when the game ends.
func randomMoves(r *rand.Rand, p movegen.Position, n int) []movegen.Move {
	var moves []movegen.Move
	for range n {
		var l movegen.MoveList
		if p.Legal(&l); l.Len() == 0 {
			break
		}
		m := l.At(r.IntN(l.Len()))
		var u movegen.Undo
		p.Make(m, &u)
		moves = append(moves, m)
	}
	return moves
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// chineseGame is a game with Chinese tags that Big5 and GB18030 both have.
func chineseGame(seed uint64, plies int) *Game {
	return &Game{
		Tags:   Tags{{"Event", "第三届象棋甲级联赛"}, {"Site", "上海"}, {"Red", "王天一"}, {"Black", "孟辰"}, {"ECCO", "B21"}},
		FEN:    movegen.StartFEN,
		Moves:  randomMoves(rng(seed), *movegen.StartPosition(), plies),
		Result: Drawn,
	}
}

var toTraditional = strings.NewReplacer("届", "屆", "级", "級", "联", "聯", "赛", "賽")

func write(t testing.TB, style notation.Style, games ...*Game) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, style)
	for _, g := range games {
		if err := w.Write(g); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.String()
}

// readAll returns the games that can be read whole and the errors of the others.
func readAll(t testing.TB, s Source) (games []*Game, errs []error) {
	t.Helper()
	for {
		g, err := s.Next()
		var bad *GameError
		switch {
		case err == io.EOF:
			return games, errs
		case errors.As(err, &bad):
			errs = append(errs, err)
		case err != nil:
			t.Fatal(err)
		default:
			games = append(games, g)
		}
	}
}

func read(t testing.TB, text string, o Options) ([]*Game, []error) {
	t.Helper()
	return readAll(t, NewReader(strings.NewReader(text), o))
}

func one(t testing.TB, text string, o Options) *Game {
	t.Helper()
	games, errs := read(t, text, o)
	if len(games) != 1 || len(errs) != 0 {
		t.Fatalf("%d games, errors %v in %q", len(games), errs, text)
	}
	return games[0]
}

func encode(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameGame(a, b *Game) bool {
	return a.FEN == b.FEN && reflect.DeepEqual(a.Moves, b.Moves) && a.Result == b.Result
}

func TestEncodingsAreFoundOut(t *testing.T) {
	encodings := map[string]encoding.Encoding{
		"Big5": traditionalchinese.Big5, "GB18030": simplifiedchinese.GB18030, "GBK": simplifiedchinese.GBK, "UTF-8": unicode.UTF8,
		"UTF-8 with BOM": unicode.UTF8BOM, "UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM),
	}
	for name, e := range encodings {
		for style := notation.Coordinates; style < notation.Styles; style++ {
			for _, traditional := range []bool{false, true} {
				if traditional != (style == notation.Traditional || style == notation.TraditionalWide) && style >= notation.Chinese || !traditional && name == "Big5" {
					continue
				}
				want := chineseGame(uint64(style), 60)
				if traditional {
					want.Tags[0].Value = toTraditional.Replace(want.Tags[0].Value)
				}
				text := write(t, style, want)
				if traditional && name == "GBK" {
					text = strings.ReplaceAll(text, "\n", "\r\n")
				}
				o := Options{}
				if style == notation.FromOneRanks {
					o.Ranks = notation.AnyRanks
				}
				games, errs := read(t, encode(t, e, text), o)
				if len(games) != 1 || len(errs) != 0 || !sameGame(games[0], want) {
					t.Errorf("%s, %s: %d games, errors %v", name, style, len(games), errs)
					continue
				}
				if got := games[0].Tags.Get("Event"); got != want.Tags[0].Value {
					t.Errorf("%s, %s: event %q, want %q", name, style, got, want.Tags[0].Value)
				}
			}
		}
	}
}

// TestEncodingMayChangeBetweenGames is a file made by joining others.
func TestEncodingMayChangeBetweenGames(t *testing.T) {
	simple, trad := chineseGame(1, 40), chineseGame(2, 40)
	trad.Tags[0].Value = toTraditional.Replace(trad.Tags[0].Value)
	text := encode(t, traditionalchinese.Big5, write(t, notation.TraditionalWide, trad)) + "\n" +
		encode(t, simplifiedchinese.GBK, write(t, notation.Chinese, simple)) + "\n\ufeff" + write(t, notation.Traditional, trad)
	games, errs := read(t, text, Options{})
	if len(errs) != 0 || len(games) != 3 || !sameGame(games[0], trad) || !sameGame(games[1], simple) || !sameGame(games[2], trad) {
		t.Fatalf("%d games, errors %v", len(games), errs)
	}
	for i, want := range []*Game{trad, simple, trad} {
		if got := games[i].Tags.Get("Event"); got != want.Tags[0].Value {
			t.Errorf("game %d: event %q, want %q", i+1, got, want.Tags[0].Value)
		}
	}
}

func TestWrongEncodingIsAnErrorWithItsPlace(t *testing.T) {
	text := encode(t, traditionalchinese.Big5, toTraditional.Replace(write(t, notation.Traditional, chineseGame(1, 20))))
	games, errs := read(t, text, Options{Name: "a.pgn", Encoding: UTF8})
	if len(games) != 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "game 1, move 1 (Red)") {
		t.Errorf("%d games, %v", len(games), errs)
	}
}

func TestParseEncoding(t *testing.T) {
	for name, want := range map[string]Encoding{"": AnyEncoding, "utf-8": UTF8, "GBK": GB18030, "gb2312": GB18030, "BIG5": Big5, "UTF-16": UTF16} {
		if got, err := ParseEncoding(name); err != nil || got != want {
			t.Errorf("%q is %s, %v", name, got, err)
		}
	}
	if _, err := ParseEncoding("latin1"); err == nil || !strings.Contains(err.Error(), "want UTF-8") {
		t.Errorf("latin1: %v", err)
	}
}

// TestMoveText holds the ways in which move text is written; all mean h2e2 h9g7 h0g2.
func TestMoveText(t *testing.T) {
	for _, text := range []string{
		"1. h2e2 h9g7 2. h0g2 *",
		"1.h2e2 h9g7 2.h0g2",
		"1.H2-E2 H9-G7\n2.H0-G2\n*\n",
		"1. C2=5 H8+7 2. H2+3 *",
		"1. c2.5 h8+7 2. h2+3 *",
		"1. 炮二平五 马8进7 2. 马二进三 *",
		"1. 炮二平五 馬８進７\r\n2. 馬二進三\r\n",
		"1.炮二平五马8进7 2.马二进三",
		"1. 炮二 平五 马8进 7 2. 马 二 进 三 *",
		"1．炮二平五　马8进7　2．马二进三",
		"1．炮二平五马8进72．马二进三",
		"　　1、炮二平五 马8进7\n　　2、马二进三\n",
		"1 炮二平五 马8进7 2 马二进三",
		"h2e2 h9g7 h0g2",
		"1. h3e3 h10g8 2. h1g3 0.5-0.5",
		"1. Che3 Hg8 2. Hg3",
		"1. h2e2! h9g7?! $3 2. h0g2!! $14 *",
		"1. h2e2 {good} h9g7 ; a comment\n2. h0g2 *",
		"{before} 1. h2e2 {a\n\nb [x] (y)} 1... h9g7 (1... h7e7 2. h0g2 (2. b0c2 {deep } ) i9h9) 2. h0g2 (2. b0c2)",
		"% escape\n1. h2e2 h9g7\n% again\n2. h0g2",
		"1. h2e2 马8进7 2. H2+3 *", // notations mixed
		"1. h2e2 h9g7 2. h0g2 红先胜",
		"1. h2-e2 H9G7 2. h0xg2",
		"1... h2e2 h9g7 h0g2",
	} {
		g := one(t, text, Options{})
		if got := fmt.Sprint(g.Moves); got != "[h2e2 h9g7 h0g2]" {
			t.Errorf("%q is read as %s", text, got)
		}
		kept := one(t, text, Options{Variations: true})
		if !reflect.DeepEqual(kept.Moves, g.Moves) {
			t.Errorf("%q with variations is read as %v", text, kept.Moves)
		}
	}
}

// TestBlackBegins: a set-up position with Black to move, its moves numbered in each way.
func TestBlackBegins(t *testing.T) {
	const board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR"
	for _, fen := range []string{board + " b - - 0 1", board + " b", board, board + " w", board + " r - - 0 1"} {
		for _, text := range []string{"1. ... h9g7 2. h0g2", "1... h9g7 2. h0g2", "1. …… h9g7 2. h0g2", "1. h9g7 h0g2"} {
			if text == "1. h9g7 h0g2" && !strings.Contains(fen, " b") {
				continue // nothing says that it is Black's turn
			}
			g := one(t, "[FEN \""+fen+"\"]\n\n"+text, Options{})
			if got := fmt.Sprint(g.Moves); got != "[h9g7 h0g2]" {
				t.Errorf("%s, %q is read as %s", fen, text, got)
			}
		}
	}
	g := one(t, "[FEN \""+board+" b - - 0 1\"]\n\n1. h9g7 h0g2", Options{})
	if text := write(t, notation.ICCS, g); !strings.Contains(text, "\n1. ... H9-G7\n2. H0-G2\n") || !strings.Contains(text, "[FEN \"") {
		t.Errorf("written as\n%s", text)
	}
}

func TestGamesInOneFile(t *testing.T) {
	for name, text := range map[string]string{
		"results":            "1. h2e2 1-0 1. b2e2 0-1 1. c3c4 *",
		"tags":               "[Event \"a\"]\n1. h2e2\n[Event \"b\"]\n1. b2e2\n[Event \"c\"]\n1. c3c4",
		"one line":           `[Event "a"] [Red "x"] 1. h2e2 1-0 [Event "b"] [Red "y"] 1. b2e2 [Event "c"] 1. c3c4`,
		"no moves":           "[Event \"a\"]\n\n[Event \"b\"]\n\n[Event \"c\"]\n",
		"results everywhere": "[Event \"a\"]\n\n1-0\n\n1-0\n[Event \"b\"]\n\n0-1\n*\n[Event \"c\"]\n1. c3c4 *\n*",
		"comments between":   "[Event \"a\"]\n1. h2e2 1-0\n{end of a}\n[Event \"b\"]\n1. b2e2 0-1 ; text\n\n[Event \"c\"]\n",
	} {
		games, errs := read(t, text, Options{})
		if len(games) != 3 || len(errs) != 0 {
			t.Errorf("%s: %d games, errors %v; want 3", name, len(games), errs)
		}
	}
	for _, text := range []string{"", "\n\n", "*", "1-0 1-0", "{only a comment}", "\ufeff"} {
		if games, errs := read(t, text, Options{}); len(games)+len(errs) != 0 {
			t.Errorf("%q: %d games, errors %v; want nothing", text, len(games), errs)
		}
	}
}

func TestTags(t *testing.T) {
	g := one(t, "[Game \"Chinese Chess\"]\n[Event \"1982年“上海杯” \"杯\" [x] 赛\"]\n[red 'A']\n[White \"a \\\"b\\\" \\\\\"]\n[Black \"no mark]\n"+
		"[Result \"红胜\"]\n[赛事 \"x\"]\n[ECO \"\"] [ECO \"A01\"] [Empty]\n\n1. h2e2", Options{})
	for name, want := range map[string]string{
		"event": `1982年“上海杯” "杯" [x] 赛`, "Red": "'A'", "White": `a "b" \`, "Black": "no mark", "赛事": "x", "ECO": "A01", "Empty": "", "none": "",
	} {
		if got := g.Tags.Get(name); got != want {
			t.Errorf("tag %s is %q, want %q", name, got, want)
		}
	}
	if g.Result != RedWins {
		t.Errorf("result %s of the tag 红胜", g.Result)
	}
	if got := (Tags{{"White", "w"}, {"Black", "b"}}); got.Player(movegen.Red) != "w" || got.Player(movegen.Black) != "b" {
		t.Error("White is not Red")
	}
}

// TestBadGames: an error that says where and why, and the games around it are read.
func TestBadGames(t *testing.T) {
	before, after := "[Event \"a\"]\n\n1. h2e2 h9g7 1-0\n\n", "\n\n[Event \"z\"]\n\n1. b2e2 0-1\n"
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ text, want string }{
		{"[Event \"b\"]\n\n1. h2e2 h2e2 *", `f.pgn:7: game 2, move 1 (Black): "h2e2": there is no piece on h2`},
		{"[Event \"b\"]\n\n1. h2e2 h9g7 2. 炮二平四 *", `game 2, move 2 (Red): "炮二平四"`},
		{"[Event \"b\"]\n\n1. h2e2 zz *", `"zz" is no move`},
		{"[Event \"b\"]\n\n1. h2e2 h2\x00e2 *", `"h2\x00e2" is no move`},
		{"[Event \"b\"]\n\n1. h2e2 " + long + " h9g7 *", `is no move`},
		{"[Event \"b\"]\n[FEN \"4k4/9 w\"]\n\n1. h2e2 *", `game 2: FEN "4k4/9 w"`},
		{"[Event \"b\"]\n[FEN \"" + movegen.StartFEN + " x\"]\n\n1. h2e2 *", `after the move number`},
		{"[Event \"b\"]\n\n1. h2e2 (1. b2e2 *", `a variation is not closed`},
		{"[Event \"b\"]\n\n1. h2e2 ) h9g7 *", `closing parenthesis`},
		{"[Event \"b\"]\n\n1. h2e2 {comment\n", `a comment is not closed`},
		{"[Event \"b\"]\n\n1. h2e2 [ h9g7 *", `stray '['`},
		{"[Event \"b\n\n1. h2e2 *", `tag Event does not end in the line`},
		{"[Event \"b\"]\n\n1. 炮二平 *", `"炮二平" is no move`},
		{"[Event \"b\"]\n\n1. h2e2 马8进7 2. \xff\xfe\xff *", `is no move`},
		{"[Event \"b\"]\n\n" + strings.Repeat("(", 60) + strings.Repeat(")", 60) + " 1. h2e2 *", `inside each other`},
		{"[Event \"b\"]\n\n" + strings.Repeat("a0a1 a9a8 a1a0 a8a9 ", 6000) + "*", `more than 20000 plies`},
		{"[Event \"b\"]\n" + strings.Repeat("[T \""+long[:1000]+"\"]\n", 100) + "1. h2e2 *", `bytes of them`},
		{long, `is no move`},
		{"]", `stray ']'`},
		{")", `closing parenthesis`},
	} {
		games, errs := read(t, before+c.text+after, Options{Name: "f.pgn"})
		if len(games) != 2 || len(errs) != 1 || games[len(games)-1].Tags.Get("Event") != "z" {
			t.Errorf("%.80q: %d games, errors %v; want 2 and one error", c.text, len(games), errs)
			continue
		}
		text := errs[0].Error()
		if !strings.Contains(text, c.want) || !strings.Contains(text, "f.pgn:") || strings.ContainsAny(text, "\n\x00") || len(text) > 500 {
			t.Errorf("%.80q: error %.600q, want one with %q", c.text, text, c.want)
		}
	}
}

// TestTruncation cuts a file everywhere: what stands before the cut is read.
func TestTruncation(t *testing.T) {
	a, b := chineseGame(1, 20), chineseGame(2, 20)
	b.Notes = []Note{{Comment: "a comment", Variations: []Line{{Moves: b.Moves[:1]}}}}
	text := encode(t, simplifiedchinese.GB18030, write(t, notation.Chinese, a, b))
	first := len(encode(t, simplifiedchinese.GB18030, write(t, notation.Chinese, a)))
	for cut := range len(text) {
		for _, o := range []Options{{}, {Variations: true}} {
			games, errs := read(t, text[:cut], o)
			if cut >= first && (len(games) < 1 || !sameGame(games[0], a)) || len(games)+len(errs) > 2 {
				t.Fatalf("cut at %d: %d games, errors %v", cut, len(games), errs)
			}
		}
	}
}

// pattern is a reader that repeats a text.
type pattern struct {
	text string
	left int // bytes
	at   int
}

func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) && p.left > 0 {
		k := copy(b[n:min(len(b), n+p.left)], p.text[p.at:])
		n, p.left, p.at = n+k, p.left-k, (p.at+k)%len(p.text)
	}
	return n, nil
}

// TestMemoryIsThatOfOneGame reads long files and lines and looks at the live heap.
func TestMemoryIsThatOfOneGame(t *testing.T) {
	game := write(t, notation.Traditional, chineseGame(3, 60)) + "\n"
	big5 := encode(t, traditionalchinese.Big5, toTraditional.Replace(game))
	const mb = 1 << 20
	shorter := 1
	if underRace {
		shorter = 16
	}
	for name, c := range map[string]struct {
		text string
		size int
	}{
		"many games": {big5, 5000 * len(big5)}, "a line of moves": {"a0a1 a9a8 a1a0 a8a9 ", 50 * mb}, "a word": {"x", 50 * mb}, "a comment": {"{ x", 50 * mb},
		"a tag": {"[a ", 50 * mb}, "variations": {"(", 20 * mb}, "NULs": {"\x00", 50 * mb}, "half characters": {"\x81", 20 * mb}, "Chinese": {"炮", 50 * mb},
		"games in a line": {`[Event "x"] 1. h2e2 1-0 `, 4 * mb}, "results": {"* ", 20 * mb}, "blanks": {" ", 50 * mb}, "NAGs": {"$1", 20 * mb},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := NewReader(&pattern{text: c.text, left: c.size / shorter}, Options{Variations: true})
		most := uint64(0)
		for n := 0; ; n++ {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			if n%20000 == 1000 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapAlloc)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		most = max(most, after.HeapAlloc)
		if most > before.HeapAlloc+16*mb {
			t.Errorf("%s: %d MB more in use", name, (most-before.HeapAlloc)/mb)
		}
		runtime.KeepAlive(r)
	}
}

func TestNotesAndVariations(t *testing.T) {
	text := `{before} 1. h2e2 {+0.33/12 0.250s, n=12345, sd=20, nps=49380} h9g7 {book} 2. h0g2 $1 {a} {b} (2. b0c2 {c} b9c7 (2... i9h9) 3. a0b0) (2. zz {unread}) i9h9 {-M4/15 1.5s, Red mates} 3. i0h0 {-/4 0.001s, n=9} g6g5 {0.00/3 250ms, cpu=0.249000s, delay=0.000100s, pv="h9h0, x"} *`
	g := one(t, text, Options{Variations: true})
	if g.Comment != "before" || len(g.Notes) != 6 {
		t.Fatalf("comment %q, %d notes", g.Comment, len(g.Notes))
	}
	for i, want := range []Note{
		{Eval: Eval{Scored: true, Score: 33, Depth: 12, SelDepth: 20, Nodes: 12345, Time: 250 * time.Millisecond}, Comment: "nps=49380"},
		{Eval: Eval{Book: true}},
		{Comment: "a b zz unread", NAGs: []uint8{1}},
		{Eval: Eval{Scored: true, Mate: -4, Depth: 15, Time: 1500 * time.Millisecond}, Comment: "Red mates"},
		{Eval: Eval{Depth: 4, Time: time.Millisecond, Nodes: 9}},
		{Eval: Eval{Scored: true, Depth: 3, Time: 250 * time.Millisecond, CPU: 249 * time.Millisecond, Delay: 100 * time.Microsecond}, Comment: `pv="h9h0, x"`},
	} {
		got := g.Notes[i]
		got.Variations = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("note %d is %+v, want %+v", i, got, want)
		}
	}
	v := g.Notes[2].Variations
	if len(v) != 1 || fmt.Sprint(v[0].Moves) != "[b0c2 b9c7 a0b0]" || v[0].Notes[0].Comment != "c" || fmt.Sprint(v[0].Notes[1].Variations[0].Moves) != "[i9h9]" {
		t.Errorf("variations %+v", v)
	}
	for style := notation.Coordinates; style < notation.Styles; style++ {
		o := Options{Variations: true}
		again := one(t, write(t, style, g), o)
		if !sameGame(again, g) || again.Comment != g.Comment || !reflect.DeepEqual(again.Notes, g.Notes) {
			t.Errorf("%s: read back as %+v, want %+v", style, again.Notes, g.Notes)
		}
	}
	if g := one(t, "(1. h2e2 {x}) 1. b2e2", Options{Variations: true}); g.Comment != "h2e2 x" || len(g.Moves) != 1 {
		t.Errorf("a variation before the first move becomes %q", g.Comment)
	}
	plain := one(t, text, Options{})
	if plain.Notes != nil || !sameGame(plain, g) {
		t.Errorf("without notes: %+v", plain)
	}
}

// TestDialectIsFoundByTheRestOfTheGame: "P-" is the middle one of three soldiers for xqbase, the rear one for others.
func TestDialectIsFoundByTheRestOfTheGame(t *testing.T) {
	const fen = "[FEN \"3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w\"]\n\n"
	if g := one(t, fen+"1. P-=6 K4+1", Options{}); g.Moves[0].String() != "e6d6" {
		t.Errorf("alone P-=6 is %s, want the middle one", g.Moves[0])
	}
	g := one(t, fen+"1. P-=6 d9d8 2. d5c5", Options{})
	if g.Moves[0].String() != "e5d5" {
		t.Errorf("P-=6 before d5c5 is %s, want the rear one", g.Moves[0])
	}
	_, errs := read(t, fen+"1. P-=6 d9d8 2. d4d5", Options{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "move 2 (Red)") {
		t.Errorf("a game that no reading fits: %v", errs)
	}
	const pairs = "[FEN \"3k5/9/9/P7P/P7P/9/9/9/9/5K3 w\"]\n\n"
	if g := one(t, pairs+"1. 前兵进一 d9d8 2. i7i8", Options{}); g.Moves[0].String() != "i6i7" {
		t.Errorf("前兵进一 before i7i8 is %s", g.Moves[0])
	}
	if g := one(t, pairs+"1. 前兵进一 d9d8 2. a7a8", Options{}); g.Moves[0].String() != "a6a7" {
		t.Errorf("前兵进一 before a7a8 is %s", g.Moves[0])
	}
	_, errs = read(t, pairs+"1. 前兵进一 d9d8 2. f0f1", Options{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "move 1 (Red)") || !strings.Contains(errs[0].Error(), "may mean") {
		t.Errorf("a game that two readings fit: %v", errs)
	}
}

// TestRanksAreFoundOut: after a game in ranks 1–10, one that fits both is read so too.
func TestRanksAreFoundOut(t *testing.T) {
	both := "[FEN \"3k5/9/9/9/9/9/R8/R8/9/5K3 w\"]\n\n1. a3b3 *\n" // rooks on a2 and a3
	if g := one(t, both, Options{}); g.Moves[0].String() != "a3b3" {
		t.Errorf("a3b3 alone is %s", g.Moves[0])
	}
	games, errs := read(t, "1. h3e3 h10g8 *\n\n"+both+"1. h2e2 h9g7 *\n"+both, Options{})
	if len(errs) != 0 || len(games) != 4 {
		t.Fatal(len(games), errs)
	}
	for i, want := range []string{"h2e2", "a2b2", "h2e2", "a3b3"} {
		if got := games[i].Moves[0].String(); got != want {
			t.Errorf("game %d begins with %s, want %s", i+1, got, want)
		}
	}
	if g := one(t, both, Options{Ranks: notation.FromOne}); g.Moves[0].String() != "a2b2" {
		t.Errorf("a3b3 with ranks 1–10 is %s", g.Moves[0])
	}
}

// TestWXFFile is the format of XieXie: hartwork/xiangqi-setup issue 2.
func TestWXFFile(t *testing.T) {
	text := "FORMAT\tWXF\nGAME\tA game\nRED\tA\nBLACK\tB\nRESULT\t1-0\nFEN\t" + movegen.StartFEN + "\nSTART{\n  1. C2=5   H8+7\n  2. H2+3\n}END\n" +
		"FORMAT\tWXF\nFEN rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b\nSTART{\n}END\n"
	games, errs := read(t, text, Options{})
	if len(games) != 2 || len(errs) != 0 {
		t.Fatalf("%d games, %v", len(games), errs)
	}
	if g := games[0]; fmt.Sprint(g.Moves) != "[h2e2 h9g7 h0g2]" || g.Tags.Get("Red") != "A" || g.Result != RedWins {
		t.Errorf("%+v", g)
	}
	if g := games[1]; len(g.Moves) != 0 || !strings.HasPrefix(g.FEN, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4") {
		t.Errorf("%+v", g)
	}
}

func TestWriterForm(t *testing.T) {
	g := one(t, "[Event \"e\"]\n[White \"A\"]\n[Black \"B\"]\n[Variant \"xiangqi\"]\n[Format \"WXF\"]\n[Result \"1-0\"]\n\n1. h2e2 {+0.10/5 0.001s, n=7} h9g7 2. h0g2", Options{Notes: true})
	want := `[Game "Chinese Chess"]
[Event "e"]
[Site ""]
[Date ""]
[Round ""]
[Red "A"]
[RedTeam ""]
[Black "B"]
[BlackTeam ""]
[Result "1-0"]
[Variant "xiangqi"]
[Format "Chinese"]

1. 炮二平五 {+0.10/5 0.001s, n=7} 马8进7
2. 马二进三
1-0
`
	if got := write(t, notation.Chinese, g); got != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
}

// TestRoundTrip holds for games of random moves from random positions in every format.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		source := rng(rapid.Uint64().Draw(r, "seed"))
		start := *movegen.StartPosition()
		for _, m := range randomMoves(source, start, rapid.IntRange(0, 40).Draw(r, "before")) {
			var u movegen.Undo
			start.Make(m, &u)
		}
		g := &Game{
			Tags:   Tags{{"Event", rapid.String().Draw(r, "event")}, {"Red", "甲"}, {"Black", `b"] [x "`}},
			FEN:    start.FEN(),
			Moves:  randomMoves(source, start, rapid.IntRange(0, 120).Draw(r, "plies")),
			Result: rapid.SampledFrom([]Result{RedWins, BlackWins, Drawn, Unknown}).Draw(r, "result"),
		}
		for f := PGNICCS; f <= JSONL; f++ {
			var b bytes.Buffer
			w, err := NewSink(&b, f, SinkOptions{Traditional: rapid.Bool().Draw(r, "traditional"), WideDigits: rapid.Bool().Draw(r, "wide")})
			if err == nil {
				err = errors.Join(w.Write(g), w.Flush())
			}
			if err != nil {
				r.Fatal(err)
			}
			s, err := NewSource(&b, AnyFormat, Options{})
			if err != nil {
				r.Fatal(err)
			}
			again, err := s.Next()
			if err != nil || !sameGame(again, &Game{FEN: g.FEN, Moves: append([]movegen.Move(nil), g.Moves...), Result: g.Result}) && len(g.Moves) > 0 {
				r.Fatalf("%s: %v, %+v, want %+v", f, err, again, g)
			}
			if f == JSONL && again.Tags.Get("Event") != strings.ToValidUTF8(g.Tags[0].Value, "\ufffd") {
				r.Fatalf("event %q, want %q", again.Tags.Get("Event"), g.Tags[0].Value)
			}
		}
	})
}

func TestJSONLines(t *testing.T) {
	good := `{"tags":{"Event":"a<b","Red":"甲"},"fen":"","moves":["h2e2"],"result":"1-0"}`
	text := strings.Join([]string{"\ufeff" + good, "", `{"moves":["h2e2","h2e2"]}`, `{"moves":["h2e2"`, `{"result":"2-0"}`, `{"fen":"x"}`, `[1]`, strings.Repeat(" ", maxJSONLine+1), good}, "\n")
	s, err := NewSource(strings.NewReader(text), AnyFormat, Options{Name: "a.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	games, errs := readAll(t, s)
	if len(games) != 2 || len(errs) != 6 {
		t.Fatalf("%d games, errors %v", len(games), errs)
	}
	for i, want := range []string{"a.jsonl:3: game 2, move 1 (Black)", "a.jsonl:4: game 3", "result \"2-0\"", "FEN \"x\"", "a.jsonl:7", "too long"} {
		if !strings.Contains(errs[i].Error(), want) {
			t.Errorf("error %q, want one with %q", errs[i], want)
		}
	}
	var b bytes.Buffer
	w, _ := NewSink(&b, JSONL, SinkOptions{})
	w.Write(games[0])
	w.Flush()
	want := `{"tags":{"Event":"a<b","Red":"甲"},"fen":"` + movegen.StartFEN + `","moves":["h2e2"],"result":"1-0"}` + "\n"
	if b.String() != want {
		t.Errorf("written as %s want %s", &b, want)
	}
}

func TestParseEPD(t *testing.T) {
	const board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR"
	for line, want := range map[string]string{
		board + " b - - 3 2":                               board + " b - - 3 2",
		board + " b":                                       board + " b - - 0 1",
		board + " b - - bm h9g7; id \"a;b\";":              board + " b - - 0 1",
		board + " b - - hmvc 3; fmvn 2; id \"a;b\";":       board + " b - - 3 2",
		board + "  b  -  -  3  2  id \"a;b\" ":             board + " b - - 3 2",
		board + " b - - 3 2; id \"a;b\"; c0 \"text here\"": board + " b - - 3 2",
	} {
		e, err := ParseEPD(line)
		if err != nil || e.Position.FEN() != want {
			t.Errorf("%q is read as %v (%v)", line, e, err)
		} else if strings.Contains(line, "id") && e.Op("id") != "a;b" {
			t.Errorf("%q has the id %q", line, e.Op("id"))
		}
	}
	for _, line := range []string{"", "x", board + " b moves h2e2;", board + " b moves zz", board + " q", board + " b \x01"} {
		if e, err := ParseEPD(line); err == nil {
			t.Errorf("%q is read as %v", line, e)
		}
	}
}
