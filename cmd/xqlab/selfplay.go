package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// selfplayConfig is what decides about the games of a self-play run.
type selfplayConfig struct {
	Games     int      `toml:"games"`
	Nodes     string   `toml:"nodes"`
	Openings  string   `toml:"openings"`
	Plies     int      `toml:"plies"`
	Exit      int      `toml:"exit"`
	Seed      uint64   `toml:"seed"`
	Rules     string   `toml:"rules"`
	MoveLimit int      `toml:"move-limit,omitempty"`
	Resign    string   `toml:"resign"`
	Weights   string   `toml:"weights,omitempty"`
	Params    []string `toml:"param,omitempty"`
	Hash      int      `toml:"hash"`
}

// Defaults of self-play.
const (
	selfplayNodes  = "5k"
	selfplayResign = "movecount=3,score=1500,twosided=true"
	selfplayExit   = 300
	selfplayPlies  = 8

	// hardFactor is how much longer than asked an iteration that does not end may get.
	hardFactor = 8
)

func selfplayCommand(con *console) *cobra.Command {
	c := &selfplayConfig{}
	f := &jobFlags{}
	concurrency := ""
	cmd := &cobra.Command{
		Use:   "selfplay",
		Short: "Games of the built-in engine against itself, for tuning: random opening plies, node-limited, stored",
		Long: `Plays the built-in engine against itself on all cores and stores every move with its
score. A game begins with random plies, from the start position or from a book's opening,
and is played if the first search finds neither side too far ahead; else other plies are
tried. Game N depends on the seed, N and the settings alone: the same games come out of any
concurrency and after any interruption. Each game is a pair of its own, since the same
engine with colours swapped would play the same game.`,
		Example: `  xqlab selfplay --games 20 --nodes 400 --db tune.db
  xqlab selfplay --games 20000 --nodes 1k --name round-1 --db tune.db`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runSelfplay(cmd, con, f, c, concurrency) },
	}
	fl := cmd.Flags()
	f.bind(fl)
	fl.IntVar(&c.Games, "games", 1000, "games to play")
	fl.StringVar(&c.Nodes, "nodes", selfplayNodes, "soft limit of a move: no further iteration after so many nodes")
	fl.StringVar(&c.Openings, "openings", openings.Start, "`BOOK` before the random plies: FILE[.gz], balanced, unbalanced, start")
	fl.IntVar(&c.Plies, "plies", selfplayPlies, "random plies at the beginning")
	fl.IntVar(&c.Exit, "exit", selfplayExit, "greatest |score| in centipawns after them, 0 for any")
	fl.Uint64Var(&c.Seed, "seed", 0, "seed of the random plies (default a fresh one, printed)")
	fl.StringVar(&c.Rules, "rules", spec.DefaultRules, "computer, axf, ucci-league or check-only")
	fl.IntVar(&c.MoveLimit, "move-limit", 0, "plies without a capture that draw (default that of the rules)")
	fl.StringVar(&c.Resign, "resign", selfplayResign, "adjudicate wins by score; none for no adjudication")
	fl.StringVar(&c.Weights, "weights", "", "evaluation weights `FILE` (default the built-in ones)")
	fl.StringArrayVar(&c.Params, "param", nil, "search parameter `NAME=VALUE` (repeat for each)")
	fl.IntVar(&c.Hash, "hash", 0, "transposition table in MB (default by the nodes; it is cleared before every game)")
	fl.StringVar(&concurrency, "concurrency", "auto", "games at once: N, auto (all cores), or -N to leave N cores free")
	return cmd
}

// complete implements settings.
func (c *selfplayConfig) complete() error {
	n, err := spec.ParseCount(c.Nodes)
	if err != nil {
		return fmt.Errorf("--nodes %w", err)
	}
	c.Nodes = fmt.Sprint(n)
	if c.Hash == 0 {
		c.Hash = int(min(max(n/selfplayNodesPerMB, 1), search.DefaultHashMB))
	}
	for _, b := range []struct {
		flag      string
		v         int
		low, high int
	}{
		{"games", c.Games, 1, 1 << 30}, {"plies", c.Plies, 0, 100}, {"exit", c.Exit, 0, int(results.MaxScore)}, {"move-limit", c.MoveLimit, 0, 10000}, {"hash", c.Hash, 1, 1 << 16},
	} {
		if b.v < b.low || b.v > b.high {
			return fmt.Errorf("--%s %d, want %d to %d", b.flag, b.v, b.low, b.high)
		}
	}
	if c.MoveLimit > 0 && c.MoveLimit <= c.Plies {
		return fmt.Errorf("--move-limit %d: the --plies %d before the first search can draw the game; want more than those", c.MoveLimit, c.Plies)
	}
	rules, err := rulesOf(c.Rules, c.MoveLimit)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	c.Rules = rules.Name
	if c.Resign != "none" {
		if _, err := arena.ParseResign(c.Resign); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	s, err := openings.ParseSpec(c.Openings)
	if err != nil {
		return fmt.Errorf("--%w", err)
	}
	if s.Book == openings.Fly {
		return errors.New("--openings random: the random plies are --plies N; give a book, or nothing for the start position")
	}
	return nil
}

// selfplayNodesPerMB is the nodes of a move for which a megabyte of table is enough.
const selfplayNodesPerMB = 400

// selfplayer plays a self-play run.
type selfplayer struct {
	*job
	c     *selfplayConfig
	name  string
	book  *openings.Book
	play  *arena.SelfPlay
	entry results.Engine
	meter *meter
	plies atomic.Int64
}

func runSelfplay(cmd *cobra.Command, con *console, f *jobFlags, c *selfplayConfig, concurrency string) (err error) {
	at, err := gamesAtOnce(concurrency)
	if err != nil {
		return usagef("--concurrency %v", err)
	}
	ctx := cmd.Context()
	j, err := findJob(ctx, cmd, con, f, "selfplay", c, &selfplayConfig{}, &c.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	if j.run != nil && j.run.StopReason != "" {
		con.notef("run %s%s is finished (%s)", j.run.ID, prefixed(" ", j.run.Name), j.run.StopReason)
		return showSelfplay(ctx, con, j.db, j.run, f.asJSON)
	}
	s := &selfplayer{job: j, c: c, name: f.name}
	if err := s.prepare(at); err != nil {
		return err
	}
	sitting, err := j.begin(ctx, f, s.fresh)
	if err != nil {
		return err
	}
	return s.conclude(ctx, s.playAll(sitting, at), f.asJSON)
}

// gamesAtOnce reads a concurrency for games that no clock decides.
func gamesAtOnce(text string) (int, error) {
	m := &spec.Match{Concurrency: text}
	if text == "auto" {
		return runtime.GOMAXPROCS(0), nil
	}
	return concurrency(m)
}

// prepare makes everything ready that needs no database.
func (s *selfplayer) prepare(at int) error {
	c := s.c
	nodes, err := spec.ParseCount(c.Nodes)
	if err != nil {
		return usagef("--nodes %v", err)
	}
	e := &spec.Engine{Name: "self", Weights: c.Weights, Hash: c.Hash, Threads: 1}
	for _, p := range c.Params {
		name, value, _ := strings.Cut(p, "=")
		e.Params = append(e.Params, spec.Option{Name: name, Value: value})
	}
	w, p, err := builtInOf(e)
	if err != nil {
		return usageError{err}
	}
	s.entry = builtInRecord(w)
	s.entry.Name = e.Name
	if s.entry.Config, err = json.Marshal(e); err != nil {
		return err
	}
	if s.run != nil {
		if err := sameEngine(s.run.Engines[0], s.entry); err != nil {
			return err
		}
	}
	s.play = &arena.SelfPlay{
		Games: c.Games, Concurrency: at, Exit: c.Exit, Limits: arena.Limits{Soft: nodes, Nodes: hardFactor * nodes}, Opening: s.opening,
		Open: func() (*arena.BuiltIn, error) {
			return arena.NewBuiltIn(e.Name, w, p, search.Options{HashMB: c.Hash, Threads: 1}), nil
		},
	}
	if s.play.Conduct.Rules, err = rulesOf(c.Rules, c.MoveLimit); err != nil {
		return err
	}
	if c.Resign != "none" {
		if s.play.Conduct.Resign, err = arena.ParseResign(c.Resign); err != nil {
			return err
		}
	}
	return s.readBook()
}

func (s *selfplayer) readBook() error {
	o, err := openings.ParseSpec(s.c.Openings)
	if err != nil {
		return usageError{err}
	}
	if s.book, err = o.Open(openings.Options{Seed: s.c.Seed}); err != nil {
		return err
	}
	for _, n := range s.book.Notes {
		s.con.notef("%s", n)
	}
	if s.c.Plies == 0 {
		s.play.Exit = 0 // another try would be the same one
		if n := s.book.Len(); s.c.Games > n {
			s.con.notef("%d games from %d openings without random plies: the same games come again", s.c.Games, n)
		}
	}
	if h := s.book.Digest(); s.run != nil && h != s.run.BookHash {
		return fmt.Errorf("openings %s have changed since the run began: SHA-256 %s then, %s now", s.c.Openings, s.run.BookHash, h)
	}
	return nil
}

// opening returns a book's opening with random plies after it.
func (s *selfplayer) opening(game, try int) (arena.Opening, error) {
	o, err := s.book.Opening(game)
	if err != nil {
		return arena.Opening{}, err
	}
	end, err := movegen.ParseFEN(o.FEN)
	if err != nil {
		return arena.Opening{}, err
	}
	var u movegen.Undo
	for _, m := range o.Moves {
		end.Make(m, &u)
	}
	more, _ := openings.RandomLine(end, openings.Mix(s.c.Seed, uint64(game)), uint64(try), s.c.Plies)
	return arena.Opening{FEN: o.FEN, Moves: append(o.Moves[:len(o.Moves):len(o.Moves)], more...)}, nil
}

// fresh describes a new run.
func (s *selfplayer) fresh() (*results.Run, error) {
	config, err := toml.Marshal(s.c)
	return &results.Run{
		Kind: "selfplay", Name: s.name, Config: config, Seed: s.c.Seed, Rules: s.c.Rules, MoveLimit: s.c.MoveLimit,
		Book: s.beginning(), BookHash: s.book.Digest(), Pairs: s.c.Games, Version: version, Engines: []results.Engine{s.entry},
	}, err
}

// beginning says how games begin.
func (s *selfplayer) beginning() string {
	text := s.c.Openings
	if s.c.Plies > 0 {
		text += fmt.Sprintf(" + %d random plies", s.c.Plies)
	}
	if s.play.Exit > 0 {
		text += fmt.Sprintf(" within ±%d", s.play.Exit)
	}
	return text
}

// playAll plays what is left.
func (s *selfplayer) playAll(ctx context.Context, at int) (err error) {
	p := s.play
	p.Run, p.Put, p.Stored = s.run.ID, s.db.Put, s.stored
	if p.Done, err = s.db.Rows(ctx, s.run.ID); err != nil {
		return err
	}
	s.con.notef("run %s%s in %s", s.run.ID, prefixed(" ", s.run.Name), s.db.Path())
	s.con.notef("  %d games of %s (weights sha256 %.12s) at %s soft nodes a move, hash %d MB, %s, rules %s, resign %s, seed %d, %d at once",
		s.c.Games, s.entry.IDName, s.entry.NetSHA256, s.c.Nodes, s.c.Hash, s.beginning(), s.c.Rules, s.c.Resign, s.c.Seed, at)
	if n := len(p.Done); n > 0 {
		s.con.notef("  resumed: %d games are stored already", n)
	}
	s.meter = newMeter(s.con, "games", len(p.Done), s.c.Games)
	defer s.meter.stop()
	h := &helm{con: s.con, db: s.db, run: s.run.ID, games: at, of: p, progress: s.meter.published}
	go h.listen(ctx)
	return p.Play(ctx)
}

// stored takes a game that has just been stored.
func (s *selfplayer) stored(g *results.Game) error {
	n := s.plies.Add(int64(len(g.Plies) - g.Book))
	s.meter.add(1, fmt.Sprintf("%.0f plies/s", float64(n)/time.Since(s.meter.begun).Seconds()))
	return nil
}

// conclude stores why the sitting ended and shows what the run has.
func (s *selfplayer) conclude(ctx context.Context, cause error, asJSON bool) error {
	ctx = context.WithoutCancel(ctx)
	why, outcome := s.stopped(cause, "selfplay")
	if outcome == nil {
		sum, err := summarizeSelfplay(ctx, s.db, s.run, why)
		if err != nil {
			return err
		}
		text, err := json.Marshal(sum)
		if err != nil {
			return err
		}
		if err := s.db.Finish(ctx, s.run.ID, why, text); err != nil {
			return err
		}
		s.run.StopReason = why
	}
	return errors.Join(outcome, showSelfplay(ctx, s.con, s.db, s.run, asJSON))
}

// selfplaySummary is how a self-play run stands.
type selfplaySummary struct {
	Run       string         `json:"run"`
	Name      string         `json:"name"`
	Seed      uint64         `json:"seed"`
	StoppedBy string         `json:"stopped_by"` // "" while unfinished
	Games     int            `json:"games"`
	Planned   int            `json:"planned_games"`
	RedWins   int            `json:"red_wins"`
	BlackWins int            `json:"black_wins"`
	Draws     int            `json:"draws"`
	Reasons   map[string]int `json:"reasons"`
	Plies     int            `json:"plies"` // of the engine
	Depth     float64        `json:"depth_mean"`
	Nodes     uint64         `json:"nodes"`
	Seconds   float64        `json:"seconds"`
	PerHour   float64        `json:"games_per_hour"`
	Rate      float64        `json:"plies_per_second"`
}

func summarizeSelfplay(ctx context.Context, db *results.Store, run *results.Run, why string) (*selfplaySummary, error) {
	rows, err := db.Rows(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	s := &selfplaySummary{Run: run.ID, Name: run.Name, Seed: run.Seed, StoppedBy: why, Games: len(rows), Planned: run.Pairs, Reasons: map[string]int{}}
	depths, moves := 0, 0
	for i := range rows {
		r := &rows[i]
		switch r.Result {
		case results.RedWins:
			s.RedWins++
		case results.BlackWins:
			s.BlackWins++
		case results.Drawn:
			s.Draws++
		}
		s.Reasons[string(r.Reason)]++
		for c := range r.Sides {
			s.Plies += r.Sides[c].Moves
			s.Nodes += r.Sides[c].Nodes
			depths += r.Sides[c].DepthSum
			moves += r.Sides[c].DepthMoves
		}
	}
	if moves > 0 {
		s.Depth = float64(depths) / float64(moves)
	}
	if s.Seconds = playing(rows).Seconds(); s.Seconds > 0 {
		s.PerHour, s.Rate = 3600*float64(s.Games)/s.Seconds, float64(s.Plies)/s.Seconds
	}
	return s, nil
}

func showSelfplay(ctx context.Context, con *console, db *results.Store, run *results.Run, asJSON bool) error {
	s, err := summarizeSelfplay(ctx, db, run, run.StopReason)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(con, s)
	}
	_, err = fmt.Fprintf(con.out, "run %s%s: %d of %d games, red won %d, black %d, drawn %d; %d plies, mean depth %.1f; %.0f games/h, %.0f plies/s\n",
		s.Run, prefixed(" ", s.Name), s.Games, s.Planned, s.RedWins, s.BlackWins, s.Draws, s.Plies, s.Depth, s.PerHour, s.Rate)
	return err
}
