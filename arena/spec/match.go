package spec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Match is a whole experiment as the user describes it. The zero value of a field means
// that it was not given.
type Match struct {
	Name        string
	Event       string // roundrobin (also a match of two), gauntlet or ladder
	Seeds       int    // engines of a gauntlet that meet all others, from the first
	Engines     []Engine
	Openings    string
	Pairs       int // 0: played until something else ends it
	SPRT        string
	SPRTSet     bool // --sprt may be given bare
	Until       string
	For         string
	Concurrency string
	Seed        uint64
	SeedSet     bool
	Rules       string
	MoveLimit   int
	Resign      string
	ResignSet   bool
	Draw        string
	MaxPlies    int
	Crashes     int     // an engine is set aside after so many, 0 for the default
	TimeLosses  float64 // … or at this share of its games, in per cent
	ReplayLate  bool
	Strict      bool
	ScaleTC     uint64 // nodes/s of a machine whose times these are, 0: take them as they are
	Events      string // file for the events of a sitting, "-" for standard output
	Notify      string // command that is told of the end and of failing engines
	Demo        bool   // no engine was given
}

// Defaults of a match.
const (
	DefaultRules    = "computer"
	DefaultOpenings = "balanced"
	DefaultPairs    = 50
	DefaultNodes    = 5000
	DefaultTC       = "10+0.1"
)

// words is a TOML value that may be a number, a truth value or text.
type words = any

// engineTable is an engine in a TOML file.
type engineTable struct {
	Name       words `toml:"name,omitempty"`
	Cmd        words `toml:"cmd,omitempty"`
	Args       words `toml:"args,omitempty"`
	Dir        words `toml:"dir,omitempty"`
	Conf       words `toml:"conf,omitempty"`
	Proto      words `toml:"proto,omitempty"`
	Ranks      words `toml:"ranks,omitempty"`
	TC         words `toml:"tc,omitempty"`
	MoveTime   words `toml:"movetime,omitempty"`
	ST         words `toml:"st,omitempty"`
	Nodes      words `toml:"nodes,omitempty"`
	Depth      words `toml:"depth,omitempty"`
	Plies      words `toml:"plies,omitempty"`
	TimeMargin words `toml:"timemargin,omitempty"`
	Restart    words `toml:"restart,omitempty"`
	Threads    words `toml:"threads,omitempty"`
	Hash       words `toml:"hash,omitempty"`
	Anchor     words `toml:"anchor,omitempty"`
	Weights    words `toml:"weights,omitempty"`
	Option     words `toml:"option,omitempty"` // a table, or a list of "NAME=VALUE" in order
	Param      words `toml:"param,omitempty"`
}

// file is a match in a TOML file.
type file struct {
	Name        string        `toml:"name,omitempty"`
	Event       string        `toml:"event,omitempty"`
	Seeds       int           `toml:"seeds,omitempty"`
	Openings    string        `toml:"openings,omitempty"`
	Games       int           `toml:"games,omitempty"`
	Pairs       int           `toml:"pairs,omitempty"`
	SPRT        words         `toml:"sprt,omitempty"` // text, or true for the default
	Until       string        `toml:"until,omitempty"`
	For         string        `toml:"for,omitempty"`
	Concurrency words         `toml:"concurrency,omitempty"`
	Seed        *uint64       `toml:"seed,omitempty"`
	Rules       string        `toml:"rules,omitempty"`
	MoveLimit   int           `toml:"move-limit,omitempty"`
	Resign      words         `toml:"resign,omitempty"`
	Draw        string        `toml:"draw,omitempty"`
	MaxPlies    int           `toml:"max-plies,omitempty"`
	Crashes     int           `toml:"max-crashes,omitempty"`
	TimeLosses  float64       `toml:"max-time-losses,omitempty"`
	ReplayLate  bool          `toml:"replay-late,omitempty"`
	Strict      bool          `toml:"strict,omitempty"`
	ScaleTC     uint64        `toml:"scale-tc,omitempty"`
	Events      string        `toml:"events,omitempty"`
	Notify      string        `toml:"notify,omitempty"`
	Each        *engineTable  `toml:"each,omitempty"`
	Engine      []engineTable `toml:"engine,omitempty"`
}

// pairs returns the keys of the table that are set, in the order of the struct.
func (t *engineTable) pairs() ([]Pair, error) {
	var list []Pair
	for _, f := range []struct {
		key   string
		value words
	}{
		{"name", t.Name}, {"cmd", t.Cmd}, {"args", t.Args}, {"dir", t.Dir}, {"conf", t.Conf},
		{"proto", t.Proto}, {"ranks", t.Ranks}, {"tc", t.TC}, {"movetime", t.MoveTime}, {"st", t.ST},
		{"nodes", t.Nodes}, {"depth", t.Depth}, {"plies", t.Plies}, {"timemargin", t.TimeMargin},
		{"restart", t.Restart}, {"threads", t.Threads}, {"hash", t.Hash}, {"anchor", t.Anchor}, {"weights", t.Weights},
	} {
		if f.value != nil {
			list = append(list, Pair{f.key, text(f.value)})
		}
	}
	for _, f := range []struct {
		key   string
		value words
	}{{"option", t.Option}, {"param", t.Param}} {
		more, err := optionPairs(f.key, f.value)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// optionPairs reads a table of names and values, or a list of "NAME=VALUE".
func optionPairs(key string, value words) ([]Pair, error) {
	var list []Pair
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for name, x := range v {
			list = append(list, Pair{key + "." + name, text(x)})
		}
		slices.SortFunc(list, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	case []any:
		for _, x := range v {
			name, val, ok := strings.Cut(text(x), "=")
			if !ok {
				return nil, fmt.Errorf(`%s: %q, want "NAME=VALUE"`, key, text(x))
			}
			list = append(list, Pair{key + "." + name, val})
		}
	default:
		return nil, fmt.Errorf(`%s: want a table or a list of "NAME=VALUE"`, key)
	}
	return list, nil
}

// text returns a TOML value as the user would have typed it.
func text(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case time.Time:
		return x.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// ParseTOML reads a match. Errors name the source and, where TOML knows it, the line.
func ParseTOML(source string, data []byte) (*Match, error) {
	var f file
	if err := decodeTOML(data, &f); err != nil {
		return nil, fmt.Errorf("%s:%w", source, err)
	}
	m, err := f.match()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return m, nil
}

// decodeTOML decodes strictly; its errors begin with the line.
func decodeTOML(data []byte, into any) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the mark of UTF-8 that some editors write
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	err := d.Decode(into)
	var missing *toml.StrictMissingError
	var decode *toml.DecodeError
	switch {
	case errors.As(err, &missing) && len(missing.Errors) > 0:
		e := missing.Errors[0]
		line, _ := e.Position()
		return fmt.Errorf("%d: unknown key %q", line, strings.Join(e.Key(), "."))
	case errors.As(err, &decode):
		line, _ := decode.Position()
		return fmt.Errorf("%d: %s", line, strings.TrimPrefix(decode.Error(), "toml: "))
	case err != nil:
		return fmt.Errorf("1: %w", err)
	}
	return nil
}

// match turns the file's form into the plain one.
func (f *file) match() (*Match, error) {
	m := &Match{
		Name: f.Name, Event: f.Event, Seeds: f.Seeds, Openings: f.Openings, Pairs: f.Pairs,
		Until: f.Until, For: f.For, Rules: f.Rules, MoveLimit: f.MoveLimit, Draw: f.Draw, MaxPlies: f.MaxPlies,
		Crashes: f.Crashes, TimeLosses: f.TimeLosses, ReplayLate: f.ReplayLate, Strict: f.Strict, ScaleTC: f.ScaleTC,
		Events: f.Events, Notify: f.Notify,
	}
	if f.Concurrency != nil {
		m.Concurrency = text(f.Concurrency)
	}
	if f.Seed != nil {
		m.Seed, m.SeedSet = *f.Seed, true
	}
	m.SPRT, m.SPRTSet = switchable(f.SPRT)
	m.Resign, m.ResignSet = switchable(f.Resign)
	if f.Games != 0 {
		if err := m.SetGames(f.Games); err != nil {
			return nil, err
		}
	}
	var each []Pair
	if f.Each != nil {
		var err error
		if each, err = f.Each.pairs(); err != nil {
			return nil, fmt.Errorf("[each]: %w", err)
		}
	}
	for i := range f.Engine {
		own, err := f.Engine[i].pairs()
		if err == nil {
			err = m.AddEngine(each, own)
		}
		if err != nil {
			return nil, fmt.Errorf("[[engine]] %d: %w", i+1, err)
		}
	}
	return m, nil
}

// switchable reads a value that may be text, or true for its default.
func switchable(v words) (value string, set bool) {
	switch x := v.(type) {
	case nil:
		return "", false
	case bool:
		return "", x
	default:
		return text(x), true
	}
}

// SetGames sets the number of pairs from a number of games.
func (m *Match) SetGames(games int) error {
	if games <= 0 || games%2 != 0 {
		return fmt.Errorf("games %d: games come in pairs with colours swapped; want an even number from 2, such as %d", games, max(2, games+games%2))
	}
	m.Pairs = games / 2
	return nil
}

// AddEngine adds an engine: first the words for each, then those of a conf file, then
// its own.
func (m *Match) AddEngine(each, own []Pair) error {
	e := Engine{Proto: "auto", Ranks: "auto", Threads: DefaultThreads, Hash: DefaultHash}
	e.Limits.Margin = DefaultMargin
	for _, words := range [][]Pair{each, own} {
		for _, p := range words {
			if p.Key != "conf" {
				continue
			}
			pairs, err := readConf(p.Value)
			if err != nil {
				return err
			}
			if err := e.Apply(pairs); err != nil {
				return fmt.Errorf("%s: %w", p.Value, err)
			}
		}
		if err := e.Apply(words); err != nil {
			return err
		}
	}
	e.Conf = "" // what it said is in the other fields now
	m.Engines = append(m.Engines, e)
	return nil
}

// readConf reads a file with one engine's table.
func readConf(path string) ([]Pair, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("conf: %w", err)
	}
	var t engineTable
	if err := decodeTOML(data, &t); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	pairs, err := t.pairs()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pairs, nil
}

// Complete fills in defaults and checks the whole. Notes are lines to tell the user.
func (m *Match) Complete() (notes []string, err error) {
	if len(m.Engines) == 0 {
		m.demo()
		notes = append(notes, "no engine given: two built-in configurations play each other, deep with 12,000 nodes a move against quick with 6,000")
	}
	if len(m.Engines) == 1 {
		return nil, fmt.Errorf("one engine given (%s), want two or more: add another --engine", m.Engines[0].label())
	}
	m.Event = orElse(m.Event, "roundrobin")
	if !slices.Contains([]string{"roundrobin", "gauntlet", "ladder"}, m.Event) {
		return nil, fmt.Errorf("event %q, want roundrobin, gauntlet or ladder", m.Event)
	}
	if m.Seeds > 0 && m.Event != "gauntlet" {
		return nil, fmt.Errorf("seeds %d are of a gauntlet, the event is %s: add event gauntlet, or leave seeds out", m.Seeds, m.Event)
	}
	if m.Event == "gauntlet" && m.Seeds >= len(m.Engines) {
		return nil, fmt.Errorf("seeds %d of %d engines leave no opponents, want 1 to %d", m.Seeds, len(m.Engines), len(m.Engines)-1)
	}
	if anchored := slices.IndexFunc(m.Engines, func(e Engine) bool { return e.Anchor != nil }); anchored >= 0 && len(m.Engines) == 2 {
		notes = append(notes, fmt.Sprintf("the anchor of %s is not used: a match of two tells a difference, ratings are of three engines or more", m.Engines[anchored].label()))
	}
	m.Rules = orElse(m.Rules, DefaultRules)
	m.Openings = orElse(m.Openings, DefaultOpenings)
	m.Concurrency = orElse(m.Concurrency, "auto")
	if m.SPRTSet && len(m.Engines) != 2 {
		return nil, fmt.Errorf("sprt compares two engines, %d are given", len(m.Engines))
	}
	if m.Pairs < 0 {
		return nil, fmt.Errorf("pairs %d, want 1 or more", m.Pairs)
	}
	if m.Pairs == 0 && !m.SPRTSet && m.Until == "" && m.For == "" {
		m.Pairs = DefaultPairs
		notes = append(notes, fmt.Sprintf("no end given: %d pairs (%d games) for each two engines", m.Pairs, 2*m.Pairs))
	}
	m.nameEngines()
	return append(notes, m.limitDefaults()...), m.checkLimits()
}

func orElse(v, other string) string {
	if v == "" {
		return other
	}
	return v
}

// demo is the match that is played when nothing is asked for.
func (m *Match) demo() {
	m.Demo = true
	for _, e := range [][]Pair{{{"name", "deep"}, {"nodes", "12k"}}, {{"name", "quick"}, {"nodes", "6k"}}} {
		if err := m.AddEngine(nil, e); err != nil {
			panic("spec: the built-in match is not valid: " + err.Error())
		}
	}
}

// label names an engine before it has a name.
func (e *Engine) label() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Cmd != "":
		return e.Cmd
	}
	return "built-in"
}

// nameEngines gives every engine a name of its own.
func (m *Match) nameEngines() {
	seen := map[string]bool{}
	for i := range m.Engines {
		e := &m.Engines[i]
		base := e.Name
		if base == "" {
			base = e.label()
			if k := strings.LastIndexAny(base, `/\`); k >= 0 && k+1 < len(base) {
				base = base[k+1:]
			}
		}
		name := base
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		seen[name] = true
		e.Name = name
	}
}

// limitDefaults gives engines without any limit the default one.
func (m *Match) limitDefaults() (notes []string) {
	external := slices.ContainsFunc(m.Engines, func(e Engine) bool { return !e.BuiltIn() })
	var named []string
	for i := range m.Engines {
		e := &m.Engines[i]
		if e.Limits.Timed() || e.Limits.Nodes > 0 || e.Limits.Depth > 0 {
			continue
		}
		named = append(named, e.Name)
		if external {
			e.Limits.Time, e.Limits.Inc = 10*time.Second, 100*time.Millisecond
		} else {
			e.Limits.Nodes = DefaultNodes
		}
	}
	if len(named) == 0 {
		return nil
	}
	limit := "tc=" + DefaultTC
	if !external {
		limit = fmt.Sprintf("nodes=%d", DefaultNodes)
	}
	return []string{fmt.Sprintf("no limit given for %s: %s", strings.Join(named, ", "), limit)}
}

func (m *Match) checkLimits() error {
	for _, e := range m.Engines {
		switch {
		case e.Limits.Time > 0 && e.Limits.MoveTime > 0:
			return fmt.Errorf("engine %s has tc and movetime, want one of them", e.Name)
		case !e.BuiltIn() && (len(e.Params) > 0 || e.Weights != ""):
			return fmt.Errorf("engine %s: param. and weights are for the built-in engine; an external one takes option.NAME=VALUE", e.Name)
		case e.BuiltIn() && (e.Args != "" || e.Dir != "" || e.Proto != "auto"):
			return fmt.Errorf("engine %s: args, dir and proto are for an external engine; give its cmd=PATH", e.Name)
		}
	}
	return nil
}

// TOML returns the canonical text of a completed match: equal matches give equal texts.
func (m *Match) TOML() ([]byte, error) {
	f := file{
		Name: m.Name, Event: m.Event, Seeds: m.Seeds, Openings: m.Openings, Pairs: m.Pairs,
		Until: m.Until, For: m.For, Concurrency: m.Concurrency, Rules: m.Rules, MoveLimit: m.MoveLimit,
		Draw: m.Draw, MaxPlies: m.MaxPlies, Crashes: m.Crashes, TimeLosses: m.TimeLosses,
		ReplayLate: m.ReplayLate, Strict: m.Strict, ScaleTC: m.ScaleTC, Events: m.Events, Notify: m.Notify,
		SPRT: switchValue(m.SPRT, m.SPRTSet), Resign: switchValue(m.Resign, m.ResignSet),
	}
	if m.SeedSet {
		f.Seed = &m.Seed
	}
	for i := range m.Engines {
		f.Engine = append(f.Engine, m.Engines[i].table())
	}
	data, err := toml.Marshal(&f)
	if err != nil {
		return nil, fmt.Errorf("writing the match as TOML: %w", err)
	}
	return data, nil
}

func switchValue(value string, set bool) words {
	switch {
	case !set:
		return nil
	case value == "":
		return true
	}
	return value
}

// table returns the engine as a TOML table.
func (e *Engine) table() engineTable {
	t := engineTable{
		Name: textOrNil(e.Name), Cmd: textOrNil(e.Cmd), Args: textOrNil(e.Args), Dir: textOrNil(e.Dir),
		Proto: textOrNil(e.Proto), Ranks: textOrNil(e.Ranks), Weights: textOrNil(e.Weights),
		Threads: e.Threads, Hash: e.Hash, TimeMargin: e.Limits.Margin.String(),
	}
	if l := e.Limits; l.Time > 0 {
		t.TC = TimeControl{l.MovesTo, l.Time, l.Inc}.String()
	}
	if d := e.Limits.MoveTime; d > 0 {
		t.MoveTime = seconds(d)
	}
	if n := e.Limits.Nodes; n > 0 {
		t.Nodes = int64(n)
	}
	if d := e.Limits.Depth; d > 0 {
		t.Depth = d
	}
	if e.Restart {
		t.Restart = "on"
	}
	if e.Anchor != nil {
		t.Anchor = *e.Anchor
	}
	t.Option, t.Param = optionList(e.Options), optionList(e.Params)
	return t
}

func textOrNil(s string) words {
	if s == "" {
		return nil
	}
	return s
}

func optionList(options []Option) words {
	if len(options) == 0 {
		return nil
	}
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = o.Name + "=" + o.Value
	}
	return list
}

// LimitText returns an engine's limits in the words that set them.
func (e *Engine) LimitText() string {
	var parts []string
	l := e.Limits
	if l.Time > 0 {
		parts = append(parts, "tc="+TimeControl{l.MovesTo, l.Time, l.Inc}.String())
	}
	if l.MoveTime > 0 {
		parts = append(parts, "movetime="+seconds(l.MoveTime))
	}
	if l.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("nodes=%d", l.Nodes))
	}
	if l.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth=%d", l.Depth))
	}
	return strings.Join(parts, " ")
}
