package results

import (
	"context"
	"encoding/binary"
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
	NotInCheck   bool   // the side to move is not in check
	QuietMove    bool   // the move that was played captures nothing
	NoRepetition bool   // not between two occurrences of one position, those included
	MaxHalfMoves int    // plies since the last capture at most: later, the result comes from the move limit
	PerGame      int    // at most so many of a game, drawn by Seed and the game's key
	Seed         uint64 //
	Distinct     bool   // each board and side to move once
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
	if len(f.Results) == 0 {
		f.Results = []Result{RedWins, BlackWins, Drawn}
	}
	return func(yield func(*Position, error) bool) {
		x := extractor{filter: &f, seen: map[uint64]struct{}{}, met: map[uint64]struct{}{}, last: map[uint64]int{}}
		for g, err := range s.Games(ctx, f.Filter) {
			if err == nil {
				err = x.choose(g)
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if !x.replay(g, yield) {
				return
			}
		}
	}
}

// extractor chooses the positions of one game after the other.
type extractor struct {
	filter *PositionFilter
	seen   map[uint64]struct{} // keys that were yielded, for Distinct
	met    map[uint64]struct{} // keys of this game's candidates
	start  movegen.Position
	keys   []uint64       // of the game's positions, by ply
	last   map[uint64]int // last ply of a key in the game
	chosen []int          // plies
	out    Position
}

// choose replays a game and fills x.chosen.
func (x *extractor) choose(g *Game) error {
	start, err := movegen.ParseFENLenient(g.Opening)
	if err != nil {
		return fmt.Errorf("%s: %w", g.GameKey, err)
	}
	x.start = *start
	x.keys, x.chosen = x.keys[:0], x.chosen[:0]
	clear(x.met)
	p := x.start
	var u movegen.Undo
	for i := range g.Plies {
		m := g.Plies[i].Move
		if !p.IsLegal(m) {
			return fmt.Errorf("%s, ply %d: illegal move %s", g.GameKey, i+1, m)
		}
		x.keys = append(x.keys, p.Key())
		if x.wants(g, i, &p) {
			x.chosen = append(x.chosen, i)
		}
		p.Make(m, &u)
	}
	x.keys = append(x.keys, p.Key())
	if x.filter.NoRepetition {
		x.dropRepetitions()
	}
	x.sample(g)
	return nil
}

// wants reports whether a position passes what can be told from it and its move.
func (x *extractor) wants(g *Game, ply int, p *movegen.Position) bool {
	f, m := x.filter, &g.Plies[ply]
	switch {
	case ply < f.MinPly, f.MaxPly > 0 && ply > f.MaxPly, f.AfterBook && ply < g.Book:
		return false
	case f.ScoreLimit > 0 && (m.Score < -f.ScoreLimit || m.Score > f.ScoreLimit): // NoScore is below all
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

// isNew reports whether a position was not yielded before and not met before in this game.
func (x *extractor) isNew(key uint64) bool {
	_, yielded := x.seen[key]
	_, met := x.met[key]
	x.met[key] = struct{}{}
	return !yielded && !met
}

// dropRepetitions takes out the plies from the first to the last occurrence of each
// position that occurs again.
func (x *extractor) dropRepetitions() {
	clear(x.last)
	for i, k := range x.keys {
		x.last[k] = i
	}
	end, ply := -1, 0 // end: last ply of the cycles that have begun
	x.chosen = slices.DeleteFunc(x.chosen, func(c int) bool {
		for ; ply <= c; ply++ {
			if j := x.last[x.keys[ply]]; j > ply {
				end = max(end, j)
			}
		}
		return c <= end
	})
}

// sample keeps PerGame of the chosen plies and, for Distinct, notes their keys.
func (x *extractor) sample(g *Game) {
	f := x.filter
	if n := f.PerGame; n > 0 && len(x.chosen) > n {
		r := rand.New(rand.NewPCG(f.Seed, shortHash(keyBytes(g.GameKey))))
		for i := range n { // the first steps of a shuffle
			j := i + r.IntN(len(x.chosen)-i)
			x.chosen[i], x.chosen[j] = x.chosen[j], x.chosen[i]
		}
		x.chosen = x.chosen[:n]
		slices.Sort(x.chosen)
	}
	if f.Distinct {
		for _, c := range x.chosen {
			x.seen[x.keys[c]] = struct{}{}
		}
	}
}

// keyBytes is what tells a game apart in every database.
func keyBytes(k GameKey) []byte {
	b := []byte(k.Run)
	for _, n := range []int{k.Pair, k.Leg, k.Attempt} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// replay yields the chosen positions; false when the caller has had enough.
func (x *extractor) replay(g *Game, yield func(*Position, error) bool) bool {
	x.out = Position{Game: g, Position: x.start}
	var u movegen.Undo
	ply := 0
	for _, c := range x.chosen {
		for ; ply < c; ply++ {
			x.out.Position.Make(g.Plies[ply].Move, &u)
		}
		x.out.Ply = c
		if !yield(&x.out, nil) {
			return false
		}
	}
	return true
}
