package uci

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/search"
)

// Bounds of the options.
const (
	maxHash     = 32768 // MiB
	maxThreads  = 256
	maxOverhead = 5000 // ms
	maxLines    = 128
	embedded    = "<embedded>"
)

// ruleSets are the values of the option Rules.
var ruleSets = []string{"computer", "axf", "ucci-league", "check-only"}

// settings are the values of all options.
type settings struct {
	hash, threads, lines int
	overhead             int // ms
	weights              string
	rules                string
	ponder               bool
	milliseconds         bool // UCCI's times
	params               search.Params
}

func defaultSettings() settings {
	return settings{hash: search.DefaultHashMB, threads: 1, lines: 1, overhead: 20, weights: embedded, rules: "computer", params: search.DefaultParams()}
}

// option is a setting as the protocols declare and set it.
type option struct {
	name     string
	ucci     string // UCCI's name for it, "" for the same with _ for blanks
	kind     string // spin, check, combo, string, button
	value    string
	min, max int
	choices  []string
	set      func(value string) error
	rebuild  bool // the engine has to be made anew
}

// list returns all options with their present values.
func (t *settings) list() []option {
	spin := func(name, ucci string, v *int, least, most int, rebuild bool) option {
		return option{name: name, ucci: ucci, kind: "spin", value: strconv.Itoa(*v), min: least, max: most, rebuild: rebuild,
			set: func(s string) (err error) { *v, err = number(s, least, most); return }}
	}
	check := func(name, ucci string, v *bool) option {
		return option{name: name, ucci: ucci, kind: "check", value: strconv.FormatBool(*v),
			set: func(s string) (err error) { *v, err = truth(s); return }}
	}
	list := []option{
		spin("Threads", "threads", &t.threads, 1, maxThreads, true),
		spin("Hash", "hashsize", &t.hash, 1, maxHash, true),
		{name: "Clear Hash", ucci: "newgame", kind: "button"},
		check("Ponder", "ponder", &t.ponder),
		spin("MultiPV", "", &t.lines, 1, maxLines, false),
		spin("Move Overhead", "", &t.overhead, 0, maxOverhead, false),
		{name: "Rules", kind: "combo", value: t.rules, choices: ruleSets, set: t.setRules},
		{name: "Weights", kind: "string", value: t.weights, rebuild: true, set: t.setWeights},
		check("usemillisec", "usemillisec", &t.milliseconds),
	}
	for _, p := range search.ParamList() {
		v, _ := t.params.Get(p.Name) // listed, so known
		list = append(list, option{name: p.Name, kind: "spin", value: strconv.Itoa(v), min: p.Min, max: p.Max, rebuild: true,
			set: func(s string) error {
				n, err := number(s, p.Min, p.Max)
				if err != nil {
					return err
				}
				return t.params.Set(p.Name, n)
			}})
	}
	return list
}

func (t *settings) setRules(s string) error {
	if _, err := referee.Named(s); err != nil {
		return err
	}
	t.rules = s
	return nil
}

// setWeights takes a file only if it can be read.
func (t *settings) setWeights(s string) error {
	if s == "" {
		s = embedded
	}
	old := t.weights
	t.weights = s
	if _, err := t.loadWeights(); err != nil {
		t.weights = old
		return err
	}
	return nil
}

func (t *settings) loadWeights() (*eval.Weights, error) {
	if t.weights == embedded {
		return eval.Default(), nil
	}
	f, err := os.Open(t.weights)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	defer f.Close()
	w, err := eval.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.weights, err)
	}
	return w, nil
}

func number(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return least, fmt.Errorf("value %q, want a number from %d to %d", clip(s), least, most)
	}
	return n, nil
}

func truth(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("value %q, want true or false", clip(s))
}

// ucciName returns the option's name in UCCI, which has no blanks.
func (o *option) ucciName() string {
	if o.ucci != "" {
		return o.ucci
	}
	return strings.ReplaceAll(o.name, " ", "_")
}

// declare returns the line that announces the option.
func (o *option) declare(ucci bool) string {
	var b strings.Builder
	if ucci {
		fmt.Fprintf(&b, "option %s type %s", o.ucciName(), o.kind)
	} else {
		fmt.Fprintf(&b, "option name %s type %s", o.name, o.kind)
	}
	if o.kind == "spin" && ucci {
		fmt.Fprintf(&b, " min %d max %d default %s", o.min, o.max, o.value)
		return b.String()
	}
	if ucci {
		for _, c := range o.choices {
			fmt.Fprintf(&b, " var %s", c)
		}
	}
	if o.kind != "button" {
		fmt.Fprintf(&b, " default %s", o.value)
	}
	if o.kind == "spin" {
		fmt.Fprintf(&b, " min %d max %d", o.min, o.max)
	}
	if !ucci {
		for _, c := range o.choices {
			fmt.Fprintf(&b, " var %s", c)
		}
	}
	return b.String()
}

// setOption carries out "name N [value V]" (UCI) or "N [V]" (UCCI).
func (s *session) setOption(f []string) error {
	name, value := strings.Join(f, " "), ""
	if len(f) > 0 && f[0] == "name" {
		name = strings.Join(f[1:], " ")
		if before, after, ok := strings.Cut(name, " value "); ok {
			name, value = before, after
		} else {
			name = strings.TrimSuffix(name, " value")
		}
	} else if len(f) > 1 {
		name, value = f[0], strings.Join(f[1:], " ")
	}
	if name == "" {
		return errors.New("setoption without a name")
	}
	for _, o := range s.options.list() {
		if !strings.EqualFold(o.name, name) && !strings.EqualFold(o.ucciName(), name) {
			continue
		}
		if o.kind == "button" {
			return s.forget()
		}
		before := s.options.hash
		if err := o.set(value); err != nil {
			return fmt.Errorf("option %s: %w", o.name, err)
		}
		if s.room != nil && s.options.hash > before {
			if err := s.room(s.options.hash); err != nil {
				s.options.hash = before
				return fmt.Errorf("option %s: %w; it stays %d", o.name, err, before)
			}
		}
		if o.rebuild {
			s.engine = nil
		}
		return nil
	}
	return fmt.Errorf("no option %q", clip(name))
}
