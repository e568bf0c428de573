// Package eval is the static evaluation of a Xiangqi position: a sum of named, readable
// weights times counts, blended between middlegame and endgame.
//
// Every feature is defined once, in a function that adds count × weight to the score and,
// when a [Trace] is given, writes the count down; so what is played with is what is tuned.
// The score of a position is
//
//	(Σ cᵢ·mgᵢ · phase + Σ cᵢ·egᵢ · (PhaseMax − phase)) · scale / (PhaseMax · ScaleMax)
//
// in centipawns (a crossed soldier is worth about 150), cᵢ being Red's count less
// Black's. The scale is that of the ending, if the position is one, for the side that the sum
// favours: a table by what that side attacks with and the other defends with, which weights
// hold too. Weights are values: they are read from a file, handed to [New], and two
// evaluators with different weights live side by side. Material and piece-square values
// are kept up by the search in an [Accumulator]; the other terms are computed afresh.
//
// The package knows nothing of search, repetition or the move limit.
package eval
