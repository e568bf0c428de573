package openings

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"pgregory.net/rapid"
)

// bookLines returns n distinct positions as FENs, made here.
func bookLines(t testing.TB, n int) []string {
	var lines []string
	seen := map[uint64]bool{}
	for i := uint64(0); len(lines) < n; i++ {
		c, ok := randomCandidate(7, i, 6)
		if ok && !seen[c.end.Key()] {
			seen[c.end.Key()] = true
			lines = append(lines, c.end.FEN())
		}
	}
	return lines
}

func writeFile(t testing.TB, name, content string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustOpen(t testing.TB, text string, seed uint64) *Book {
	t.Helper()
	s, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Open(Options{Seed: seed, Judge: func(p *movegen.Position) (int, error) { return int(p.Key() % 1000), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func opening(t testing.TB, b *Book, k int) Opening {
	t.Helper()
	o, err := b.Opening(k)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSequentialBookGivesItsLinesInOrder(t *testing.T) {
	lines := bookLines(t, 600) // more than two blocks
	b := mustOpen(t, writeFile(t, "a.epd", strings.Join(lines, "\r\n"))+",order=sequential,start=3", 1)
	for _, k := range []int{0, 500, 255, 256, 254, 599, 597} {
		want := lines[(k+2)%600]
		if o := opening(t, b, k); o.FEN != want {
			t.Errorf("opening %d is %s, want %s", k, o.FEN, want)
		}
	}
	if b.Repeats(599) || !b.Repeats(600) {
		t.Error("repeats begin elsewhere than at pair 600")
	}
}

// TestNoOpeningTwiceBeforeAllWereUsed holds for each pass, order, seed and start.
func TestNoOpeningTwiceBeforeAllWereUsed(t *testing.T) {
	lines := bookLines(t, 300)
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(r, "n")
		spec := Spec{Order: rapid.SampledFrom([]Order{Random, Sequential}).Draw(r, "order"), Start: rapid.IntRange(1, n).Draw(r, "start")}
		b := &Book{spec: spec, seed: rapid.Uint64().Draw(r, "seed"), store: newStore()}
		if err := b.read(strings.NewReader(strings.Join(lines[:n], "\n"))); err != nil || b.store.n != n {
			r.Fatal(err, b.store.n)
		}
		pass := rapid.IntRange(0, 3).Draw(r, "pass")
		seen := map[string]int{}
		for k := pass * n; k < (pass+1)*n; k++ {
			o, err := b.Opening(k)
			if err != nil {
				r.Fatal(err)
			}
			if first, dup := seen[o.FEN]; dup {
				r.Fatalf("pairs %d and %d of %d openings get the same", first, k, n)
			}
			seen[o.FEN] = k
		}
	})
}

func TestOrderDependsOnTheSeedAlone(t *testing.T) {
	path := writeFile(t, "a.epd", strings.Join(bookLines(t, 300), "\n"))
	order := func(text string, seed uint64, keys []int) string {
		b := mustOpen(t, text, seed)
		ids := make([]string, len(keys))
		for _, k := range keys {
			ids[k] = opening(t, b, k).ID
		}
		return strings.Join(ids, " ")
	}
	up, down := make([]int, 300), make([]int, 300)
	for i := range up {
		up[i], down[i] = i, 299-i
	}
	first := order(path, 5, up)
	if first != order(path, 5, down) {
		t.Error("the order in which openings are asked for changes them")
	}
	if first != order(path+",seed=5", 99, up) {
		t.Error("seed= is not the run's seed of the same number")
	}
	if first == order(path, 6, up) {
		t.Error("another seed gives the same order")
	}
}

func TestBrokenAndDuplicateLinesAreSkippedWithTheirNumber(t *testing.T) {
	good := bookLines(t, 2)
	content := strings.Join([]string{
		"\xef\xbb\xbf# a comment", good[0], "", "rubbish", good[0] + ` id "again";`, strings.Repeat("x", 100<<10),
		"3k1R3/9/9/9/9/9/9/9/3R5/4K4 b", good[1] + "\x00", good[1] + ` ce 12; id "the second";`,
		"3k5/4R4/9/9/9/9/9/9/9/4K4 b - - 0 1",
	}, "\n")
	b := mustOpen(t, writeFile(t, "a.epd", content)+",order=sequential", 1)
	if b.Len() != 2 || b.Broken != 5 || b.Duplicates != 1 {
		t.Errorf("%d openings, %d broken, %d duplicates; want 2, 5, 1: %v", b.Len(), b.Broken, b.Duplicates, b.Notes)
	}
	all := strings.Join(b.Notes, "\n")
	for _, want := range []string{"line 4 skipped", "line 5 skipped: the same position as line 2", "line 6 skipped", "line 7 skipped", "line 8 skipped", "line 10 skipped"} {
		if !strings.Contains(all, want) {
			t.Errorf("no note %q in:\n%s", want, all)
		}
	}
	if id := opening(t, b, 0).ID; id != "a.epd:2" {
		t.Errorf("id %q, want a.epd:2", id)
	}
	if id := opening(t, b, 1).ID; id != "the second" {
		t.Errorf("id %q, want the line's own", id)
	}
}

func TestGzippedBookIsTheSameBook(t *testing.T) {
	content := strings.Join(bookLines(t, 300), "\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, content)
	w.Close()
	plain := mustOpen(t, writeFile(t, "a.epd", content), 3)
	zipped := mustOpen(t, writeFile(t, "b.epd.gz", packed.String()), 3)
	if plain.Digest() != zipped.Digest() || opening(t, plain, 17).FEN != opening(t, zipped, 17).FEN {
		t.Error("the gzipped book differs")
	}
	cut := packed.String()[:packed.Len()/2]
	s, _ := ParseSpec(writeFile(t, "cut.epd.gz", cut))
	if _, err := s.Open(Options{}); err == nil || !strings.Contains(err.Error(), "cut.epd.gz") {
		t.Errorf("a truncated gzip file: %v", err)
	}
}

func TestLinesWithMoves(t *testing.T) {
	b := mustOpen(t, writeFile(t, "a.epd", movegen.StartFEN+" moves h2e2 h9g7\n"+movegen.StartFEN+" moves h2e2 h9g6; id x;"), 1)
	if o := opening(t, b, 0); o.FEN != movegen.StartFEN || fmt.Sprint(o.Moves) != "[h2e2 h9g7]" || b.Broken != 1 {
		t.Errorf("%+v, %d broken", o, b.Broken)
	}
}

func TestBooksThatCannotBeUsed(t *testing.T) {
	for text, want := range map[string]string{
		writeFile(t, "empty.epd", ""):                          "no usable line",
		writeFile(t, "bad.epd", "x y z"):                       "line 1 skipped",
		filepath.Join(t.TempDir(), "absent.epd"):               "absent.epd",
		t.TempDir():                                            "is a folder",
		writeFile(t, "a.epd", bookLines(t, 1)[0]) + ",start=2": "start=2, but the book has 1",
		"random,plies=6,eval=1..2":                             "need an evaluation",
	} {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestStartBook(t *testing.T) {
	b := mustOpen(t, "start", 1)
	if o := opening(t, b, 0); o.FEN != movegen.StartFEN || o.ID != "start" || b.Len() != 1 || !b.Repeats(1) {
		t.Errorf("%+v of %d", o, b.Len())
	}
}

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]string{
		"balanced":                              "balanced,order=random",
		"/a,b/c.epd.gz,order=sequential,seed=7": "/a,b/c.epd.gz,order=sequential,seed=7",
		"file=x.pgn,format=pgn,plies=8,start=3": "x.pgn,plies=8,order=random,start=3",
		"random":                                "random,plies=6",
		"random,plies=8,eval=100..250":          "random,plies=8,eval=100..250",
		"random,eval=-50..50,seed=0x10":         "random,plies=6,eval=-50..50,seed=16",
	} {
		s, err := ParseSpec(text)
		if err != nil || s.String() != want {
			t.Errorf("%s is read as %s (%v), want %s", text, s, err, want)
		}
		again, err := ParseSpec(s.String())
		if err != nil || again.String() != want {
			t.Errorf("%s is read back as %s (%v)", want, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "no book", "a.epd,order=up": "random or sequential", "a.epd,sede=3": "unknown word", "a.epd,start=0": "from 1",
		"random,eval=9..1": "LOW..HIGH", "a.epd,eval=1..2": "for random openings", "a.epd,seed=-1": "seed=-1",
	} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func TestRandomOpenings(t *testing.T) {
	b, again := mustOpen(t, "random,plies=4,eval=100..250", 9), mustOpen(t, "random,plies=4,eval=100..250,seed=9", 1)
	late := opening(t, again, 59)
	seen := map[uint64]int{}
	for k := range 60 {
		o := opening(t, b, k)
		p := movegen.StartPosition()
		for _, m := range o.Moves {
			if !p.IsLegal(m) {
				t.Fatalf("opening %d: %s is illegal", k, m)
			}
			var u movegen.Undo
			p.Make(m, &u)
		}
		if score := p.Key() % 1000; score < 100 || score > 250 || len(o.Moves) != 4 {
			t.Errorf("opening %d: score %d, %d plies", k, score, len(o.Moves))
		}
		if first, dup := seen[pairKey(p)]; dup {
			t.Errorf("openings %d and %d are the same or mirror images", first, k)
		}
		seen[pairKey(p)] = k
	}
	if got := opening(t, b, 59); fmt.Sprint(got) != fmt.Sprint(late) {
		t.Errorf("opening 59 is %v or, asked for first, %v", got, late)
	}
}

// TestProcessorsDoNotChangeRandomOpenings: candidates are judged in parallel.
func TestProcessorsDoNotChangeRandomOpenings(t *testing.T) {
	var all []string
	for _, n := range []int{1, 3, 8} {
		before := runtime.GOMAXPROCS(n)
		b := mustOpen(t, "random,plies=3,eval=0..300", 2)
		text := ""
		for k := range 50 {
			text += fmt.Sprintln(opening(t, b, k))
		}
		runtime.GOMAXPROCS(before)
		all = append(all, text)
	}
	if all[0] != all[1] || all[0] != all[2] {
		t.Error("another number of processors, other openings")
	}
}

func TestAnErrorOfJudgingStays(t *testing.T) {
	s, err := ParseSpec("random,eval=0..100")
	if err != nil {
		t.Fatal(err)
	}
	var judged atomic.Int64
	b, err := s.Open(Options{Judge: func(*movegen.Position) (int, error) {
		if judged.Add(1) > 20 {
			return 0, errors.New("no more")
		}
		return 50, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	opening(t, b, 0)
	for range 2 {
		if _, err := b.Opening(100); err == nil || !strings.Contains(err.Error(), "no more") {
			t.Errorf("%v", err)
		}
	}
	opening(t, b, 0)
}

// TestARunKeepsItsRandomOpenings: one that goes on has what it had, wherever pairs are
// missing, without judging it again, and then what it would have had; and with a judge of
// another mind it keeps them too, gives none of them to another pair, and fills the places.
func TestARunKeepsItsRandomOpenings(t *testing.T) {
	var judged atomic.Int64
	judgeBy := func(shift uint64) Judge {
		return func(p *movegen.Position) (int, error) {
			judged.Add(1)
			return int((p.Key() >> shift) % 1000), nil
		}
	}
	s, err := ParseSpec("random,plies=4,eval=100..250,start=3")
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Open(Options{Seed: 4, Judge: judgeBy(0)})
	if err != nil {
		t.Fatal(err)
	}
	const pairs, more = 30, 10
	var want []Opening
	for k := range pairs + more {
		want = append(want, opening(t, first, k))
	}
	for _, missing := range [][]int{{}, {0}, {4}, {7, 8, 9}, {0, 3, 28}, {29}} {
		made := map[int][]movegen.Move{}
		for k := range pairs {
			if !slices.Contains(missing, k) {
				made[k] = want[k].Moves
			}
		}
		for _, shift := range []uint64{0, 20} {
			again, err := s.Open(Options{Seed: 4, Judge: judgeBy(shift), Made: made})
			if err != nil {
				t.Fatal(err)
			}
			judged.Store(0)
			seen := map[string]int{}
			for k := range pairs + more {
				o := opening(t, again, k)
				if before, dup := seen[fmt.Sprint(o.Moves)]; dup {
					t.Errorf("without %v, shift %d: openings %d and %d are the same", missing, shift, before, k)
				}
				seen[fmt.Sprint(o.Moves)] = k
				if _, had := made[k]; (had || shift == 0) && fmt.Sprint(o.Moves) != fmt.Sprint(want[k].Moves) {
					t.Errorf("without %v, shift %d: opening %d is %v, want %v", missing, shift, k, o.Moves, want[k].Moves)
				}
				if k == pairs-1 && len(missing) == 0 && shift != 0 && judged.Load() > 100 {
					t.Errorf("%d judgements for what was known", judged.Load())
				}
			}
		}
	}
}

// TestARunKeepsOpeningsThatRanOut: after one ply there are 23 positions without mirror images.
func TestARunKeepsOpeningsThatRanOut(t *testing.T) {
	b := mustOpen(t, "random,plies=1", 9)
	made := map[int][]movegen.Move{}
	for k := range 60 {
		made[k] = opening(t, b, k).Moves
	}
	s, err := ParseSpec("random,plies=1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Open(Options{Seed: 9, Made: made})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 100 {
		if x, y := opening(t, b, k), opening(t, again, k); fmt.Sprint(x.Moves) != fmt.Sprint(y.Moves) || b.Repeats(k) != again.Repeats(k) {
			t.Errorf("pair %d: %v, repeats %v; going on %v, repeats %v", k, x.Moves, b.Repeats(k), y.Moves, again.Repeats(k))
		}
	}
}

func TestStoredOpeningsOfAnotherSeedAreTold(t *testing.T) {
	s, err := ParseSpec("random,plies=2")
	if err != nil {
		t.Fatal(err)
	}
	move := func(text string) movegen.Move {
		m, err := movegen.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, err := s.Open(Options{Made: map[int][]movegen.Move{0: {move("a0a5")}}}); err == nil || !strings.Contains(err.Error(), "a0a5 is not legal") {
		t.Errorf("an illegal move: %v", err)
	}
	b, err := s.Open(Options{Made: map[int][]movegen.Move{0: {move("a0a1"), move("a9a8"), move("a1a0"), move("a8a9")}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Opening(0); err == nil || !strings.Contains(err.Error(), "none that seed 0 gives") {
		t.Errorf("a line of another length: %v", err)
	}
}

func TestPGNBook(t *testing.T) {
	text := "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 *\n\n[Event \"b\"]\n\n1. C2=5 H8+7 2. R1+1 1-0\n\n1. 炮二平五 馬8進7 2. 馬八進七 *\n\n1. h2e2 h2e2 *\n"
	path := writeFile(t, "a.pgn", text)
	b := mustOpen(t, path+",order=sequential", 1)
	if b.Len() != 3 || b.Broken != 1 || !strings.Contains(b.Notes[0], "line 11 skipped: move 1 (Black)") {
		t.Errorf("%d openings, %d broken: %v", b.Len(), b.Broken, b.Notes)
	}
	if o := opening(t, b, 1); fmt.Sprint(o.Moves) != "[h2e2 h9g7 i0i1]" || o.FEN != movegen.StartFEN || o.ID != "a.pgn:5" {
		t.Errorf("%+v", o)
	}
	if cut := mustOpen(t, path+",plies=2", 1); cut.Len() != 1 || cut.Duplicates != 2 {
		t.Errorf("cut to two plies: %d openings, %d duplicates", cut.Len(), cut.Duplicates)
	}
}

// TestRandomOpeningsRunOut: one ply gives 24 positions up to mirroring.
func TestRandomOpeningsRunOut(t *testing.T) {
	b := mustOpen(t, "random,plies=1", 1)
	opening(t, b, 100)
	distinct := map[string]bool{}
	for k := range 101 {
		if b.Repeats(k) {
			break
		}
		distinct[fmt.Sprint(opening(t, b, k).Moves)] = true
	}
	if len(distinct) == 0 || !b.Repeats(len(distinct)) || b.Repeats(len(distinct)-1) {
		t.Errorf("%d distinct openings, repeats not told from there", len(distinct))
	}
	want := map[uint64]bool{}
	p := movegen.StartPosition()
	var l movegen.MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		q := *p
		var u movegen.Undo
		q.Make(m, &u)
		want[pairKey(&q)] = true
	}
	if len(distinct) != len(want) {
		t.Errorf("%d openings of one ply, want %d", len(distinct), len(want))
	}
}

func TestPairKeyIsSharedByMirrorImagesOnly(t *testing.T) {
	for i := range uint64(200) {
		c, ok := randomCandidate(3, i, 8)
		if !ok {
			continue
		}
		fields := strings.Fields(c.end.FEN())
		rows := strings.Split(fields[0], "/")
		for i, row := range rows {
			b := []byte(row)
			for l, r := 0, len(b)-1; l < r; l, r = l+1, r-1 {
				b[l], b[r] = b[r], b[l]
			}
			rows[i] = string(b)
		}
		mirror, err := movegen.ParseFEN(strings.Join(rows, "/") + " " + fields[1])
		if err != nil {
			t.Fatal(err)
		}
		if pairKey(mirror) != c.key {
			t.Fatalf("%s and its mirror image have different keys", c.end.FEN())
		}
		if n, ok := randomCandidate(3, i, 9); ok && n.key == c.key {
			t.Fatal("a position after another move has the same key")
		}
	}
}

func FuzzBook(f *testing.F) {
	f.Add(movegen.StartFEN + ` id "a;b"; moves h2e2;`)
	f.Add("3k5/9/9/9/9/9/9/9/9/4K4 w hmvc 3; fmvn 2;\n\n#x")
	f.Fuzz(func(t *testing.T, content string) {
		b := &Book{store: newStore(), spec: Spec{Start: 1}}
		if err := b.read(strings.NewReader(content)); err != nil {
			t.Skip()
		}
		for k := range b.Len() {
			o := opening(t, b, k)
			p, err := movegen.ParseFEN(o.FEN)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range o.Moves {
				if !p.IsLegal(m) {
					t.Fatalf("illegal move %s from %q", m, content)
				}
				var u movegen.Undo
				p.Make(m, &u)
			}
		}
	})
}

func FuzzParseSpec(f *testing.F) {
	f.Add("random,plies=6,eval=100..250")
	f.Add("a,b.epd,order=random,start=2")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			t.Skip()
		}
		again, err := ParseSpec(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q becomes %q, then %q (%v)", text, s, again, err)
		}
	})
}
