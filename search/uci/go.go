package uci

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/search"
)

// limits reads what follows "go" in either protocol.
func (s *session) limits(f []string) (search.Limits, error) {
	l := search.Limits{Overhead: time.Duration(s.options.overhead) * time.Millisecond, MultiPV: s.options.lines}
	g := goLine{session: s, limits: &l, rest: f}
	for len(g.rest) > 0 {
		if err := g.word(); err != nil {
			return l, fmt.Errorf("go: %w", err)
		}
	}
	if g.single {
		l.MovesToGo = 1
	}
	if len(s.banned) > 0 {
		l.SearchMoves = s.allowed()
	}
	return l, nil
}

// allowed returns the legal moves that are not banned, or all if none is left.
func (s *session) allowed() []movegen.Move {
	var l movegen.MoveList
	s.game.Position().Legal(&l)
	return slices.DeleteFunc(slices.Clone(l.Slice()), func(m movegen.Move) bool { return slices.Contains(s.banned, m) })
}

// goLine is a "go" line being read.
type goLine struct {
	*session
	limits *search.Limits
	rest   []string
	single bool // UCCI's time without movestogo or increment
}

// word reads one word and its arguments.
func (g *goLine) word() error {
	word, l := g.rest[0], g.limits
	g.rest = g.rest[1:]
	us := g.game.Position().Side()
	them := us.Other()
	switch word {
	case "infinite":
		l.Infinite = true
	case "ponder":
		l.Ponder = true
	case "draw":
	case "searchmoves":
		return g.searchMoves()
	case "wtime":
		return g.milliseconds(word, &l.Time[movegen.Red])
	case "btime":
		return g.milliseconds(word, &l.Time[movegen.Black])
	case "winc":
		return g.milliseconds(word, &l.Inc[movegen.Red])
	case "binc":
		return g.milliseconds(word, &l.Inc[movegen.Black])
	case "movetime":
		return g.milliseconds(word, &l.MoveTime)
	case "movestogo":
		g.single = false
		return g.integer(word, &l.MovesToGo)
	case "depth":
		return g.integer(word, &l.Depth)
	case "mate":
		return g.integer(word, &l.Mate)
	case "nodes":
		n, err := g.number(word, math.MaxInt64)
		l.Nodes = uint64(n)
		return err
	case "time":
		g.single = true
		return g.ucciTime(word, &l.Time[us])
	case "increment":
		g.single = false
		return g.ucciTime(word, &l.Inc[us])
	case "opptime":
		return g.ucciTime(word, &l.Time[them])
	case "oppincrement":
		return g.ucciTime(word, &l.Inc[them])
	case "oppmovestogo":
		_, err := g.number(word, math.MaxInt32)
		return err
	default: // another protocol's or a newer one's: the rest counts, and a bestmove is waited for
		g.complain(fmt.Errorf("go: unknown word %q is passed over", clip(word)))
	}
	return nil
}

// number reads the next word; times already past zero count as zero.
func (g *goLine) number(word string, most int64) (int64, error) {
	if len(g.rest) == 0 {
		return 0, fmt.Errorf("%s without a number", word)
	}
	n, err := strconv.ParseInt(g.rest[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q, want a number", word, clip(g.rest[0]))
	}
	g.rest = g.rest[1:]
	return min(max(n, 0), most), nil
}

func (g *goLine) integer(word string, v *int) error {
	n, err := g.number(word, math.MaxInt32)
	*v = int(n)
	return err
}

// milliseconds reads a time; a clock that stands at zero or below counts as 1 ms, since
// zero would mean no clock.
func (g *goLine) milliseconds(word string, v *time.Duration) error {
	n, err := g.number(word, math.MaxInt32)
	*v = time.Duration(n) * time.Millisecond
	if n == 0 && word != "winc" && word != "binc" {
		*v = time.Millisecond
	}
	return err
}

// ucciTime reads a time in whole seconds, unless the option says otherwise; a clock below one
// second, which is told as zero, counts as 1 ms.
func (g *goLine) ucciTime(word string, v *time.Duration) error {
	unit := time.Second
	if g.options.milliseconds {
		unit = time.Millisecond
	}
	n, err := g.number(word, math.MaxInt32)
	*v = time.Duration(n) * unit
	if n == 0 && (word == "time" || word == "opptime") {
		*v = time.Millisecond
	}
	return err
}

// searchMoves reads moves up to the next word that is none.
func (g *goLine) searchMoves() error {
	for len(g.rest) > 0 {
		m, err := movegen.ParseMove(g.rest[0])
		if err != nil {
			break
		}
		if !g.game.Position().IsLegal(m) {
			return fmt.Errorf("searchmoves %s is not legal", m)
		}
		g.limits.SearchMoves = append(g.limits.SearchMoves, m)
		g.rest = g.rest[1:]
	}
	return nil
}
