// Package tuner fits the weights of an evaluation to the results of stored games and says
// how sure each of them is.
//
// Positions become samples: a result, and for each feature how often Red has it more than
// Black. A [Writer] puts them into one sparse file, split into train, validation and test
// by opening pair, so that positions of one opening are never on two sides; [Open] maps it
// into memory. [Fit] then finds the weights that predict the results best, near to where
// they began unless the games say otherwise.
//
// The evaluation is any that is linear in its weights: the built-in one ([Own]) or a
// program's own [Evaluation]; a score is
//
//	MG · Σ mgᵢ·wᵢ,mg + EG · Σ egᵢ·wᵢ,eg + Offset
//
// in centipawns from Red's view, where the factors MG and EG hold phase and scale.
//
// [Extraction] makes a dataset of stored games: what passes a filter, is quiet or played out
// until it is, and is drawn by chance within each game. The same games and filter give the
// same file whatever the number of threads, so the file is named by a hash of both and made
// once. A core makes 330,000 to 390,000 positions a second by filters that need no search,
// 150,000 to 200,000 of quiet positions and as many played out (make bench-tuner, and games
// of self-play; most of it is the evaluation).
//
// [SPSA] searches for parameters that no evaluation of positions tells about, by games that
// it is given a function to play.
//
// The package plays no games and knows nothing of search but the quiescence that positions
// are resolved with.
package tuner
