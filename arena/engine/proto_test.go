package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// The go command of each protocol for each kind of limit.
func TestGo(t *testing.T) {
	clock := func(l arena.Limits, red, black int64, toGo int) arena.Clock {
		return arena.Clock{Limits: l, Left: [2]time.Duration{ms(red), ms(black)}, Incs: [2]time.Duration{l.Inc, l.Inc}, ToGo: toGo}
	}
	base := clock(arena.Limits{Time: ms(60000), Inc: ms(600)}, 12345, 54321, 0)
	for _, row := range []struct {
		proto  Proto
		side   movegen.Color
		clock  arena.Clock
		millis bool
		want   string
	}{
		{UCI, movegen.Red, base, false, "go wtime 12345 btime 54321 winc 600 binc 600"},
		{Cyclone, movegen.Black, base, false, "go wtime 12345 btime 54321 winc 600 binc 600"},
		{UCI, movegen.Red, clock(arena.Limits{Time: ms(60000), MovesTo: 40}, 1, 0, 7), false, "go wtime 1 btime 1 winc 0 binc 0 movestogo 7"},
		{UCI, movegen.Red, arena.Clock{Limits: arena.Limits{MoveTime: ms(200)}}, false, "go movetime 200"},
		{UCI, movegen.Red, arena.Clock{Limits: arena.Limits{Nodes: 5000, Depth: 9}}, false, "go nodes 5000 depth 9"},
		{UCCI, movegen.Red, base, true, "go time 12345 increment 600 opptime 54321 oppincrement 600"},
		{UCCI, movegen.Black, base, true, "go time 54321 increment 600 opptime 12345 oppincrement 600"},
		{UCCI, movegen.Red, base, false, "go time 12 increment 0 opptime 54 oppincrement 0"},
		{UCCI, movegen.Red, clock(arena.Limits{Time: ms(60000), MovesTo: 40}, 30000, 20000, 7), true, "go time 30000 movestogo 7 opptime 20000 oppincrement 0"},
		{UCCI, movegen.Red, arena.Clock{Limits: arena.Limits{MoveTime: ms(200)}}, true, "go time 200 movestogo 1"},
		{UCCI, movegen.Red, arena.Clock{Limits: arena.Limits{Nodes: 5000}}, true, "go nodes 5000"},
		{UCCI, movegen.Red, arena.Clock{Limits: arena.Limits{Depth: 9}}, true, "go depth 9"},
	} {
		if got := string(row.proto.appendGo(nil, row.side, &row.clock, row.millis)); got != row.want+"\n" {
			t.Errorf("%s: %q, want %q", row.proto, got, row.want)
		}
	}
}

// Moves in both bases, and what is none.
func TestParseMove(t *testing.T) {
	for _, row := range []struct {
		text  string
		base  int
		want  string
		shown int
	}{
		{"h2e2", 0, "h2e2", -1},
		{"h3e3", 1, "h2e2", -1},
		{"h10g8", 1, "h9g7", 1},
		{"h10g8", 0, "h9g7", 1},
		{"a0a1", 1, "a0a1", 0},
		{"a9a10", 0, "a8a9", 1},
		{"H2E2", 0, "h2e2", -1},
	} {
		m, shown, err := parseMove(row.text, row.base)
		if err != nil || m.String() != row.want || shown != row.shown {
			t.Errorf("%q in base %d: %s, %d, %v, want %s, %d", row.text, row.base, m, shown, err, row.want, row.shown)
		}
	}
	for _, text := range []string{"", "h2", "h2e", "j2e2", "h2e2x", "h11e2", "h2-e2", "a0a10", "h2h2", "h2e2e3", "0000", "\xff\xff\xff\xff", "h99e2", strings.Repeat("a1", 1000)} {
		if m, _, err := parseMove(text, 0); err == nil {
			t.Errorf("%q gave %s", clip(text, 20), m)
		}
	}
}

// Every move reads back from what is written, in both bases.
func TestMoveRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := movegen.Square(rapid.IntRange(0, movegen.Squares-1).Draw(t, "from"))
		to := movegen.Square(rapid.IntRange(0, movegen.Squares-1).Filter(func(n int) bool { return n != int(from) }).Draw(t, "to"))
		base := rapid.IntRange(0, 1).Draw(t, "base")
		m := movegen.NewMove(from, to)
		text := string(appendMove(nil, m, base))
		if got, shown, err := parseMove(text, base); err != nil || got != m || shown != -1 && shown != base {
			t.Fatalf("%s in base %d is %q, read as %s, %d, %v", m, base, text, got, shown, err)
		}
	})
}

// Lines of info as engines print them.
func TestInfo(t *testing.T) {
	mate := func(plies int) results.Score { return results.MateScore - results.Score(plies) }
	for _, row := range []struct {
		lines string
		ucci  bool
		want  thought
	}{
		{"depth 6 seldepth 6 multipv 1 score cp 256 nodes 2001 nps 333500 tbhits 0 time 6 pv g0e2 b7b5", false, thought{score: 256, exact: true, depth: 6, selDepth: 6, nodes: 2001, hashfull: -1}},
		{"depth 9 score cp -34 hashfull 12 nodes 9 pv h2e2", false, thought{score: -34, exact: true, depth: 9, selDepth: 9, nodes: 9, hashfull: 12}},
		{"pv h2e2 h9g7 depth 3 nodes 5 score cp 17", false, thought{score: 17, exact: true, depth: 3, selDepth: 3, nodes: 5, hashfull: -1}},
		{"depth 5 score mate 3 pv a0a1", false, thought{score: mate(5), exact: true, depth: 5, selDepth: 5, hashfull: -1}},
		{"depth 5 score mate -2 pv a0a1", false, thought{score: -mate(4), exact: true, depth: 5, selDepth: 5, hashfull: -1}},
		{"depth 0 score mate 0", false, thought{score: -mate(0), exact: true, hashfull: -1}},
		{"depth 7 score cp 20 nodes 10\ndepth 8 score cp -90 upperbound nodes 20", false, thought{score: 20, exact: true, depth: 7, selDepth: 7, nodes: 20, hashfull: -1}},
		{"depth 8 score cp -90 upperbound nodes 20\ndepth 8 score cp 10 lowerbound nodes 30", false, thought{score: 10, depth: 8, selDepth: 8, nodes: 30, hashfull: -1}},
		{"depth 8 multipv 1 score cp 50 nodes 20\ndepth 8 multipv 2 score cp 10 nodes 30", false, thought{score: 50, exact: true, depth: 8, selDepth: 8, nodes: 30, hashfull: -1}},
		{"depth 8 score cp 50 wdl 100 800 100 nodes 20\ndepth 9 currmove h2e2 currmovenumber 3", false, thought{score: 50, exact: true, depth: 8, selDepth: 8, nodes: 20, hashfull: -1}},
		{"string score cp 99 depth 4", false, thought{score: results.NoScore, hashfull: -1}},
		{"message score 99", true, thought{score: results.NoScore, hashfull: -1}},
		{"time 15 nodes 1234\ndepth 7 score 38 pv h2e2 h9g7", true, thought{score: 38, exact: true, depth: 7, selDepth: 7, nodes: 1234, hashfull: -1}},
		{"depth 4 score cp 378 nodes 159", true, thought{score: 378, exact: true, depth: 4, selDepth: 4, nodes: 159, hashfull: -1}},
		{"depth 4 score 9995 pv h2e2", true, thought{score: mate(5), exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score -9996 pv h2e2", true, thought{score: -mate(4), exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score 9800 pv h2e2", true, thought{score: 9800, exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score 9995", false, thought{score: 9995, exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score cp 99999999", false, thought{score: 30000, exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score mate 5000", false, thought{score: mate(1997), exact: true, depth: 4, selDepth: 4, hashfull: -1}},
		{"depth 4 score cp x nodes -5 hashfull y", false, thought{score: results.NoScore, depth: 4, hashfull: -1}},
		{"depth 12 nodes 500 time 3", false, thought{score: results.NoScore, depth: 12, nodes: 500, hashfull: -1}},
	} {
		var got thought
		got.clear()
		for _, l := range strings.Split(row.lines, "\n") {
			got.line([]byte(l), row.ucci)
		}
		if got != row.want {
			t.Errorf("%q:\n got %+v\nwant %+v", row.lines, got, row.want)
		}
	}
}

// No greeting may crash its reader or grow without bound.
func FuzzGreeting(f *testing.F) {
	f.Add("id name x\noption name A B type spin default 3 min 0 max 9\nuciok")
	f.Add("option usemillisec type check default false\nucciok")
	f.Fuzz(func(t *testing.T, s string) {
		for _, proto := range []Proto{"", UCI, UCCI} {
			g := greeting{proto: proto}
			for _, l := range strings.Split(s, "\n") {
				if g.line([]byte(l), time.Time{}) {
					break
				}
			}
			g.id.Proto = g.proto
			if p, err := planOptions(&g.id, &Config{Threads: 1, HashMB: 16, Rules: "computer", MoveLimit: 120}); err == nil && len(p.set) > 50 {
				t.Errorf("%d options are set", len(p.set))
			}
		}
	})
}

// No line may crash the reader of info lines or give a score out of range.
func FuzzInfo(f *testing.F) {
	f.Add("depth 6 seldepth 6 multipv 1 score cp 256 nodes 2001 pv g0e2", false)
	f.Add("score mate -9223372036854775808 hashfull -5", true)
	f.Fuzz(func(t *testing.T, s string, ucci bool) {
		var got thought
		got.clear()
		got.line([]byte(s), ucci)
		if n, ok := got.score.Mate(); ok && (n > 2000 || n < -2000) || got.hashfull > 1000 || got.hashfull < -1 || got.depth < 0 || got.selDepth < 0 {
			t.Errorf("%q gave %+v", s, got)
		}
	})
}

// Declarations as engines print them.
func TestParseOption(t *testing.T) {
	for _, row := range []struct {
		line string
		ucci bool
		want Declared
	}{
		{"option name Move Overhead type spin default 10 min 0 max 5000", false, Declared{Name: "Move Overhead", Type: "spin", Default: "10", Min: 0, Max: 5000}},
		{"option name Debug Log File type string default ", false, Declared{Name: "Debug Log File", Type: "string"}},
		{"option name Skill Level type spin default 20 min -20 max 20", false, Declared{Name: "Skill Level", Type: "spin", Default: "20", Min: -20, Max: 20}},
		{"option name Clear Hash type button", false, Declared{Name: "Clear Hash", Type: "button"}},
		{"option name Style type combo default Very Solid var Very Solid var Risky", false, Declared{Name: "Style", Type: "combo", Default: "Very Solid", Vars: []string{"Very Solid", "Risky"}}},
		{"option usemillisec type check default false", true, Declared{Name: "usemillisec", Type: "check", Default: "false"}},
		{"option Analysis Contempt type combo var Both default Both", true, Declared{Name: "Analysis Contempt", Type: "combo", Default: "Both", Vars: []string{"Both"}}},
		{"option newgame type button", true, Declared{Name: "newgame", Type: "button"}},
	} {
		got, ok := parseOption(row.line, row.ucci)
		if !ok || got.Name != row.want.Name || got.Type != row.want.Type || got.Default != row.want.Default ||
			got.Min != row.want.Min || got.Max != row.want.Max || !slices.Equal(got.Vars, row.want.Vars) {
			t.Errorf("%q gave %+v, %t", row.line, got, ok)
		}
	}
	for _, line := range []string{"option", "option name", "option name type", "option name X", "option name X type", "options name X type spin", "option type"} {
		if d, ok := parseOption(line, false); ok {
			t.Errorf("%q gave %+v", line, d)
		}
	}
}

// What is set, in which order, and what is said about it.
func TestPlanOptions(t *testing.T) {
	pikafish := "name Threads type spin default 1 min 1 max 1024|name Hash type spin default 16 min 1 max 1024|name Move Overhead type spin default 10 min 0 max 5000|name Repetition Rule type combo default AsianRule var AsianRule var ComputerRule|name Rule60MaxPly type spin default 120 min 1 max 120"
	fairy := "name Protocol type combo default uci var uci var ucci|name Threads type spin default 1 min 1 max 512|name Hash type spin default 16 min 1 max 64|name UCI_Variant type combo default chess var chess var xiangqi"
	eleeye := "usemillisec type check default false|hashsize type spin min 0 max 1024 default 0|newgame type button"
	for _, row := range []struct {
		name, options string
		proto         Proto
		cfg           Config
		set           string
		warnings      string
		err           string
	}{
		{"order", pikafish, UCI, Config{Options: []Option{{"move overhead", "30"}}, HashMB: 32, Threads: 2, Rules: "computer", MoveLimit: 100},
			"Threads=2 Hash=32 Repetition Rule=ComputerRule Rule60MaxPly=100 Move Overhead=30", "", ""},
		{"given wins", pikafish, UCI, Config{Options: []Option{{"Hash", "64"}, {"Repetition Rule", "AsianRule"}}, HashMB: 32, Threads: 1, Rules: "computer"},
			"Threads=1 Hash=64 Repetition Rule=AsianRule", "", ""},
		{"no such rule", pikafish, UCI, Config{Rules: "ucci-league"}, "", "no option of it sets the rules ucci-league", ""},
		{"variant first", fairy, UCI, Config{Options: []Option{{"UCI_Variant", "xiangqi"}}, HashMB: 16, Threads: 1}, "UCI_Variant=xiangqi Threads=1 Hash=16", "", ""},
		{"small board", strings.ReplaceAll(fairy, " var xiangqi", ""), UCI, Config{}, "", "", "no xiangqi"},
		{"other variant", fairy, UCI, Config{Options: []Option{{"UCI_Variant", "chess"}}}, "", "", "want xiangqi"},
		{"misspelt", pikafish, UCI, Config{Options: []Option{{"MoveOverhead", "30"}}}, "MoveOverhead=30", `no option "MoveOverhead"; the nearest is "Move Overhead"`, ""},
		{"misspelt, strict", pikafish, UCI, Config{Options: []Option{{"MoveOverhead", "30"}}, Strict: true}, "", "", `the nearest is "Move Overhead"`},
		{"far off", pikafish, UCI, Config{Options: []Option{{"Contempt", "30"}}}, "Contempt=30", `no option "Contempt"; sent`, ""},
		{"out of range", pikafish, UCI, Config{Options: []Option{{"Move Overhead", "9000"}}}, "Move Overhead=9000", "want 0 to 5000", ""},
		{"out of range, strict", pikafish, UCI, Config{Options: []Option{{"Move Overhead", "9000"}}, Strict: true}, "", "", "want 0 to 5000"},
		{"not in combo", pikafish, UCI, Config{Options: []Option{{"Repetition Rule", "SkyRule"}}, Strict: true}, "", "", "want one of AsianRule, ComputerRule"},
		{"ucci", eleeye, UCCI, Config{HashMB: 16, Threads: 1, Options: []Option{{"Hash", "8"}}}, "usemillisec=true hashsize=8", "", ""},
		{"no hash", "name X type button", UCI, Config{HashMB: 16, Threads: 1, Options: []Option{{"X", ""}}}, "X=", "no option Hash, 16 is not set", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			id := Identity{Proto: row.proto}
			for _, o := range strings.Split(row.options, "|") {
				d, ok := parseOption("option "+o, row.proto == UCCI)
				if !ok {
					t.Fatalf("option %q", o)
				}
				id.Options = append(id.Options, d)
			}
			p, err := planOptions(&id, &row.cfg)
			if row.err != "" || err != nil {
				if err == nil || row.err == "" || !strings.Contains(err.Error(), row.err) {
					t.Fatalf("error %v, want %q", err, row.err)
				}
				return
			}
			var set []string
			for _, o := range p.set {
				set = append(set, o.Name+"="+o.Value)
			}
			if got := strings.Join(set, " "); got != row.set {
				t.Errorf("set %q, want %q", got, row.set)
			}
			if got := strings.Join(p.warnings, "|"); !strings.Contains(got, row.warnings) || row.warnings == "" && got != "" {
				t.Errorf("warnings %q, want %q", got, row.warnings)
			}
		})
	}
}

// The position line begins at the last capture, follows the game incrementally, and says
// the same as one made at once.
func TestTrack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, err := referee.Named("computer")
		if err != nil {
			t.Fatal(err)
		}
		base := rapid.IntRange(0, 1).Draw(t, "base")
		proto := rapid.SampledFrom([]Proto{UCI, UCCI, Cyclone}).Draw(t, "proto")
		g := referee.NewGame(movegen.StartPosition(), rules)
		var kept track
		for range rapid.IntRange(0, 120).Draw(t, "plies") {
			var l movegen.MoveList
			g.Position().Legal(&l)
			if g.Verdict().Status != referee.Ongoing {
				break
			}
			if _, err := g.Play(l.Slice()[rapid.IntRange(0, l.Len()-1).Draw(t, "move")]); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "our turn") {
				kept.sync(g, proto, base)
			}
		}
		kept.sync(g, proto, base)
		var fresh track
		fresh.sync(g, proto, base)
		if string(kept.line) != string(fresh.line) {
			t.Fatalf("kept %q, fresh %q", kept.line, fresh.line)
		}
		checkLine(t, string(kept.line), proto, base, g)
	})
}

// checkLine reads a position line as an engine does and compares it with the game.
func checkLine(t *rapid.T, line string, proto Proto, base int, g *referee.Game) {
	if proto != Cyclone {
		rest, ok := strings.CutPrefix(line, "position ")
		if !ok {
			t.Fatalf("no word position in %q", line)
		}
		line = rest
	}
	head, moves, _ := strings.Cut(line, " moves ")
	fen := movegen.StartFEN
	if head != "startpos" {
		fen = strings.TrimPrefix(head, "fen ")
	}
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	var u movegen.Undo
	for _, text := range strings.Fields(moves) {
		m, _, err := parseMove(text, base)
		if err != nil || !pos.IsLegal(m) || pos.At(m.To()) != movegen.NoPiece {
			t.Fatalf("%q in %q: a capture, or not legal (%v)", text, line, err)
		}
		pos.Make(m, &u)
	}
	if pos.FEN() != g.Position().FEN() {
		t.Fatalf("%q leads to %q, want %q", line, pos.FEN(), g.Position().FEN())
	}
}

// Protocols and ranks are found out, or told; games between all of them are legal.
func TestProtocols(t *testing.T) {
	fairy := "-option=name UCI_Variant type combo default chess var chess var xiangqi"
	for _, row := range []struct {
		name  string
		args  []string
		proto string
		ranks string
		want  Proto
		base  int
		warn  string
	}{
		{"uci 0", []string{}, "", "", UCI, 0, ""},
		{"uci 1", []string{"-base=1"}, "auto", "auto", UCI, 1, ""},
		{"uci 1 told", []string{"-base=1"}, "uci", "1", UCI, 1, ""},
		{"uci variant", []string{"-base=1", fairy}, "", "", UCI, 1, ""},
		{"ucci", []string{"-proto=ucci"}, "", "", UCCI, 0, ""},
		{"ucci told", []string{"-proto=ucci"}, "ucci", "", UCCI, 0, ""},
		{"cyclone", []string{"-proto=cyclone"}, "", "", Cyclone, 0, ""},
		{"cyclone told", []string{"-proto=cyclone"}, "cyclone", "", Cyclone, 0, ""},
		{"ranks shown late", []string{"-base=0", fairy}, "", "", UCI, 0, "count ranks from 0"},
		{"cannot be asked", []string{"-do=exit"}, "", "", UCI, 0, "could not be found out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := script(row.args...)
			cfg.Proto, cfg.Ranks, cfg.Deadlines = row.proto, row.ranks, patient
			c := New(cfg)
			defer c.Close()
			cfg = script()
			cfg.Deadlines = patient
			other := New(cfg)
			defer other.Close()
			if row.warn == "" {
				playScripted(t, c, other, 60)
			} else if err := c.NewGame(context.Background()); err != nil {
				t.Fatal(err)
			} else if row.name == "ranks shown late" {
				if r, err := c.Move(context.Background(), gameFrom(t, onlyMoveFEN), nodes); err != nil || r.Move.String() != onlyMove0 {
					t.Errorf("%s, %v", r.Move, err)
				}
			}
			id := c.Identity()
			if id.Proto != row.want || c.base != row.base || !strings.Contains(strings.Join(id.Warnings, "|"), row.warn) || row.warn == "" && len(id.Warnings) > 0 {
				t.Errorf("%s, ranks from %d, warnings %q; want %s, %d, %q", id.Proto, c.base, id.Warnings, row.want, row.base, row.warn)
			}
		})
	}
}

// playScripted plays two short games, so that the second begins with a running engine.
func playScripted(t *testing.T, a, b arena.Player, plies int) {
	t.Helper()
	for range 2 {
		playOut(t, newGame(t), [2]arena.Player{a, b}, nodes, plies)
		a, b = b, a
	}
}

// A new process for each game where that is asked, the same one where not.
func TestRestart(t *testing.T) {
	for _, restart := range []bool{false, true} {
		cfg := script()
		cfg.Restart, cfg.Deadlines = restart, patient
		c := New(cfg)
		pids := map[int]bool{}
		for range 3 {
			if _, err := moveOnce(c, newGame(t), nodes); err != nil {
				t.Fatal(err)
			}
			pids[c.p.cmd.Process.Pid] = true
		}
		c.Close()
		if (len(pids) == 3) != restart {
			t.Errorf("restart %t: %d processes in 3 games", restart, len(pids))
		}
	}
}

// Many games at once, some with engines that fail.
func TestManyAtOnce(t *testing.T) {
	for i := range 12 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			good := script()
			good.Deadlines = patient
			a := New(good)
			defer a.Close()
			if i%3 == 0 {
				bad := script("-do", []string{"crash", "flood", "none", "exit"}[i/3], "-at", "5")
				c := New(bad)
				defer c.Close()
				playUntilFailure(t, a, c)
				return
			}
			b := New(good)
			defer b.Close()
			playScripted(t, a, b, 60)
		})
	}
}

func playUntilFailure(t *testing.T, players ...arena.Player) {
	g := newGame(t)
	for _, p := range players {
		if err := p.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for g.Len() < 20 {
		r, err := players[g.Len()%2].Move(context.Background(), g, nodes)
		var f *arena.Failure
		if errors.As(err, &f) && f.Engine == "bad" && g.Len() == 9 {
			return
		}
		if err == nil {
			_, err = g.Play(r.Move)
		}
		if err != nil {
			t.Fatalf("ply %d: %v", g.Len()+1, err)
		}
	}
	t.Error("no failure at ply 10")
}

// A game that the arena ends itself has evidence too.
func TestEvidence(t *testing.T) {
	cfg := script("-pause", "20ms")
	cfg.Deadlines = patient
	c := New(cfg)
	defer c.Close()
	g := newGame(t)
	r, err := moveOnce(c, g, fast)
	if err != nil {
		t.Fatal(err)
	}
	var e Evidence
	if err := json.Unmarshal(c.Evidence(g, results.TimeLoss, "late", r), &e); err != nil {
		t.Fatal(err)
	}
	last := e.Lines[len(e.Lines)-1]
	if e.Reason != results.TimeLoss || e.WallMicros < 20000 || len(e.Commands) != 2 || !strings.HasPrefix(last.Text, "bestmove ") || last.From != "engine" {
		t.Errorf("evidence %+v", e)
	}
}

// The command in the evidence does put the engine before the position again.
func TestReplay(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here to run the command with")
	}
	cfg := script("-do", "none", "-id", "it's me")
	cfg.Deadlines = patient
	_, err = moveOnce(New(cfg), newGame(t), nodes)
	var f *arena.Failure
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	var e Evidence
	if err := json.Unmarshal(f.Evidence, &e); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(sh, "-c", strings.Replace(e.Replay, "sleep 10", "sleep 1", 1)).Output()
	if err != nil || !strings.Contains(string(out), "id name it's me\n") || !strings.Contains(string(out), "bestmove (none)\n") {
		t.Errorf("%s\nprinted %q, %v", e.Replay, out, err)
	}
}

// A told base that the engine does not keep to is its fault.
func TestWrongRanks(t *testing.T) {
	cfg := script("-base=0")
	cfg.Ranks, cfg.Deadlines = "1", patient
	c := New(cfg)
	defer c.Close()
	g := newGame(t)
	for g.Len() < 20 {
		r, err := moveOnce(c, g, nodes)
		if err != nil {
			var f *arena.Failure
			if !errors.As(err, &f) || f.Reason != results.IllegalMove && f.Reason != results.Crash {
				t.Errorf("got %v", err)
			}
			return
		}
		if _, err := g.Play(r.Move); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("twenty moves in the wrong ranks passed")
}

// UCCI's ways to give up or offer, and the words after a move.
func TestBestmoveForms(t *testing.T) {
	for _, row := range []struct {
		do           string
		proto        string
		resign, draw bool
	}{
		{"no-move", "ucci", true, false},
		{"resign", "ucci", true, false},
		{"draw", "ucci", false, true},
		{"ponder", "uci", false, false},
	} {
		t.Run(row.do, func(t *testing.T) {
			cfg := script("-do", row.do, "-proto", row.proto)
			cfg.Proto, cfg.Deadlines = row.proto, patient
			c := New(cfg)
			defer c.Close()
			r, err := moveOnce(c, newGame(t), nodes)
			if err != nil || r.Resign != row.resign || r.Draw != row.draw {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

// Refused engines give one clear line, at once.
func TestRefused(t *testing.T) {
	t.Run("XBoard", func(t *testing.T) {
		const hoixiangqi = "/usr/games/hoixiangqi"
		if _, err := os.Stat(hoixiangqi); err != nil {
			t.Skipf("%s is not installed (apt-get install hoichess)", hoixiangqi)
		}
		_, err := Probe(context.Background(), Config{Cmd: hoixiangqi})
		if err == nil || !strings.Contains(err.Error(), "XBoard") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("small board", func(t *testing.T) {
		_, err := Probe(context.Background(), script("-option=name UCI_Variant type combo default chess var chess var atomic"))
		if err == nil || !strings.Contains(err.Error(), "no xiangqi") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
	})
}

// A move by which the side to move would lose at once for a repetition is banned in UCCI, and
// only there, and no longer when the position is another; the scripted engine obeys.
func TestBanmoves(t *testing.T) {
	const fen = "3k5/9/R8/9/9/9/9/9/9/4K4 w - - 0 1"
	moves := strings.Fields("a7a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a9")
	for _, proto := range []string{"uci", "ucci"} {
		cfg := script("-proto", proto)
		cfg.Proto, cfg.Deadlines = proto, patient
		c := New(cfg)
		defer c.Close()
		g := gameFrom(t, fen)
		if err := c.NewGame(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, text := range moves {
			r, err := c.Move(context.Background(), g, nodes)
			if err != nil {
				t.Fatal(err)
			}
			last := i == len(moves)-1
			if got, want := strings.Contains(string(c.out), "\nbanmoves a8a9\ngo"), last && proto == "ucci"; got != want || !got && strings.Contains(string(c.out), "banmoves") {
				t.Errorf("%s, ply %d: sent %q", proto, i+1, c.out)
			}
			if last && proto == "ucci" && r.Move.String() == "a8a9" {
				t.Error("it plays the banned move")
			}
			m, err := movegen.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := g.Play(m); err != nil || (v.Status == referee.BlackWins) != last {
				t.Fatalf("ply %d: %v, %v", i+1, v, err)
			}
		}
	}
}
