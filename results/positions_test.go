//go:build cgo

package results

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/movegen"
)

// shuffling is a game whose middle repeats a position: rooks go out and back twice.
func shuffling(run string) *Game {
	g := testGame(run, 90, 0)
	g.Result, g.Book, g.Plies = Drawn, 0, nil
	for _, m := range strings.Fields("h2e2 h9g7 a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9 e2e6 g7e6 b0c2") {
		move, err := movegen.ParseMove(m)
		if err != nil {
			panic(err)
		}
		g.Plies = append(g.Plies, Ply{Move: move, Score: 7})
	}
	return g
}

// place names a yielded position.
type place struct {
	key GameKey
	ply int
}

// plain is what plainPositions knows of a position and its move.
type plain struct {
	place
	board                    string // the FEN's board and side to move
	check, capture, repeated bool
	half                     int
	book                     bool
	score                    Score
	unscored                 bool // no move of the game has a score
}

// plainly replays games and looks at every position, with FENs and nothing else.
func plainly(t *testing.T, games []*Game) (all []plain) {
	t.Helper()
	for _, g := range games {
		p, err := movegen.ParseFEN(g.Opening)
		if err != nil {
			t.Fatal(err)
		}
		first, unscored := len(all), true
		for _, m := range g.Plies {
			unscored = unscored && !m.Score.Known()
		}
		var boards []string
		var u movegen.Undo
		for i := range g.Plies {
			m := g.Plies[i].Move
			boards = append(boards, boardOf(p))
			all = append(all, plain{place{g.GameKey, i}, boards[i], p.InCheck(), p.At(m.To()) != movegen.NoPiece, false, p.HalfMoves(), i < g.Book, g.Plies[i].Score, unscored})
			p.Make(m, &u)
		}
		boards = append(boards, boardOf(p))
		for a := range boards {
			for b := a + 1; b < len(boards); b++ {
				for i := a; boards[a] == boards[b] && i <= b && i < len(g.Plies); i++ {
					all[first+i].repeated = true
				}
			}
		}
	}
	return all
}

func boardOf(p *movegen.Position) string { return strings.Join(strings.Fields(p.FEN())[:2], " ") }

// plainPositions is Positions without sampling, written from its documentation.
func plainPositions(all []plain, f *PositionFilter) (out []place) {
	seen := map[string]bool{}
	for _, x := range all {
		switch {
		case x.ply < f.MinPly, f.MaxPly > 0 && x.ply > f.MaxPly, f.AfterBook && x.book, f.NotInCheck && x.check, f.QuietMove && x.capture,
			f.MaxHalfMoves > 0 && x.half > f.MaxHalfMoves, f.NoRepetition && x.repeated,
			f.ScoreLimit > 0 && !(f.Unscored && x.unscored) && (!x.score.Known() || x.score > f.ScoreLimit || x.score < -f.ScoreLimit),
			f.Distinct && seen[x.board]:
			continue
		}
		seen[x.board] = true
		out = append(out, x.place)
	}
	return out
}

func positionsOf(t testing.TB, s *Store, f PositionFilter) (out []place) {
	t.Helper()
	for p, err := range s.Positions(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, place{p.Game.GameKey, p.Ply})
	}
	return out
}

func positionGames(t *testing.T) (*Store, []*Game) {
	s, r := filled(t, 10)
	second := testRun("")
	second.Created = r.Created.Add(1)
	mustCreate(t, s, second)
	unscored := testGame(second.ID, 5, 0)
	unscored.Plies[2].Score, unscored.Plies[3].Score = NoScore, MateScore-3
	people := testGame(second.ID, 7, 0)
	for i := range people.Plies {
		people.Plies[i].Score = NoScore
	}
	notPlayed := testGame(second.ID, 91, 0)
	notPlayed.Result = NotPlayed
	mustPut(t, s, shuffling(second.ID), unscored, testGame(second.ID, 6, 0), people, notPlayed)
	var games []*Game
	for g, err := range s.Games(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if g.Result != NotPlayed {
			games = append(games, g)
		}
	}
	if len(games) != 24 {
		t.Fatal(len(games))
	}
	return s, games
}

func TestPositionsAgainstPlain(t *testing.T) {
	s, games := positionGames(t)
	all, hits := plainly(t, games), 0
	rapid.Check(t, func(rt *rapid.T) {
		some := func(name string, most int) int {
			return rapid.OneOf(rapid.Just(0), rapid.IntRange(0, most)).Draw(rt, name)
		}
		yes := func(name string) bool { return rapid.Bool().Draw(rt, name) }
		f := PositionFilter{MinPly: some("min", 20), MaxPly: some("max", 150), AfterBook: yes("book"), ScoreLimit: Score(some("score", 300)), Unscored: yes("unscored"),
			NotInCheck: yes("check"), QuietMove: yes("quiet"), NoRepetition: yes("repetition"), MaxHalfMoves: some("half", 30), Distinct: yes("distinct")}
		got, want := positionsOf(t, s, f), plainPositions(all, &f)
		if !slices.Equal(got, want) {
			rt.Fatalf("%+v: %d positions, want %d", f, len(got), len(want))
		}
		if len(want) > 0 {
			hits++
		}
	})
	if !testing.Short() && hits < 50 { // a short run draws too few
		t.Errorf("only %d filters chose anything", hits)
	}
}

// What is yielded is the position before the move.
func TestPositionsAreThePositions(t *testing.T) {
	s, games := positionGames(t)
	n := 0
	for p, err := range s.Positions(t.Context(), PositionFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		var g *Game
		for _, x := range games {
			if x.GameKey == p.Game.GameKey {
				g = x
			}
		}
		want, err := movegen.ParseFEN(g.Opening)
		if err != nil {
			t.Fatal(err)
		}
		var u movegen.Undo
		for _, ply := range g.Plies[:p.Ply] {
			want.Make(ply.Move, &u)
		}
		if p.Position.FEN() != want.FEN() || p.Move() != g.Plies[p.Ply].Move || p.Score() != g.Plies[p.Ply].Score {
			t.Fatalf("%v, ply %d: %s, want %s", p.Game.GameKey, p.Ply, p.Position.FEN(), want.FEN())
		}
		n++
	}
	if n == 0 {
		t.Error("no positions")
	}
}

func TestRepetitionIsLeftOut(t *testing.T) {
	s, games := positionGames(t)
	at := slices.IndexFunc(games, func(g *Game) bool { return g.Pair == 90 })
	var plies []int
	for _, p := range positionsOf(t, s, PositionFilter{Filter: Filter{Runs: []string{games[at].Run}, Results: []Result{Drawn}}, NoRepetition: true}) {
		plies = append(plies, p.ply)
	}
	// After h2e2 h9g7 the position occurs at plies 2, 6 and 10; the capture of ply 10 ends it.
	if want := []int{0, 1, 11, 12}; !slices.Equal(plies, want) {
		t.Errorf("plies %v, want %v", plies, want)
	}
}

func TestSampling(t *testing.T) {
	s, _ := positionGames(t)
	all := positionsOf(t, s, PositionFilter{QuietMove: true})
	first := positionsOf(t, s, PositionFilter{QuietMove: true, PerGame: 5, Seed: 1})
	perGame := map[GameKey]int{}
	for _, p := range first {
		perGame[p.key]++
		if !slices.Contains(all, p) {
			t.Errorf("%v does not pass the filter", p)
		}
	}
	candidates := map[GameKey]int{}
	for _, p := range all {
		candidates[p.key]++
	}
	for k, n := range candidates {
		if perGame[k] != min(n, 5) {
			t.Errorf("%v: %d of %d, want at most 5", k, perGame[k], n)
		}
	}
	if again := positionsOf(t, s, PositionFilter{QuietMove: true, PerGame: 5, Seed: 1}); !slices.Equal(again, first) {
		t.Error("the same seed drew others")
	}
	if other := positionsOf(t, s, PositionFilter{QuietMove: true, PerGame: 5, Seed: 2}); slices.Equal(other, first) {
		t.Error("another seed drew the same")
	}
	// Another database with the same games, put in by a merge: the same positions.
	c := openAt(t, filepath.Join(t.TempDir(), "copy.db"))
	if _, err := c.Merge(t.Context(), s.Path()); err != nil {
		t.Fatal(err)
	}
	f := PositionFilter{QuietMove: true, PerGame: 5, Seed: 1, Distinct: true}
	if a, b := positionsOf(t, s, f), positionsOf(t, c, f); !slices.Equal(a, b) {
		t.Error("another database with the same games gave others")
	}
	// Each candidate is drawn about as often as the others.
	counts := map[int]int{}
	for seed := range uint64(400) {
		for _, p := range positionsOf(t, s, PositionFilter{Filter: Filter{Runs: []string{all[len(all)-1].key.Run}, Results: []Result{Drawn}}, PerGame: 1, Seed: seed}) {
			counts[p.ply]++
		}
	}
	for ply := range 13 {
		if n := counts[ply]; n < 10 || n > 60 { // 400/13 = 31, standard deviation 5.3
			t.Errorf("ply %d was drawn %d times of 400", ply, n)
		}
	}
}

// A game that cannot be replayed is told, and the others still come.
func TestPositionsOfDamagedGames(t *testing.T) {
	s, games := positionGames(t)
	illegal := *games[3]
	illegal.Plies = slices.Clone(illegal.Plies)
	illegal.Plies[7].Move = movegen.NewMove(0, 89)
	data, err := AppendPlies(nil, illegal.Plies)
	if err != nil {
		t.Fatal(err)
	}
	behind(t, s, "UPDATE plies SET data = ? WHERE game = 4", data)
	behind(t, s, "UPDATE plies SET data = x'01' WHERE game = 6")
	f := PositionFilter{}
	want := plainPositions(plainly(t, games), &f)
	want = slices.DeleteFunc(want, func(p place) bool { return p.key == games[3].GameKey || p.key == games[5].GameKey })
	var got []place
	var errs []error
	for p, err := range s.Positions(t.Context(), f) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		got = append(got, place{p.Game.GameKey, p.Ply})
	}
	if !slices.Equal(got, want) || len(errs) != 2 {
		t.Fatalf("%d positions, want %d; errors %v", len(got), len(want), errs)
	}
	oneLine(t, errs[0], games[3].Run, "/2.2", "ply 8", "illegal move a0i9")
	oneLine(t, errs[1], games[5].Run, "/3.2", "damaged")
}
