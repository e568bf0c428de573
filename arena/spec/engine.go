package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xqlab/xqlab/arena"
)

// Option is a named value for an engine.
type Option struct{ Name, Value string }

// Engine is one engine's configuration. A missing Cmd means the built-in engine.
type Engine struct {
	Name    string
	Cmd     string
	Args    string
	Dir     string
	Conf    string
	Proto   string
	Ranks   string
	Limits  arena.Limits
	Restart bool
	Threads int
	Hash    int // MB
	Anchor  *float64
	Weights string // file, for the built-in engine
	Options []Option
	Params  []Option // for the built-in engine
	margin  bool     // a margin was given
}

// Defaults of an engine's keys.
const (
	DefaultThreads = 1
	DefaultHash    = 16
	DefaultMargin  = 50 * time.Millisecond
)

// BuiltIn reports whether the engine is xqlab's own.
func (e *Engine) BuiltIn() bool { return e.Cmd == "" }

// setter puts a value, given as text, into an engine.
type setter func(e *Engine, value string) error

// keys are the words that may stand before "=" in an engine's specification.
var keys = map[string]setter{
	"name":    func(e *Engine, v string) error { return setText(&e.Name, v) },
	"cmd":     func(e *Engine, v string) error { return setText(&e.Cmd, v) },
	"args":    func(e *Engine, v string) error { return setText(&e.Args, v) },
	"dir":     func(e *Engine, v string) error { return setText(&e.Dir, v) },
	"conf":    func(e *Engine, v string) error { return setText(&e.Conf, v) },
	"weights": func(e *Engine, v string) error { return setText(&e.Weights, v) },
	"proto":   func(e *Engine, v string) error { return setOneOf(&e.Proto, v, "auto", "uci", "ucci", "cyclone") },
	"ranks":   func(e *Engine, v string) error { return setOneOf(&e.Ranks, v, "auto", "0", "1") },
	"tc":      setTC,
	"movetime": func(e *Engine, v string) error {
		return setDuration(&e.Limits.MoveTime, v)
	},
	"timemargin": setMargin,
	"nodes":      setNodes,
	"depth":      func(e *Engine, v string) error { return setInt(&e.Limits.Depth, v, 1, 200) },
	"threads":    func(e *Engine, v string) error { return setInt(&e.Threads, v, 1, 1024) },
	"hash":       func(e *Engine, v string) error { return setInt(&e.Hash, v, 1, 1<<20) },
	"restart":    setRestart,
	"anchor":     setAnchor,
}

// aliases are other runners' names of keys.
var aliases = map[string]string{"st": "movetime", "plies": "depth", "protocol": "proto"}

func setText(p *string, v string) error {
	if v == "" {
		return fmt.Errorf("a value is missing after =")
	}
	*p = v
	return nil
}

func setOneOf(p *string, v string, allowed ...string) error {
	if !slices.Contains(allowed, v) {
		return fmt.Errorf("%q, want %s", v, strings.Join(allowed, ", "))
	}
	*p = v
	return nil
}

func setInt(p *int, v string, low, high int) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		return fmt.Errorf("%q, want a number from %d to %d", v, low, high)
	}
	*p = n
	return nil
}

func setDuration(p *time.Duration, v string) error {
	d, err := ParseDuration(v)
	if err != nil {
		return err
	}
	if d <= 0 {
		return fmt.Errorf("%q, want more than 0", v)
	}
	*p = d
	return nil
}

func setTC(e *Engine, v string) error {
	if v == "inf" || v == "infinite" {
		e.Limits.MovesTo, e.Limits.Time, e.Limits.Inc = 0, 0, 0
		return nil
	}
	tc, err := ParseTimeControl(v)
	if err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "tc="))
	}
	e.Limits.MovesTo, e.Limits.Time, e.Limits.Inc = tc.Moves, tc.Time, tc.Inc
	return nil
}

func setNodes(e *Engine, v string) (err error) {
	e.Limits.Nodes, err = ParseCount(v)
	return err
}

// setMargin reads milliseconds, or a duration with a unit.
func setMargin(e *Engine, v string) error {
	e.margin = true
	if ms, err := strconv.Atoi(v); err == nil && ms >= 0 && ms <= 60_000 {
		e.Limits.Margin = time.Duration(ms) * time.Millisecond
		return nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > time.Minute {
		return fmt.Errorf("%q, want milliseconds from 0 to 60000", v)
	}
	e.Limits.Margin = d
	return nil
}

func setRestart(e *Engine, v string) error {
	switch v {
	case "on", "true", "1":
		e.Restart = true
	case "off", "false", "0", "auto":
		e.Restart = false
	default:
		return fmt.Errorf("%q, want on or off", v)
	}
	return nil
}

func setAnchor(e *Engine, v string) error {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || f != f || f < -10_000 || f > 10_000 {
		return fmt.Errorf("%q, want an Elo number from -10000 to 10000", v)
	}
	e.Anchor = &f
	return nil
}

// set puts one key's value into e.
func (e *Engine) set(key, value string) error {
	if name, ok := strings.CutPrefix(key, "option."); ok && (strings.EqualFold(name, "hash") || strings.EqualFold(name, "threads")) {
		key = strings.ToLower(name) // the keys of these names, so that what is printed is what is sent
	}
	if name, ok := strings.CutPrefix(key, "option."); ok && name != "" {
		e.Options = setOption(e.Options, name, value)
		return nil
	}
	if name, ok := strings.CutPrefix(key, "param."); ok && name != "" {
		e.Params = setOption(e.Params, name, value)
		return nil
	}
	if a, ok := aliases[key]; ok {
		key = a
	}
	f, ok := keys[key]
	if !ok {
		return fmt.Errorf("unknown key %q; did you mean %q?", key, Nearest(key, keyNames()))
	}
	if err := f(e, value); err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	return nil
}

func setOption(list []Option, name, value string) []Option {
	for i := range list {
		if list[i].Name == name {
			list[i].Value = value
			return list
		}
	}
	return append(list, Option{name, value})
}

func keyNames() []string {
	names := []string{"option.NAME", "param.NAME"}
	for k := range keys {
		names = append(names, k)
	}
	for k := range aliases {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// knownKey reports whether text, which ends before "=", is a key.
func knownKey(text string) bool {
	if strings.HasPrefix(text, "option.") || strings.HasPrefix(text, "param.") {
		return true
	}
	if _, ok := keys[text]; ok {
		return true
	}
	_, ok := aliases[text]
	return ok
}

// Pair is a key and its value as given.
type Pair struct{ Key, Value string }

// SplitWords splits "k=v,k=v" before known keys only, so that values may hold commas;
// "\," is always a literal comma.
func SplitWords(text string) ([]Pair, error) {
	var pairs []Pair
	for len(text) > 0 {
		word, rest, err := nextWord(text)
		if err != nil {
			return nil, err
		}
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q has no =; expected key=value with one of the keys %s", word, strings.Join(keyNames(), " "))
		}
		pairs = append(pairs, Pair{strings.TrimSpace(key), strings.ReplaceAll(value, `\,`, ",")})
		text = rest
	}
	return pairs, nil
}

// nextWord cuts text before the first comma that a known key follows.
func nextWord(text string) (word, rest string, err error) {
	for i := 1; i < len(text); i++ {
		if text[i] != ',' || text[i-1] == '\\' {
			continue
		}
		key, _, ok := strings.Cut(text[i+1:], "=")
		switch {
		case ok && knownKey(strings.TrimSpace(key)):
			return text[:i], text[i+1:], nil
		case ok && plainWord(key):
			return "", "", fmt.Errorf(`unknown key %q; did you mean %q? (a literal comma is written \,)`, key, Nearest(key, keyNames()))
		}
	}
	return text, "", nil
}

// plainWord reports whether a text could have been meant as a key.
func plainWord(text string) bool {
	for _, r := range text {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '.') {
			return false
		}
	}
	return text != ""
}

// JoinWords is the inverse of SplitWords for words that a shell has already split.
func JoinWords(words []string) string {
	escaped := make([]string, len(words))
	for i, w := range words {
		escaped[i] = strings.ReplaceAll(w, ",", `\,`)
	}
	return strings.Join(escaped, ",")
}

// Apply puts the words of a specification into e.
func (e *Engine) Apply(pairs []Pair) error {
	for _, p := range pairs {
		if err := e.set(p.Key, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// Nearest returns the candidate with the smallest edit distance to word.
func Nearest(word string, candidates []string) string {
	best, least := "", 1<<30
	for _, c := range candidates {
		if d := Distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// Distance is Levenshtein's edit distance in bytes, upper and lower case the same.
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
