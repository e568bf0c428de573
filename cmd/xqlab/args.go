package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/xqlab/xqlab/arena/spec"
)

// didYouMean returns a question for the candidate most like word, written as format says; empty where
// none is like it.
func didYouMean(word, format string, candidates []string) string {
	n := spec.Nearest(word, candidates)
	if n == "" || spec.Distance(word, n) > max(len(word)/2, 1) {
		return ""
	}
	return fmt.Sprintf("; did you mean "+format+"?", n)
}

// flagError names the nearest flag for an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		question := didYouMean(name, "--%s", names)
		return usagef("unknown flag --%s of %s%s", name, cmd.CommandPath(), orElse(question, "; "+cmd.CommandPath()+" --help lists all"))
	}
	return usageError{fmt.Errorf("%s: %w", cmd.CommandPath(), err)}
}

// ignoredWords are other runners' flags that change nothing here, with the reason.
var ignoredWords = map[string]string{
	"recover":            "an engine that fails is always restarted",
	"repeat":             "games always come in pairs with colours swapped",
	"force-concurrency":  "--concurrency N is taken as given",
	"variant":            "xqlab plays Xiangqi only",
	"ratinginterval":     "the progress line always shows the rating",
	"scoreinterval":      "the progress line always shows the score",
	"outcomeinterval":    "the progress line always shows the score",
	"autosaveinterval":   "every game is stored when it ends",
	"report":             "the report always shows the pentanomial",
	"site":               "not stored",
	"output":             "the report has one form, and --json",
	"show-latency":       "wall, processor and delay times of every move are stored",
	"wait":               "not needed",
	"startup-ms":         "engines have 15 s to start",
	"ping-ms":            "engines have 15 s to be ready",
	"ucinewgame-ms":      "engines have 15 s to be ready",
	"crc32":              "not needed",
	"debug":              "--log DIR keeps all that engines say",
	"strict-pv":          "not needed",
	"check-mate-pvs":     "not needed",
	"noswap":             "games always come in pairs with colours swapped",
	"reverse":            "games always come in pairs with colours swapped",
	"testEnv":            "not needed",
	"randomseed":         "a run has a fresh random seed unless --seed is given",
	"tournament-variant": "not needed",
}

// wordFlags are flags of other runners that take words up to the next flag.
var wordFlags = map[string]bool{"engine": true, "each": true, "openings": true, "sprt": true, "resign": true, "draw": true, "pgnout": true, "pgn": true, "config": true, "resume": true, "affinity": true, "use-affinity": true}

// translate turns the words that people know from other match runners (-engine cmd=x
// name=y, -rounds N, …) into long flags. Only the arena takes them.
func translate(args []string) (out, notices []string, err error) {
	switch {
	case len(args) > 0 && (args[0] == "selfplay" || args[0] == "tune"):
		return hangValues(args, "--resume", "--sprt"), nil, nil
	case len(args) == 0 || args[0] != "arena":
		return args, nil, nil
	}
	t := translator{out: []string{"arena"}}
	for rest := args[1:]; len(rest) > 0; {
		if rest, err = t.next(rest); err != nil {
			return nil, nil, usageError{err}
		}
	}
	t.finish()
	return t.out, t.notices, t.err
}

// hangValues hangs the values of flags that may stand bare on them: "--resume RUN" becomes
// "--resume=RUN".
func hangValues(args []string, flags ...string) (out []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if i+1 < len(args) && slices.Contains(flags, a) && len(wordsOf(args[i+1:i+2])) == 1 {
			i++
			a += "=" + args[i]
		}
		out = append(out, a)
	}
	return out
}

type translator struct {
	out, notices  []string
	rounds, games int
	err           error
}

// next translates the first flag of args and returns the rest.
func (t *translator) next(args []string) ([]string, error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	single := singleDash(args[0])
	if !single && !(strings.HasPrefix(args[0], "--") && wordFlags[name] && !hasValue) {
		t.out = append(t.out, args[0])
		return args[1:], nil
	}
	if hasValue && single {
		t.out = append(t.out, "--"+name+"="+value)
		return args[1:], nil
	}
	words := wordsOf(args[1:])
	rest := args[1+len(words):]
	if why, ok := ignoredWords[name]; ok {
		t.notices = append(t.notices, fmt.Sprintf("-%s is ignored: %s", name, why))
		return rest, nil
	}
	if wordFlags[name] {
		return rest, t.words(name, words)
	}
	return t.one(name, args[1:])
}

// singleDash reports whether a word is a long name behind one dash.
func singleDash(word string) bool {
	return len(word) > 2 && word[0] == '-' && isLetter(word[1])
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// wordsOf returns the words up to the next flag.
func wordsOf(args []string) []string {
	for i, a := range args {
		if len(a) > 1 && a[0] == '-' && (isLetter(a[1]) || a[1] == '-') {
			return args[:i]
		}
	}
	return args
}

// words translates a flag that takes words.
func (t *translator) words(name string, words []string) error {
	switch name {
	case "use-affinity":
		return t.words("affinity", words)
	case "pgnout", "pgn":
		return t.pgn(words)
	case "openings":
		return t.openings(words)
	case "sprt", "resign", "resume", "affinity":
		// these may stand bare, so their value must hang on the flag
		if len(words) == 0 {
			t.out = append(t.out, "--"+name)
			return nil
		}
		t.out = append(t.out, "--"+name+"="+strings.Join(words, ","))
		return nil
	case "draw", "config":
		t.out = append(t.out, "--"+name+"="+strings.Join(words, ","))
		return nil
	}
	if len(words) == 0 {
		return fmt.Errorf("-%s needs words after it, such as cmd=./engine name=dev", name)
	}
	for _, w := range words {
		if !strings.Contains(w, "=") {
			return fmt.Errorf("-%s: %q has no =; its words are key=value", name, w)
		}
	}
	value := words[0]
	if len(words) > 1 {
		value = spec.JoinWords(words)
	}
	t.out = append(t.out, "--"+name, value)
	return nil
}

func (t *translator) pgn(words []string) error {
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		switch {
		case !ok:
			t.out = append(t.out, "--pgn", w)
		case key == "file":
			t.out = append(t.out, "--pgn", value)
		default:
			t.notices = append(t.notices, fmt.Sprintf("-pgnout %s is ignored: the PGN always has everything", w))
		}
	}
	return nil
}

func (t *translator) openings(words []string) error {
	book, options := "", ""
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		switch {
		case ok && key == "file":
			book = value
		case ok && (key == "format" || key == "policy"):
			t.notices = append(t.notices, fmt.Sprintf("-openings %s is ignored: the format is found out", w))
		case ok && (key == "order" || key == "start" || key == "plies" || key == "seed"):
			options += "," + w
		case book == "":
			book = w
		default:
			return fmt.Errorf("-openings %s: want file=, order=, plies=, start= or seed=", w)
		}
	}
	t.out = append(t.out, "--openings", book+options)
	return nil
}

// one translates a flag that takes one value, or none.
func (t *translator) one(name string, rest []string) ([]string, error) {
	number := func() (int, error) {
		if len(rest) == 0 {
			return 0, fmt.Errorf("-%s needs a number", name)
		}
		n, err := strconv.Atoi(rest[0])
		if err != nil {
			return 0, fmt.Errorf("-%s %q, want a number", name, rest[0])
		}
		return n, nil
	}
	var err error
	switch name {
	case "rounds":
		t.rounds, err = number()
	case "games":
		t.games, err = number()
	case "maxmoves":
		var n int
		n, err = number()
		t.out = append(t.out, "--max-plies", strconv.Itoa(2*n))
	case "srand", "tournament", "concurrency", "seeds", "event":
		long := map[string]string{"srand": "seed", "tournament": "event", "concurrency": "concurrency", "seeds": "seeds", "event": "name"}[name]
		if len(rest) == 0 {
			return nil, fmt.Errorf("-%s needs a value", name)
		}
		t.out = append(t.out, "--"+long+"="+rest[0])
	default:
		t.out = append(t.out, "--"+name)
		return rest, nil
	}
	if err != nil {
		return nil, err
	}
	return rest[1:], nil
}

// finish turns rounds and games into pairs.
func (t *translator) finish() {
	switch {
	case t.rounds > 0 && (t.games == 0 || t.games == 2):
		t.out = append(t.out, "--pairs", strconv.Itoa(t.rounds))
	case t.rounds > 0:
		t.err = usagef("-games %d -rounds %d: games come in pairs with colours swapped; want -games 2", t.games, t.rounds)
	case t.games != 0:
		t.out = append(t.out, "--games", strconv.Itoa(t.games))
	}
}
