package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/arena/spec"
)

// parseOption reads a declaration: UCI's "option name N type T …" or UCCI's "option N type
// T …". Names may hold blanks.
func parseOption(line string, ucci bool) (Declared, bool) {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "option" {
		return Declared{}, false
	}
	words = words[1:]
	if words[0] == "name" && (!ucci || len(words) > 1 && words[1] != "type") {
		words = words[1:]
	}
	var d Declared
	t := slices.Index(words, "type")
	if t < 1 || t+1 >= len(words) {
		return d, false
	}
	d.Name, d.Type = strings.Join(words[:t], " "), words[t+1]
	key, from := "", t+2
	flush := func(to int) { d.set(key, strings.Join(words[from:to], " ")) }
	for i := t + 2; i < len(words); i++ {
		switch words[i] {
		case "default", "min", "max", "var":
			flush(i)
			key, from = words[i], i+1
		}
	}
	flush(len(words))
	return d, true
}

func (d *Declared) set(key, value string) {
	switch key {
	case "default":
		d.Default = value
	case "min":
		d.Min, _ = strconv.ParseInt(value, 10, 64)
	case "max":
		d.Max, _ = strconv.ParseInt(value, 10, 64)
	case "var":
		d.Vars = append(d.Vars, value)
	}
}

// sameName compares option names as protocols do: letter case does not count, and UCCI's
// names have '_' for blanks.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", " "), strings.ReplaceAll(b, "_", " "))
}

// declared returns the declaration of the first of the names that the engine knows.
func (id *Identity) declared(names ...string) *Declared {
	for _, n := range names {
		for i := range id.Options {
			if sameName(id.Options[i].Name, n) {
				return &id.Options[i]
			}
		}
	}
	return nil
}

// fault says what is wrong with a value, empty when nothing is.
func (d *Declared) fault(value string) string {
	switch d.Type {
	case "spin":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "want a whole number"
		}
		if d.Min < d.Max && (n < d.Min || n > d.Max) {
			return fmt.Sprintf("want %d to %d", d.Min, d.Max)
		}
	case "check":
		if !slices.Contains([]string{"true", "false", "on", "off"}, strings.ToLower(value)) {
			return "want true or false"
		}
	case "combo":
		same := func(v string) bool { return strings.EqualFold(v, value) }
		if len(d.Vars) > 0 && !slices.ContainsFunc(d.Vars, same) {
			return "want one of " + clip(strings.Join(d.Vars, ", "), 80)
		}
	}
	return ""
}

// plan is what will be set, and what is to be said about it.
type plan struct {
	id       *Identity
	cfg      *Config
	set      []Option
	warnings []string
}

func (p *plan) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// add sets an option under its declared name.
func (p *plan) add(d *Declared, value string) { p.set = append(p.set, Option{d.Name, value}) }

// planOptions decides what to set: the variant, Threads before Hash, rule options, then
// the configured ones. It fails when the engine cannot play Xiangqi or, with Strict, when
// an option is not as declared.
func planOptions(id *Identity, cfg *Config) (*plan, error) {
	p := &plan{id: id, cfg: cfg}
	if err := p.variant(); err != nil {
		return nil, err
	}
	p.protocolOptions()
	p.resources()
	p.rules()
	for _, o := range cfg.Options {
		if err := p.configured(o); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// given reports whether the configuration sets one of the options itself.
func (p *plan) given(names ...string) bool {
	return slices.ContainsFunc(p.cfg.Options, func(o Option) bool {
		return slices.ContainsFunc(names, func(n string) bool { return sameName(o.Name, n) })
	})
}

// variant makes an engine of many games play this one.
func (p *plan) variant() error {
	d := p.id.declared("UCI_Variant")
	if d == nil {
		return nil
	}
	const want = "xiangqi"
	if !slices.Contains(d.Vars, want) && d.Default != want {
		return fmt.Errorf("its UCI_Variant has no xiangqi (it is a build for small boards?); it has %s", clip(strings.Join(d.Vars, " "), 60))
	}
	for _, o := range p.cfg.Options {
		if sameName(o.Name, "UCI_Variant") && o.Value != want {
			return fmt.Errorf("option UCI_Variant=%s: want %s", clip(o.Value, 40), want)
		}
	}
	if d.Default != want || p.id.Proto != UCCI {
		p.add(d, want)
	}
	return nil
}

// protocolOptions sets what the talk itself depends on.
func (p *plan) protocolOptions() {
	if p.id.Proto != UCCI {
		return
	}
	for _, o := range []Option{{"usemillisec", "true"}, {"ponder", "false"}} {
		if d := p.id.declared(o.Name); d != nil && !p.given(o.Name) {
			p.add(d, o.Value)
		}
	}
}

// resources sets Threads and then Hash: engines allot the table with their threads.
func (p *plan) resources() {
	p.resource(p.cfg.Threads, "Threads", "threads")
	p.resource(p.cfg.HashMB, "Hash", "hashsize")
}

func (p *plan) resource(n int, names ...string) {
	if n <= 0 || p.given(names...) {
		return
	}
	d := p.id.declared(names...)
	if d == nil && p.id.fairyUCCI() {
		d = &Declared{Name: names[0]} // taken, though not listed in this protocol
	}
	if d == nil {
		if n > 1 {
			p.warn("it has no option %s, %d is not set", names[0], n)
		}
		return
	}
	if why := d.fault(strconv.Itoa(n)); why != "" {
		p.warn("option %s=%d: %s", d.Name, n, why)
	}
	p.add(d, strconv.Itoa(n))
}

// fairyUCCI reports whether this is Fairy-Stockfish speaking UCCI: it counts milliseconds
// without having declared usemillisec, and hides a few options.
func (id *Identity) fairyUCCI() bool {
	return id.Proto == UCCI && id.declared("UCI_Variant") != nil
}

// configured sets an option of the configuration.
func (p *plan) configured(o Option) error {
	if sameName(o.Name, "UCI_Variant") && p.id.declared(o.Name) != nil {
		return nil // done first
	}
	d := p.id.declared(o.Name)
	if d == nil && p.id.Proto == UCCI && sameName(o.Name, "Hash") {
		d = p.id.declared("hashsize")
	}
	if d == nil {
		text := fmt.Sprintf("it has no option %q", clip(o.Name, 60))
		if n := p.id.nearest(o.Name); n != "" {
			text += fmt.Sprintf("; the nearest is %q", n)
		}
		if p.cfg.Strict {
			return fmt.Errorf("%s", text)
		}
		p.warn("%s; sent all the same", text)
		d = &Declared{Name: o.Name}
	}
	if why := d.fault(o.Value); why != "" {
		text := fmt.Sprintf("option %s=%s: %s", d.Name, clip(o.Value, 60), why)
		if p.cfg.Strict {
			return fmt.Errorf("%s", text)
		}
		p.warn("%s; sent all the same", text)
	}
	p.add(d, o.Value)
	return nil
}

// nearest returns the declared name that is spelt most like name, empty when none is near.
func (id *Identity) nearest(name string) string {
	best, least := "", 1+len(name)/2
	for i := range id.Options {
		if n := spec.Distance(name, id.Options[i].Name); n < least {
			best, least = id.Options[i].Name, n
		}
	}
	return best
}

// ruleValues are the values of a declared "Repetition Rule" that come nearest to the
// referee's rule sets.
var ruleValues = map[string]string{
	"computer": "ComputerRule", "axf": "AsianRule", "asian": "AsianRule", "check-only": "AllowChase",
}

// rules sets a declared rule option to match the referee, or warns.
func (p *plan) rules() {
	if p.cfg.Rules == "" {
		return
	}
	matched := false
	if d := p.id.declared("Rules"); d != nil && d.fault(p.cfg.Rules) == "" { // xqlab's own name for it
		matched = true
		p.auto(d, p.cfg.Rules)
	}
	if d := p.id.declared("Repetition Rule"); d != nil {
		value := ruleValues[p.cfg.Rules]
		matched = value != "" && d.fault(value) == ""
		if matched {
			p.auto(d, value)
		}
	}
	if d := p.id.declared("Strict Three Fold"); d != nil {
		p.auto(d, "true")
	}
	p.moveLimit()
	if !matched && !p.given("Repetition Rule") {
		p.warn("no option of it sets the rules %s: it may see repetitions otherwise than the referee", p.cfg.Rules)
	}
}

// moveLimit sets a declared limit of moves without a capture.
func (p *plan) moveLimit() {
	limit := p.cfg.MoveLimit
	if limit <= 0 {
		return
	}
	if d := p.id.declared("Sixty Move Rule"); d != nil {
		p.auto(d, "true")
	}
	value := strconv.Itoa(limit)
	if d := p.id.declared("Rule60MaxPly"); d != nil && d.fault(value) == "" {
		p.auto(d, value)
	}
}

// auto sets an option unless the configuration does.
func (p *plan) auto(d *Declared, value string) {
	if !p.given(d.Name) {
		p.add(d, value)
	}
}
