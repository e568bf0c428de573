package arena

import (
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// disagreeAt is the score in centipawns from which on an engine says that it wins or loses.
const disagreeAt = 100

// Disagree reports, by colour, whether the last score of the side's engine says the
// opposite of the referee's verdict: a loser that was ahead by a pawn or more, a winner
// that was behind by as much, or a draw in which a mate had been announced. Such games
// show where an engine judges repetitions otherwise than the referee. Results that the
// referee has no part in (time, crashes, resignations, adjudications) are never marked.
// first is the side to move in the game's opening position.
func Disagree(g *results.Game, first movegen.Color) [2]bool {
	var marks [2]bool
	switch g.Reason {
	case results.Checkmate, results.Stalemate, results.PerpetualCheck, results.PerpetualChase, results.Repetition,
		results.MutualPerpetual, results.MoveLimit, results.InsufficientMaterial:
	default:
		return marks
	}
	for _, c := range [...]movegen.Color{movegen.Red, movegen.Black} {
		marks[c] = opposes(lastScore(g, first, c), c, g.Result)
	}
	return marks
}

// opposes reports whether a score from c's view contradicts the result.
func opposes(s results.Score, c movegen.Color, r results.Result) bool {
	switch {
	case !s.Known():
		return false
	case r == results.Drawn:
		_, mate := s.Mate()
		return mate
	case r == results.Won(c):
		return s <= -disagreeAt
	}
	return s >= disagreeAt
}

// lastScore returns the last score that c's engine gave, from c's view.
func lastScore(g *results.Game, first, c movegen.Color) results.Score {
	for i := len(g.Plies) - 1; i >= g.Book; i-- {
		if first^movegen.Color(i&1) == c && g.Plies[i].Score.Known() {
			return g.Plies[i].Score.For(c)
		}
	}
	return results.NoScore
}
