package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// perftLimit is the time one "go perft" may take.
const perftLimit = 30 * time.Second

var (
	perftMove  = regexp.MustCompile(`^([a-i]\d+[a-i]\d+):? +(\d+)$`)
	perftTotal = regexp.MustCompile(`(?i)^(?:info string )?nodes searched *:? +(\d+)`)
	errNoPerft = finding{Skip, "it has no go perft"}
)

// perftCount is what an engine counted.
type perftCount struct {
	total uint64
	moves map[movegen.Move]uint64
	odd   []string // moves that cannot be read
}

// perft compares the engine's counts with movegen's over the start position and positions
// of random games; at the first difference it descends to the wrong move and explains it.
func (k *checker) perft() (string, error) {
	var sum uint64
	cases := append([]perftCase{{movegen.StartPosition(), 4}}, randomPositions(10, 3)...)
	for i, p := range cases {
		n, err := k.comparePerft(p.pos, p.depth)
		if errors.Is(err, errNoPerft) && i > 0 {
			return "", fmt.Errorf("no answer to go perft %d in %q", p.depth, p.pos.FEN())
		}
		if err != nil {
			return "", err
		}
		sum += n
	}
	return fmt.Sprintf("%d positions, %d paths, all equal", len(cases), sum), nil
}

type perftCase struct {
	pos   *movegen.Position
	depth int
}

// randomPositions returns n positions from random games, the same every time.
func randomPositions(n, depth int) (cases []perftCase) {
	r := rand.New(rand.NewPCG(positionSeed, 1))
	for i := range n {
		pos := movegen.StartPosition()
		var u movegen.Undo
		for range 15 + 12*i {
			var l movegen.MoveList
			if pos.Legal(&l); l.Len() == 0 {
				break
			}
			pos.Make(l.Slice()[r.IntN(l.Len())], &u)
		}
		if pos.HasLegal() {
			cases = append(cases, perftCase{pos, depth})
		}
	}
	return cases
}

// comparePerft counts a position by both and explains the first difference.
func (k *checker) comparePerft(pos *movegen.Position, depth int) (uint64, error) {
	theirs, err := k.askPerft(pos, depth)
	if err != nil {
		return 0, err
	}
	ours, err := movegen.RunPerft(k.ctx, pos, movegen.PerftOptions{Depth: depth})
	if err != nil {
		return 0, err
	}
	if theirs.total == ours.Nodes && len(theirs.odd) == 0 {
		return ours.Nodes, nil
	}
	return 0, fmt.Errorf("perft %d of %q: %d, want %d; %s", depth, pos.FEN(), theirs.total, ours.Nodes, k.explain(pos, depth, theirs, ours))
}

// explain names the wrong move, descending to where it is.
func (k *checker) explain(pos *movegen.Position, depth int, theirs perftCount, ours movegen.PerftResult) string {
	if len(theirs.odd) > 0 {
		return fmt.Sprintf("it lists %q, which is no move", clip(theirs.odd[0], 40))
	}
	if len(theirs.moves) == 0 {
		return "it does not list its moves"
	}
	if text := listDifference(pos, theirs, ours); text != "" {
		return text
	}
	for _, m := range ours.Moves {
		if theirs.moves[m.Move] == m.Nodes || depth <= 1 {
			continue
		}
		below := *pos
		var u movegen.Undo
		below.Make(m.Move, &u)
		next, err := k.askPerft(&below, depth-1)
		if err != nil {
			return fmt.Sprintf("after %s: %v", m.Move, err)
		}
		right, err := movegen.RunPerft(k.ctx, &below, movegen.PerftOptions{Depth: depth - 1})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s, ", m.Move) + k.explain(&below, depth-1, next, right)
	}
	return "its moves are right, its sum is not"
}

// listDifference names a move that only one of the two lists.
func listDifference(pos *movegen.Position, theirs perftCount, ours movegen.PerftResult) string {
	for _, m := range ours.Moves {
		if _, ok := theirs.moves[m.Move]; !ok {
			return fmt.Sprintf("in %q it misses %s, which is legal", pos.FEN(), m.Move)
		}
	}
	extra := movegen.NoMove
	for m := range theirs.moves {
		if !pos.IsLegal(m) && (extra == movegen.NoMove || m < extra) {
			extra = m
		}
	}
	if extra == movegen.NoMove {
		return ""
	}
	return fmt.Sprintf("in %q it lists %s, which is illegal: %s", pos.FEN(), extra, pos.Explain(extra))
}

// askPerft has the engine count.
func (k *checker) askPerft(pos *movegen.Position, depth int) (perftCount, error) {
	c := k.c
	n := perftCount{moves: map[movegen.Move]uint64{}}
	best := false // it searched instead
	c.p.expect(func(line []byte, _ time.Time) bool {
		word, _ := cutWord(line)
		best = slices.Contains([]string{"bestmove", "nobestmove"}, string(word))
		return best || n.line(strings.TrimSpace(string(line[:min(len(line), keptText)])), c.base)
	})
	err := c.say(k.ctx, perftLimit, string(c.proto.appendPosition(nil, pos.FEN())), "go perft "+strconv.Itoa(depth))
	switch {
	case k.ctx.Err() != nil:
		return n, context.Cause(k.ctx)
	case errors.Is(err, errLate):
		c.p.expect(c.think)
		if c.stop() != nil {
			c.p.end(0)
			c.drop()
		}
		return n, errNoPerft
	case err != nil:
		return n, k.broken(err)
	case best:
		return n, errNoPerft
	}
	return n, nil
}

// line takes in a line and reports whether it was the sum.
func (n *perftCount) line(text string, base int) bool {
	if f := perftTotal.FindStringSubmatch(text); f != nil {
		n.total, _ = strconv.ParseUint(f[1], 10, 64)
		return true
	}
	f := perftMove.FindStringSubmatch(text)
	const most = 1000
	if f == nil || len(n.moves) > most {
		return false
	}
	count, _ := strconv.ParseUint(f[2], 10, 64)
	m, _, err := parseMove(f[1], base)
	if err != nil {
		n.odd = append(n.odd[:min(len(n.odd), most)], f[1])
		return false
	}
	n.moves[m] = count
	return false
}
