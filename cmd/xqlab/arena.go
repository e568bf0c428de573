package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/spec"
)

// arenaFlags are the flags of xqlab arena as given.
type arenaFlags struct {
	engines, each          []string
	config, db, name       string
	openings, sprt         string
	event                  string
	seeds                  int
	games, pairs           int
	until, forText         string
	concurrency            string
	seed                   uint64
	rules                  string
	moveLimit, maxPlies    int
	resign, draw           string
	crashes                int
	timeLosses             float64
	scaleTC                string
	strict, replayLate     bool
	pgn, resume, log       string
	events, notify         string
	deadlines              engine.Deadlines
	dryRun, asTOML, asJSON bool
	pilot                  bool
	affinity               string
}

func arenaCommand(con *console) *cobra.Command {
	var f arenaFlags
	cmd := &cobra.Command{
		Use:   "arena",
		Short: "A match or tournament between engines, stored; without arguments a short match between two built-in configurations",
		Long: `Plays games in pairs from one opening with colours swapped, as many at once as asked,
under the rules of Xiangqi. Every finished game is in the database before it counts; a
match that stopped in any way goes on with --resume.

An engine is one word, name=dev,cmd=./dev,tc=10+0.1,option.Hash=64, or the words that
other runners know: -engine cmd=./dev name=dev tc=10+0.1. Without cmd it is the built-in
engine. Keys: name cmd args dir conf proto ranks tc movetime nodes depth timemargin
restart threads hash anchor option.NAME, and for the built-in engine param.NAME weights.

EVENTS
` + eventsHelp,
		Example: `  xqlab arena
  xqlab arena --engine name=mine,cmd=./my-engine --engine name=own --each tc=10+0.1 --games 40
  xqlab arena --name lmr-test --engine name=new,param.NullBase=4 --engine name=old --each nodes=20k --sprt --concurrency 2
  xqlab arena --resume`,
		Args: arenaWords,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, con) },
	}
	f.define(cmd.Flags())
	fl := cmd.Flags()
	fl.StringVar(&f.until, "until", "", "stop at this time of day, as 07:00; --resume goes on")
	fl.StringVar(&f.forText, "for", "", "stop after this time, as 8h; --resume goes on")
	fl.StringVar(&f.resume, "resume", "", "go on with the unfinished run, or with this `RUN`")
	fl.Lookup("resume").NoOptDefVal = " "
	fl.BoolVar(&f.dryRun, "dry-run", false, "start each engine once, read the book, print the plan, play nothing")
	fl.StringVar(&f.affinity, "affinity", "", "bind each game to a core: on, off (default), or a `LIST` of processors such as 0,2,4-7")
	fl.Lookup("affinity").NoOptDefVal = "on"
	fl.BoolVar(&f.pilot, "pilot", false, "play the first twenty games, then tell time losses, games/h, length, disk and what to change; --resume goes on")
	fl.BoolVar(&f.asTOML, "toml", false, "with --dry-run: print the match as a TOML file")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object at the end")
	cmd.PersistentFlags().StringVar(&f.db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	cmd.AddCommand(steerCommands(con, &f.db)...)
	cmd.AddCommand(queueCommand(con, &f.db))
	return cmd
}

// define makes the flags that describe a match, played now or queued.
func (f *arenaFlags) define(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.engines, "engine", nil, "an engine, key=value words (repeat for each)")
	fl.StringArrayVar(&f.each, "each", nil, "words for every engine")
	fl.StringVar(&f.config, "config", "", "read the match from a TOML `FILE`; flags win")
	fl.StringVar(&f.name, "name", "", "name of the run; makes the command idempotent")
	fl.StringVar(&f.openings, "openings", "", "`BOOK`: FILE[.gz], balanced, unbalanced, start or random,plies=6,eval=100..250; with order=, seed=, start=")
	fl.StringVar(&f.sprt, "sprt", "", "stop when this `TEST` is decided: gain [0,5] (also bare), fast [0,10], strict [0,3], simplify [-5,0], bounds as 0,5, or elo0=,elo1=,alpha=,beta=,model=")
	fl.Lookup("sprt").NoOptDefVal = " "
	fl.StringVar(&f.event, "event", "", "roundrobin, gauntlet or ladder")
	fl.IntVar(&f.seeds, "seeds", 0, "gauntlet: so many engines, from the first, meet all others (default 1)")
	fl.IntVar(&f.games, "games", 0, "games for each two engines (even: games come in pairs)")
	fl.IntVar(&f.pairs, "pairs", 0, "pairs of games for each two engines")
	fl.StringVar(&f.concurrency, "concurrency", "", "games at once: N, auto, or -N to leave N cores free")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the order of openings (default a fresh one, printed)")
	fl.StringVar(&f.rules, "rules", "", "computer, axf, ucci-league or check-only (default computer)")
	fl.IntVar(&f.moveLimit, "move-limit", 0, "plies without a capture that draw (default that of the rules)")
	fl.StringVar(&f.resign, "resign", "", "adjudicate wins by score, by these `WORDS` or bare as movecount=3,score=600,twosided=true")
	fl.Lookup("resign").NoOptDefVal = " "
	fl.StringVar(&f.draw, "draw", "", "adjudicate draws by score: movenumber=,movecount=,score=")
	fl.IntVar(&f.maxPlies, "max-plies", 0, "draw after so many plies of the engines, in no repetition")
	fl.IntVar(&f.crashes, "max-crashes", 0, "set an engine aside after so many crashes or hangs (default 3)")
	fl.Float64Var(&f.timeLosses, "max-time-losses", 0, "set an engine aside above this share of time losses in per cent (default 5)")
	fl.StringVar(&f.scaleTC, "scale-tc", "", "times are those of a machine with this many `NODES` a second in xqlab bench; a slower one gets more")
	fl.BoolVar(&f.strict, "strict", false, "an option that an engine does not know is an error")
	fl.BoolVar(&f.replayLate, "replay-late", false, "play pairs with a late move again, both sides alike, at most twice")
	fl.StringVar(&f.pgn, "pgn", "", "write the games to a PGN `FILE` as they end")
	fl.StringVar(&f.log, "log", "", "keep all that engines say in this `DIR`")
	fl.DurationVar(&f.deadlines.Hang, "hang", 5*time.Minute, "a move under nodes or depth that takes longer is a hang")
	fl.DurationVar(&f.deadlines.Start, "start-timeout", 15*time.Second, "an engine has so long to start")
	fl.DurationVar(&f.deadlines.Ready, "ready-timeout", 15*time.Second, "… and to be ready")
	fl.DurationVar(&f.deadlines.Stop, "stop-timeout", time.Second, "… and to answer stop")
	fl.DurationVar(&f.deadlines.Quit, "quit-timeout", 2*time.Second, "… and to quit")
	fl.StringVar(&f.events, "events", "", "write what happens as JSON lines to this `FILE`, or - for standard output (fields: xqlab arena --help)")
	fl.StringVar(&f.notify, "notify", "", "run this `COMMAND` when the run ends or an engine starts failing, the event on its standard input")
}

// arenaWords refuses words, of which the first may be a mistyped command.
func arenaWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return subcommandOnly(cmd, args)
}

// dbPath returns the database of a command.
func dbPath(flag string) string {
	for _, p := range []string{flag, os.Getenv("XQLAB_DB")} {
		if p != "" {
			return p
		}
	}
	return "xqlab.db"
}

// describe puts the config file and then the flags over m.
func (f *arenaFlags) describe(cmd *cobra.Command, m *spec.Match) error {
	given := cmd.Flags().Changed
	if f.asTOML && !f.dryRun {
		return usagef("--toml prints the match of a dry run; give --dry-run too")
	}
	if f.pilot && f.dryRun {
		return usagef("--dry-run plays nothing, --pilot plays twenty games; give one")
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"hang", f.deadlines.Hang}, {"start-timeout", f.deadlines.Start}, {"ready-timeout", f.deadlines.Ready}, {"stop-timeout", f.deadlines.Stop}, {"quit-timeout", f.deadlines.Quit}} {
		if d.value <= 0 {
			return usagef("--%s %s, want more than 0", d.flag, d.value)
		}
	}
	if given("games") && given("pairs") {
		return usagef("--games and --pairs say the same twice; give one")
	}
	texts := []struct {
		flag  string
		value string
		to    *string
	}{
		{"name", f.name, &m.Name}, {"event", f.event, &m.Event}, {"openings", f.openings, &m.Openings},
		{"until", f.until, &m.Until}, {"for", f.forText, &m.For}, {"concurrency", f.concurrency, &m.Concurrency},
		{"rules", f.rules, &m.Rules}, {"draw", f.draw, &m.Draw}, {"events", f.events, &m.Events}, {"notify", f.notify, &m.Notify},
	}
	for _, t := range texts {
		if given(t.flag) {
			*t.to = t.value
		}
	}
	numbers := []struct {
		flag  string
		value int
		to    *int
	}{
		{"seeds", f.seeds, &m.Seeds}, {"pairs", f.pairs, &m.Pairs}, {"move-limit", f.moveLimit, &m.MoveLimit},
		{"max-plies", f.maxPlies, &m.MaxPlies}, {"max-crashes", f.crashes, &m.Crashes},
	}
	for _, n := range numbers {
		if given(n.flag) {
			if n.value < 1 {
				return usagef("--%s %d, want 1 or more", n.flag, n.value)
			}
			*n.to = n.value
		}
	}
	if given("max-time-losses") {
		if !(f.timeLosses > 0 && f.timeLosses <= 100) {
			return usagef("--max-time-losses %v, want per cent above 0 up to 100", f.timeLosses)
		}
		m.TimeLosses = f.timeLosses
	}
	if given("replay-late") {
		m.ReplayLate = f.replayLate
	}
	if given("scale-tc") {
		n, err := spec.ParseCount(f.scaleTC)
		if err != nil {
			return usagef("--scale-tc: %v", err)
		}
		m.ScaleTC = n
	}
	if given("strict") {
		m.Strict = f.strict
	}
	if given("seed") {
		if err := checkSeed(f.seed); err != nil {
			return err
		}
		m.Seed, m.SeedSet = f.seed, true
	}
	if given("sprt") {
		m.SPRT, m.SPRTSet = strings.TrimSpace(f.sprt), true
	}
	if given("resign") {
		m.Resign, m.ResignSet = strings.TrimSpace(f.resign), true
	}
	if given("games") {
		if err := m.SetGames(f.games); err != nil {
			return usagef("--%v", err)
		}
	}
	return f.addEngines(cmd, m)
}

// addEngines replaces m's engines by those of the flags, if any.
func (f *arenaFlags) addEngines(cmd *cobra.Command, m *spec.Match) error {
	var each []spec.Pair
	for _, text := range f.each {
		pairs, err := spec.SplitWords(text)
		if err != nil {
			return usagef("--each %s: %v", text, err)
		}
		each = append(each, pairs...)
	}
	if len(f.engines) == 0 {
		if len(each) > 0 {
			return usagef("--each without --engine: name the engines too")
		}
		return nil
	}
	m.Engines = nil
	for _, text := range f.engines {
		pairs, err := spec.SplitWords(text)
		if err == nil {
			err = m.AddEngine(each, pairs)
		}
		if err != nil {
			return usagef("--engine %s: %v", text, err)
		}
	}
	return nil
}

// read returns the match that the flags and the config file describe.
func (f *arenaFlags) read(cmd *cobra.Command) (*spec.Match, error) {
	m := &spec.Match{}
	if f.config != "" {
		data, err := spec.ReadFile(f.config)
		if err != nil {
			return nil, usageError{err}
		}
		if m, err = spec.ParseTOML(f.config, data); err != nil {
			return nil, usageError{err}
		}
	}
	return m, f.describe(cmd, m)
}

// match returns the match that the flags and the config file describe, completed.
func (f *arenaFlags) match(cmd *cobra.Command, con *console) (*spec.Match, error) {
	m, err := f.read(cmd)
	if err != nil {
		return nil, err
	}
	notes, err := complete(m)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		con.notef("%s", n)
	}
	return m, nil
}

// complete fills in a match's defaults, and the name of its rules for an alias.
func complete(m *spec.Match) (notes []string, err error) {
	if notes, err = m.Complete(); err != nil {
		return nil, usageError{err}
	}
	rules, err := rulesOf(m.Rules, m.MoveLimit)
	if err != nil {
		return nil, usageError{err}
	}
	m.Rules = rules.Name
	return notes, nil
}

// checkSeed refuses a seed that a TOML file cannot hold.
func checkSeed(seed uint64) error {
	if seed > math.MaxInt64 {
		return usagef("--seed %d, want 0 to %d", seed, math.MaxInt64)
	}
	return nil
}

// freshSeed returns a seed that is easy to type again.
func freshSeed() uint64 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return uint64(binary.LittleEndian.Uint32(b[:]))
}

// conduct returns how the match's games are judged.
func conduct(m *spec.Match) (arena.Conduct, error) {
	rules, err := rulesOf(m.Rules, m.MoveLimit)
	if err != nil {
		return arena.Conduct{}, err
	}
	c := arena.Conduct{Rules: rules, MaxPlies: m.MaxPlies}
	if m.ResignSet {
		if c.Resign, err = arena.ParseResign(m.Resign); err != nil {
			return c, err
		}
	}
	if m.Draw != "" {
		if c.Draw, err = arena.ParseDraw(m.Draw); err != nil {
			return c, err
		}
	}
	return c, nil
}

// policy returns when the match sets an engine aside.
func policy(m *spec.Match) arena.Policy {
	p := arena.DefaultPolicy
	if m.Crashes > 0 {
		p.Crashes = m.Crashes
	}
	if m.TimeLosses > 0 {
		p.TimeLosses = m.TimeLosses / 100
	}
	return p
}

// deadline returns when --until or --for ends the sitting, the zero time if neither.
func deadline(m *spec.Match, now time.Time) (time.Time, error) {
	var end time.Time
	if m.For != "" {
		d, err := time.ParseDuration(m.For) // a bare number would be taken for hours by one and seconds by another
		if err != nil || d <= 0 {
			return end, fmt.Errorf("for %q, want a time with its unit, such as 8h, 90m or 30s", m.For)
		}
		end = now.Add(d)
	}
	if m.Until != "" {
		t, err := time.ParseInLocation("15:04", m.Until, now.Location())
		if err != nil {
			return end, fmt.Errorf("until %q, want a time of day such as 07:00", m.Until)
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
		if !at.After(now) {
			at = at.AddDate(0, 0, 1)
		}
		if end.IsZero() || at.Before(end) {
			end = at
		}
	}
	return end, nil
}

// goOn tells by which line a run is gone on with.
func goOn(command, run, db string) string {
	return fmt.Sprintf("go on with: xqlab %s --resume %s --db %s", command, run, shellWord(db))
}

// shellWord quotes a word for a shell's line where it needs it.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+:,@%=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\'\''`) + "'"
}

func absolute(path string) string {
	if p, err := filepath.Abs(path); err == nil {
		return p
	}
	return path
}
