package openings

import (
	"fmt"
	"strconv"
	"strings"
)

// Order is the order in which a book's openings are used.
type Order uint8

// The orders.
const (
	Random Order = iota // a new shuffle for every pass through the book
	Sequential
)

// String returns the name on the command line.
func (o Order) String() string { return [...]string{"random", "sequential"}[o&1] }

// Names of books that are no files.
const (
	Balanced   = "balanced"   // embedded
	Unbalanced = "unbalanced" // embedded
	Start      = "start"      // the start position alone
	Fly        = "random"     // random plies made on the fly
)

// Spec says which openings to use, as on the command line:
//
//	FILE[.gz] | balanced | unbalanced | start | random,plies=6,eval=100..250
//
// with order=random|sequential, seed=N, start=N and, for PGN files, plies=N.
type Spec struct {
	Book    string // a name above or a file
	Order   Order
	Seed    uint64
	HasSeed bool // otherwise the run's seed is used
	Start   int  // the opening that pair 0 gets, from 1 in the book's order
	Plies   int  // for Fly: plies played; for PGN books: lines are cut to it, 0 for whole lines
	Window  *Window
}

// DefaultPlies is the length of random openings.
const DefaultPlies = 6

// ParseSpec reads a Spec.
func ParseSpec(text string) (Spec, error) {
	s := Spec{Start: 1}
	words := splitSpec(text)
	s.Book = strings.TrimPrefix(words[0], "file=")
	if s.Book == "" {
		return Spec{}, fmt.Errorf("openings %q: no book; give a file, balanced, unbalanced, start or random", text)
	}
	if s.Book == Fly {
		s.Plies = DefaultPlies
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		if err := s.set(key, value); err != nil {
			return Spec{}, fmt.Errorf("openings %q: %w", text, err)
		}
	}
	return s, nil
}

// specKeys are the words after which a comma ends a value. The format is found out from
// the content; the word is accepted because other runners need it.
var specKeys = []string{"order", "seed", "start", "plies", "eval", "format"}

// splitSpec splits at commas before known keys only, so that file names may hold commas.
func splitSpec(text string) []string {
	var words []string
	begin := 0
	for i := 0; i < len(text); i++ {
		if text[i] != ',' {
			continue
		}
		key, _, found := strings.Cut(text[i+1:], "=")
		if found && isKeyLike(key) {
			words = append(words, text[begin:i])
			begin = i + 1
		}
	}
	return append(words, text[begin:])
}

// isKeyLike reports whether a comma before the text ends a value: known keys, and other
// plain words, so that a mistyped key is not taken for part of the file name.
func isKeyLike(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == ""
}

func (s *Spec) set(key, value string) error {
	switch key {
	case "order":
		switch value {
		case "random":
			s.Order = Random
		case "sequential":
			s.Order = Sequential
		default:
			return fmt.Errorf("order=%s, want random or sequential", value)
		}
	case "seed":
		n, err := strconv.ParseUint(value, 0, 64)
		if err != nil {
			return fmt.Errorf("seed=%s, want a number from 0 to 2^64−1", value)
		}
		s.Seed, s.HasSeed = n, true
	case "start":
		return s.number(&s.Start, key, value, 1, 1<<40)
	case "plies":
		return s.number(&s.Plies, key, value, 1, 100)
	case "eval":
		w, err := ParseWindow(value)
		if err != nil {
			return err
		}
		if s.Book != Fly {
			return fmt.Errorf("eval= is for random openings; a file's are taken as they are (xqlab book check tells their scores)")
		}
		s.Window = &w
	case "format":
		if value != "epd" && value != "pgn" {
			return fmt.Errorf("format=%s, want epd or pgn", value)
		}
	default:
		return fmt.Errorf("unknown word %q, want one of %s", key, strings.Join(specKeys, ", "))
	}
	return nil
}

func (s *Spec) number(to *int, key, value string, low, high int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return fmt.Errorf("%s=%s, want a number from %d to %d", key, value, low, high)
	}
	*to = n
	return nil
}

// String returns the text that ParseSpec reads back.
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Book)
	if s.Plies > 0 {
		fmt.Fprintf(&b, ",plies=%d", s.Plies)
	}
	if s.Window != nil {
		fmt.Fprintf(&b, ",eval=%s", *s.Window)
	}
	if s.Book != Start && s.Book != Fly {
		fmt.Fprintf(&b, ",order=%s", s.Order)
	}
	if s.HasSeed {
		fmt.Fprintf(&b, ",seed=%d", s.Seed)
	}
	if s.Start > 1 {
		fmt.Fprintf(&b, ",start=%d", s.Start)
	}
	return b.String()
}

// Window is a range of scores in centipawns. With a Low of 0 or more it is one of the
// advantage, whoever has it; with a negative Low it is one of Red's score.
type Window struct{ Low, High int }

// ParseWindow reads "100..250" or "-50..50".
func ParseWindow(text string) (Window, error) {
	low, high, found := strings.Cut(text, "..")
	l, err1 := strconv.Atoi(low)
	h, err2 := strconv.Atoi(high)
	if !found || err1 != nil || err2 != nil || l > h {
		return Window{}, fmt.Errorf("window %q, want LOW..HIGH in centipawns, such as 100..250", text)
	}
	return Window{l, h}, nil
}

// Contains reports whether Red's score is inside.
func (w Window) Contains(score int) bool { return w.Distance(score) == 0 }

// Distance returns by how many centipawns Red's score is outside, 0 when it is inside.
func (w Window) Distance(score int) int {
	if w.Low >= 0 {
		score = max(score, -score)
	}
	return max(w.Low-score, score-w.High, 0)
}

// String returns the text that ParseWindow reads.
func (w Window) String() string { return fmt.Sprintf("%d..%d", w.Low, w.High) }
