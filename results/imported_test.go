//go:build cgo

package results

import (
	"reflect"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
)

// Constructed: tags as files have them, with either name for Red, none at all, a start of
// its own, engine data in comments.
const foreignGames = `[Game "Chinese Chess"]
[Event "城市杯"]
[Date "1999.12.??"]
[Red "甲 \"the first\""]
[Black "乙"]
[Opening "中炮"]
[Result "1-0"]
1. H2-E2 {+0.31/12 0.250s, n=12345} H9-G7 {-0.20/11 0.125s} 1-0

[White "wei"]
[Black "shi"]
[Date "2001.02.03"]
[Zeal "last in the alphabet"]
[Annotator "somebody"]
[Result "1/2-1/2"]
1. h0g2 h9g7 2. i0h0 1/2-1/2

[Event "a study"]
[FEN "4k4/9/9/9/9/9/9/9/4A4/3K5 b - - 0 1"]
[Result "*"]
1. ... e9f9 *

1. b2e2 *
`

func importText(t *testing.T, s *Store, text string) (*Run, []*pgn.Game) {
	t.Helper()
	r := &Run{Kind: "import", Name: "foreign"}
	mustCreate(t, s, r)
	in := readGames(t, text)
	var games []*Game
	for _, g := range in {
		rec, err := FromPGN(g)
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, rec)
	}
	done, err := s.Import(t.Context(), r.ID, imports(games...))
	if err != nil || done.Games != len(in) {
		t.Fatal(done, err)
	}
	return r, in
}

// tagMap returns tags without those that the writer makes from the game.
func tagMap(g *pgn.Game) map[string]string {
	m := map[string]string{}
	for _, tag := range g.Tags {
		switch tag.Name {
		case "Game", "FEN", "SetUp", "Format", "Result":
		default:
			if tag.Value != "" {
				m[tag.Name] = tag.Value
			}
		}
	}
	if m["Red"] == "" && m["White"] != "" {
		m["Red"] = m["White"] // as PGN is written
	}
	delete(m, "White")
	return m
}

// What was imported comes out with its moves, tags and result in each format, and with what
// engines said in PGN.
func TestImportedGamesComeBack(t *testing.T) {
	s := openTest(t)
	r, in := importText(t, s, foreignGames)
	for _, format := range []pgn.Format{pgn.PGNICCS, pgn.PGNUCI, pgn.PGNWXF, pgn.PGNChinese, pgn.JSONL} {
		i := 0
		for g, err := range s.Games(t.Context(), Filter{Runs: []string{r.ID}}) {
			if err != nil {
				t.Fatal(err)
			}
			out, want := throughText(t, g.PGN(r), format), in[i]
			if out.FEN != want.FEN || out.Result != want.Result || !reflect.DeepEqual(out.Moves, want.Moves) {
				t.Errorf("%s, game %d: %s %v %s, want %s %v %s", format, i+1, out.FEN, out.Moves, out.Result, want.FEN, want.Moves, want.Result)
			}
			if got, want := tagMap(out), tagMap(want); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, game %d: tags %v, want %v", format, i+1, got, want)
			}
			if i == 0 && format != pgn.JSONL && (len(out.Notes) != 2 || out.Notes[0].Eval != want.Notes[0].Eval || out.Notes[1].Eval != want.Notes[1].Eval) {
				t.Errorf("%s: notes %+v, want %+v", format, out.Notes, want.Notes)
			}
			i++
		}
		if i != len(in) {
			t.Errorf("%d games, want %d", i, len(in))
		}
	}
}

// Lists name the players of imported games, and rows are the same whether they were read
// or made from the game.
func TestImportedPlayers(t *testing.T) {
	s, own := filled(t, 1)
	r, in := importText(t, s, foreignGames)
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != len(in) {
		t.Fatal(rows, err)
	}
	for i, row := range rows {
		want := [2]string{in[i].Tags.Player(movegen.Red), in[i].Tags.Player(movegen.Black)}
		if row.Players != want || i == 1 && want != [2]string{"wei", "shi"} {
			t.Errorf("game %d: players %q, want %q", i+1, row.Players, want)
		}
		g, err := s.Game(t.Context(), row.GameKey)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := RowOf(g); err != nil || made != row {
			t.Errorf("game %d: made %+v, %v\nread %+v", i+1, made, err, row)
		}
	}
	if rows, err = s.Rows(t.Context(), own.ID); err != nil || rows[0].Players != [2]string{} {
		t.Errorf("played here: %q, %v", rows[0].Players, err)
	}
}

// Played here, a game that nobody began has no date rather than that of the year 1.
func TestNoDate(t *testing.T) {
	g := playRandom(t, computerRules(t), 1, 10)
	for _, tag := range g.PGN(testRun("")).Tags {
		if strings.Contains(tag.Value, "0001") {
			t.Errorf("%+v", tag)
		}
	}
}
