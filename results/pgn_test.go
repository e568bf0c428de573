package results

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
)

// throughText writes a game in a format and reads it again.
func throughText(t rapid.TB, g *pgn.Game, f pgn.Format) *pgn.Game {
	t.Helper()
	var b bytes.Buffer
	sink, err := pgn.NewSink(&b, f, pgn.SinkOptions{})
	if err == nil {
		err = sink.Write(g)
	}
	if err == nil {
		err = sink.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	all := readGames(t, b.String())
	if len(all) != 1 {
		t.Fatalf("%d games in\n%s", len(all), b.String())
	}
	return all[0]
}

func readGames(t rapid.TB, text string) (all []*pgn.Game) {
	t.Helper()
	src, err := pgn.NewSource(strings.NewReader(text), pgn.AnyFormat, pgn.Options{Notes: true})
	if err != nil {
		t.Fatal(err)
	}
	for {
		g, err := src.Next()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		all = append(all, g)
	}
}

var drawScore = rapid.OneOf(
	rapid.Just(NoScore),
	rapid.Custom(func(t *rapid.T) Score {
		return Score(rapid.IntRange(-int(MaxScore), int(MaxScore)).Draw(t, "centipawns"))
	}),
	rapid.Custom(func(t *rapid.T) Score { return MateScore - Score(rapid.IntRange(1, maxMate).Draw(t, "mate")) }),
	rapid.Custom(func(t *rapid.T) Score { return -MateScore + Score(rapid.IntRange(1, maxMate).Draw(t, "mated")) }),
)

// What the engines said of their moves survives the text, whoever begins and in whatever
// notation; times to the millisecond.
func TestPGNKeepsEngineData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.SampledFrom([]string{movegen.StartFEN, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1"}).Draw(t, "start")
		p, err := movegen.ParseFEN(start)
		if err != nil {
			t.Fatal(err)
		}
		g := &Game{GameKey: GameKey{Run: "x"}, Red: 0, Black: 1, Opening: start, Result: rapid.SampledFrom([]Result{RedWins, BlackWins, Drawn, Unfinished}).Draw(t, "result"),
			Book: rapid.IntRange(0, 3).Draw(t, "book"), Started: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Ended: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
		micros := rapid.Int64Range(0, 1e9)
		for i := range 8 {
			var l movegen.MoveList
			p.Legal(&l)
			m := l.At(rapid.IntRange(0, l.Len()-1).Draw(t, "move"))
			ply := Ply{Move: m, Score: NoScore}
			if i >= g.Book {
				ply = Ply{Move: m, Score: drawScore.Draw(t, "score"), Depth: rapid.IntRange(0, 99).Draw(t, "depth"), Nodes: rapid.Uint64().Draw(t, "nodes"),
					Wall: time.Duration(micros.Draw(t, "wall")) * time.Microsecond, CPU: time.Duration(micros.Draw(t, "cpu")) * time.Microsecond,
					Delay: time.Duration(micros.Draw(t, "delay")) * time.Microsecond}
			}
			g.Plies = append(g.Plies, ply)
			var u movegen.Undo
			p.Make(m, &u)
			if !p.HasLegal() {
				break
			}
		}
		g.Book = min(g.Book, len(g.Plies))
		format := rapid.SampledFrom([]pgn.Format{pgn.PGNICCS, pgn.PGNUCI, pgn.PGNWXF, pgn.PGNChinese}).Draw(t, "format")
		got, err := FromPGN(throughText(t, g.PGN(&Run{ID: "x", Engines: []Engine{{Name: "dev"}, {Name: "base"}}}), format))
		if err != nil {
			t.Fatal(err)
		}
		want := append([]Ply(nil), g.Plies...)
		for i := range min(len(want), len(got.Plies)) {
			if off := got.Plies[i].Wall - want[i].Wall; off.Abs() <= time.Millisecond/2 {
				want[i].Wall = got.Plies[i].Wall
			}
		}
		if !reflect.DeepEqual(got.Plies, want) || got.Book != g.Book || got.Result != g.Result || got.Opening != start || !got.Started.Equal(g.Started) {
			t.Errorf("got  %+v\nplies %+v\nwant %+v\nplies %+v", got, got.Plies, g, want)
		}
		if got.Tags["Red"] != "dev" || got.Tags["Black"] != "base" || got.Tags["Event"] != "xqlab x" {
			t.Errorf("tags %v", got.Tags)
		}
	})
}

// A mate in no plies has a sign nevertheless.
func TestMateNow(t *testing.T) {
	for _, s := range []Score{MateScore, -MateScore} {
		for c := range movegen.Color(2) {
			e := (&Ply{Score: s}).eval(c, false)
			if got := scoreOf(e).For(c); (got > 0) != (s > 0) {
				t.Errorf("%v of colour %d became %+v, %v", s, c, e, got)
			}
		}
	}
}
