package engine

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

const fairy = "/usr/games/fairy-stockfish"

// needFairy skips where Debian's package is not installed, as CI does.
func needFairy(t *testing.T) {
	if _, err := os.Stat(fairy); err != nil {
		t.Skipf("%s is not installed (apt-get install fairy-stockfish)", fairy)
	}
}

func newGame(t testing.TB) *referee.Game { return gameFrom(t, movegen.StartFEN) }

func gameFrom(t testing.TB, fen string) *referee.Game {
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return referee.NewGame(pos, rules)
}

// playOut plays a game of at most n plies and returns the number played.
func playOut(t testing.TB, g *referee.Game, players [2]arena.Player, clock arena.Clock, n int) {
	t.Helper()
	for _, p := range players {
		if err := p.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for g.Verdict().Status == referee.Ongoing && g.Len() < n {
		p := players[g.Position().Side()]
		r, err := p.Move(context.Background(), g, clock)
		if err != nil {
			t.Fatalf("ply %d, %s: %v", g.Len()+1, p.Name(), err)
		}
		searched := r.Score.Known() && r.Depth >= 1 && r.Nodes > 0
		hurried := clock.Nodes == 0 && clock.Depth == 0 // on a busy machine an engine may have no time to search
		if r.Wall <= 0 || !searched && !hurried {
			t.Errorf("ply %d, %s: reply %+v lacks score, depth, nodes or time", g.Len()+1, p.Name(), r)
		}
		if _, err := g.Play(r.Move); err != nil {
			t.Fatal(err)
		}
	}
}

// Fairy-Stockfish counts ranks from 1 in UCI and from 0 in UCCI: a game between the two is
// legal only when both are translated.
func TestFairyStockfish(t *testing.T) {
	needFairy(t)
	uci := New(Config{Name: "uci", Cmd: fairy, Threads: 1, HashMB: 16, Rules: "computer"})
	ucci := New(Config{Name: "ucci", Cmd: fairy, Proto: "ucci", Threads: 1, HashMB: 16})
	defer uci.Close()
	defer ucci.Close()
	for _, clock := range []arena.Clock{
		{Limits: arena.Limits{Nodes: 500}},
		{Limits: arena.Limits{Depth: 3}},
		{Limits: arena.Limits{MoveTime: 5 * time.Millisecond}},
		{Limits: arena.Limits{Time: time.Second, Inc: 10 * time.Millisecond}, Left: [2]time.Duration{time.Second, time.Second}, Incs: [2]time.Duration{10 * time.Millisecond, 10 * time.Millisecond}},
	} {
		playOut(t, newGame(t), [2]arena.Player{uci, ucci}, clock, 40)
	}
	if id := uci.Identity(); id.Proto != UCI || id.Ranks != 1 || len(id.Warnings) != 1 {
		t.Errorf("uci: %s, ranks from %d, warnings %q", id.Proto, id.Ranks, id.Warnings)
	}
	if id := ucci.Identity(); id.Proto != UCCI || id.Ranks != 0 || len(id.Warnings) != 0 {
		t.Errorf("ucci: %s, ranks from %d, warnings %q", id.Proto, id.Ranks, id.Warnings)
	}
}
