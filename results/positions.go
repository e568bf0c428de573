package results

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/xqlab/xqlab/movegen"
)

// PositionFilter chooses positions of stored games; what is zero does not choose.
type PositionFilter struct {
	Filter              // the games; without Results, those that were won or drawn
	MinPly       int    // plies played before the position, at least …
	MaxPly       int    // … and at most
	AfterBook    bool   // not among the plies that the opening gave
	ScoreLimit   Score  // |score| at most so many centipawns; mates and moves without a score are out
	Unscored     bool   // ScoreLimit is not for games without any score
	NotInCheck   bool   // the side to move is not in check
	QuietMove    bool   // the move that was played captures nothing
	NoRepetition bool   // not between two occurrences of one position, those included
	MaxHalfMoves int    // plies since the last capture at most: later, the result comes from the move limit
	PerGame      int    // at most so many of a game, drawn by Seed and the game's moves
	Seed         uint64 //
	Distinct     bool   // each board and side to move once, of the first game that has it among what else is chosen
}

// Position is a position of a stored game before one of its moves.
type Position struct {
	Game     *Game
	Ply      int // plies played before it: Game.Plies[Ply] is the move played and its score
	Position movegen.Position
}

// Score returns what the mover thought, from Red's view.
func (p *Position) Score() Score { return p.Game.Plies[p.Ply].Score }

// Move returns the move that was played.
func (p *Position) Move() movegen.Move { return p.Game.Plies[p.Ply].Move }

// Positions goes through the positions that a filter chooses, in the order of Games and of
// the plies. The same games give the same positions in the same order in every database.
// The position that is yielded is overwritten by the next. A game that cannot be read or
// replayed is an error in its place, after which it goes on with the next.
func (s *Store) Positions(ctx context.Context, f PositionFilter) iter.Seq2[*Position, error] {
	return func(yield func(*Position, error) bool) {
		k, met := NewPicker(f), Met{}
		for g, err := range s.Games(ctx, k.filter.Filter) {
			var chosen []Candidate
			if err == nil {
				chosen, err = k.Pick(g)
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if f.Distinct {
				chosen = met.Drop(chosen)
			}
			if !k.replay(g, f.Sample(g, chosen), yield) {
				return
			}
		}
	}
}

// Candidate is a position of a game that a filter may choose.
type Candidate struct {
	Ply int    // plies played before it
	Key uint64 // Position.Key
}

// Picker chooses positions of one game after the other, as far as it can be told from the
// game alone: Met and Sample do the rest of a filter. It is for one goroutine at a time.
type Picker struct {
	filter  PositionFilter
	start   movegen.Position
	keys    []uint64       // of the game's positions, by ply
	last    map[uint64]int // last ply of a key in the game
	met     map[uint64]struct{}
	chosen  []Candidate
	opening string
	scored  bool // ScoreLimit is for the game
	out     Position
}

// NewPicker returns a Picker for the filter.
func NewPicker(f PositionFilter) *Picker {
	return &Picker{filter: f.withResults(), last: map[uint64]int{}, met: map[uint64]struct{}{}}
}

// withResults is the filter with the results that it means.
func (f PositionFilter) withResults() PositionFilter {
	if len(f.Results) == 0 {
		f.Results = []Result{RedWins, BlackWins, Drawn}
	}
	return f
}

// Games returns the filter for the games.
func (f PositionFilter) Games() Filter { return f.withResults().Filter }

// Pick replays a game and returns its positions that pass everything but Distinct among
// games and PerGame, in the order of the plies. The list is overwritten by the next call.
func (x *Picker) Pick(g *Game) ([]Candidate, error) {
	start, err := movegen.ParseFENLenient(g.Opening)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.GameKey, err)
	}
	x.start, x.opening = *start, ""
	x.scored = !x.filter.Unscored || slices.ContainsFunc(g.Plies, func(m Ply) bool { return m.Score.Known() })
	x.keys, x.chosen = x.keys[:0], x.chosen[:0]
	clear(x.met)
	p := x.start
	var u movegen.Undo
	for i := range g.Plies {
		x.meet(g, i, &p)
		m := g.Plies[i].Move
		if !p.IsLegal(m) {
			return nil, fmt.Errorf("%s, ply %d: illegal move %s", g.GameKey, i+1, m)
		}
		if x.wants(g, i, &p) {
			x.chosen = append(x.chosen, Candidate{i, p.Key()})
		}
		p.Make(m, &u)
	}
	x.meet(g, len(g.Plies), &p)
	if x.filter.NoRepetition {
		x.dropRepetitions()
	}
	return x.chosen, nil
}

// meet takes note of the position after so many plies.
func (x *Picker) meet(g *Game, ply int, p *movegen.Position) {
	x.keys = append(x.keys, p.Key())
	if ply == g.Book {
		x.opening = openingOf(g, p)
	}
}

// Opening identifies the opening of the game that was picked last, so that games of one
// opening, whatever their run, can be kept together: the position that the book or the
// random plies led to, the same as its mirror image. Games that began from the start
// position without either are alike only if they are the same pair of the same run.
func (x *Picker) Opening() string { return x.opening }

func openingOf(g *Game, p *movegen.Position) string {
	if g.Book == 0 && p.Key() == startKey {
		return fmt.Sprintf("%s/%d", g.Run, g.Pair)
	}
	m := p.Mirror()
	return fmt.Sprintf("%016x", min(p.Key(), m.Key()))
}

var startKey = movegen.StartPosition().Key()

// wants reports whether a position passes what can be told from it and its move.
func (x *Picker) wants(g *Game, ply int, p *movegen.Position) bool {
	f, m := &x.filter, &g.Plies[ply]
	switch {
	case ply < f.MinPly, f.MaxPly > 0 && ply > f.MaxPly, f.AfterBook && ply < g.Book:
		return false
	case f.ScoreLimit > 0 && x.scored && (m.Score < -f.ScoreLimit || m.Score > f.ScoreLimit): // NoScore is below all
		return false
	case f.QuietMove && p.At(m.Move.To()) != movegen.NoPiece:
		return false
	case f.MaxHalfMoves > 0 && p.HalfMoves() > f.MaxHalfMoves:
		return false
	case f.NotInCheck && p.InCheck():
		return false
	}
	return !f.Distinct || x.isNew(p.Key())
}

// isNew reports whether a position was not met before in this game.
func (x *Picker) isNew(key uint64) bool {
	n := len(x.met)
	x.met[key] = struct{}{}
	return len(x.met) > n
}

// dropRepetitions takes out the plies from the first to the last occurrence of each
// position that occurs again.
func (x *Picker) dropRepetitions() {
	clear(x.last)
	for i, k := range x.keys {
		x.last[k] = i
	}
	end, ply := -1, 0 // end: last ply of the cycles that have begun
	x.chosen = slices.DeleteFunc(x.chosen, func(c Candidate) bool {
		for ; ply <= c.Ply; ply++ {
			if j := x.last[x.keys[ply]]; j > ply {
				end = max(end, j)
			}
		}
		return c.Ply <= end
	})
}

// Met remembers the positions that earlier games had, for Distinct.
type Met map[uint64]struct{}

// Drop takes those candidates out of a list that were met before and remembers the rest.
func (m Met) Drop(list []Candidate) []Candidate {
	return slices.DeleteFunc(list, func(c Candidate) bool {
		n := len(m)
		m[c.Key] = struct{}{}
		return len(m) == n
	})
}

// Sample returns at most PerGame of a game's candidates, in the order of the plies.
func (f *PositionFilter) Sample(g *Game, list []Candidate) []Candidate {
	if f.PerGame > 0 && len(list) > f.PerGame {
		f.Shuffle(g, list)
		list = list[:f.PerGame]
		SortByPly(list)
	}
	return list
}

// Shuffle puts candidates into the order in which Sample draws them. It depends on Seed and
// on the start and moves of the game alone, so that a run that is played again, with the
// same games under another name, gives the same samples.
func (f *PositionFilter) Shuffle(g *Game, list []Candidate) {
	r := rand.New(rand.NewPCG(f.Seed, g.Hash()))
	for i := range list {
		j := i + r.IntN(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}

// SortByPly sorts candidates by their plies.
func SortByPly(list []Candidate) {
	slices.SortFunc(list, func(a, b Candidate) int { return a.Ply - b.Ply })
}

// replay yields the chosen positions; false when the caller has had enough.
func (x *Picker) replay(g *Game, chosen []Candidate, yield func(*Position, error) bool) bool {
	x.out = Position{Game: g, Position: x.start}
	var u movegen.Undo
	ply := 0
	for _, c := range chosen {
		for ; ply < c.Ply; ply++ {
			x.out.Position.Make(g.Plies[ply].Move, &u)
		}
		x.out.Ply = c.Ply
		if !yield(&x.out, nil) {
			return false
		}
	}
	return true
}
