// Package tuner fits the weights of an evaluation to the results of stored games and the scores
// of their moves, and says how sure each weight is.
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
// # Which loss
//
// [Squared] is the default: near the weights' place no other was better on games that it was not
// fitted to; from far off cross-entropy was. From
// 2,000 games of self-play at 400 nodes a move (40,000 quiet positions) weights were fitted by
// each loss to eight random splits, and each set of weights measured by each loss, with the scale
// fitted anew for it, on the games held out (1,617 in all, some of them in several splits). With
// the prior chosen on the validation set the squared error was 0.12060 by Squared, 0.00003 ±
// 0.00021 more by [CrossEntropy] and 0.00009 ± 0.00012 more by [Ordered]; minus the log likelihood
// of win, draw and loss 0.8514, 0.0003 ± 0.0008 more and 0.0003 ± 0.0005 more (± is one standard
// error by game). From the material values alone, under a prior of 32 centipawns, the squared error
// was 0.12441, 0.00045 ± 0.00016 less by CrossEntropy and 0.00022 ± 0.00017 less by Ordered; minus
// the log likelihood 0.8659, 0.0008 ± 0.0006 and 0.0013 ± 0.0008 less. Ordered is the one to take
// where the chances of a draw themselves are wanted.
//
// # What two rounds gave
//
// Two rounds of xqlab tune loop: 20,000 games of self-play each at 1,000 soft nodes a move, 8
// random plies first, the second fit to the games of both. Matches at 2,000 nodes a move from
// random openings, played out, under an SPRT in normalized Elo; Elo with 95 % limits.
//
//	round  games   positions  validation loss      prior  match              games       Elo    SPRT [0, 5]
//	1      20,000    398,093  0.101938 → 0.101104  16 cp  against the start  7,122  +11.0 ± 7.1  accepted
//	2      40,000  3,635,229  0.086560 → 0.085694  64 cp  against round 1   13,699   +4.0 ± 5.2  undecided, stopped
//	                                                      against the start 13,465   +6.8 ± 5.2  accepted
//
// The weights of round 2 were embedded until fits to scores gave better ones (below): the last match
// accepted them against those that both rounds began from, fitted to 10,229 games of matches. It followed 4,651 games of the same
// test with wins adjudicated at 600 centipawns, which were −6.1 ± 9.0 and were thrown away when
// xqlab results adjudicate told that one such win in ten was none. The second fit took all quiet
// positions of a game (--per-game 0) where the first took 20: of the first round's games the test
// loss fell by 0.00079 ± 0.00022 with all and by 0.00044 ± 0.00029 with 20, each on test positions
// of its own.
//
// # Results or scores
//
// A game's result says little of one of its 170 positions; the score that a search of 2,000 nodes
// gave it says much. From 5,918 games of self-play (2,000 soft nodes a move, openings unbalanced)
// the same features were fitted to targets that mix both, [ResultShare] being the result's part.
// Matches at 2,000 nodes a move from random openings, a win where both sides said 1,200
// centipawns; Elo with 95 % limits.
//
//	target                    positions         against                      games  Elo
//	all result                531,000 quiet     no prior was better on the validation set
//	half result, half score   531,000 quiet     the start                    2,400   +8.8 ± 11.5
//	1/5 result, 4/5 score     531,000 quiet     the start                    2,400  +33.4 ± 11.8
//	1/20 result, 19/20 score  531,000 quiet     1/5 result                   1,600   −7.6 ± 14.1
//	1/5 result, 4/5 score     672,000, all      1/5 result, quiet            1,800  +44.1 ± 13.5
//	the same, 8,326 games     945,000, all      5,918 games, more features   1,500   −3.0 ± 14.2
//	the same                  945,000, all      the start                    1,500  +56.1 ± 14.5
//
// "All" leaves out positions in check alone: what a hanging piece is worth to the side to move can
// only be learnt where one hangs. The search asks the evaluation in such positions too, when it
// prunes. Of another program's scores the fit is as good as they are.
//
// # Evaluations that are not linear
//
// An [Evaluation] gives coefficients, so a score that is not linear in some weights (danger
// of the king that grows with the square of a sum, say) is fitted by its derivatives: with MG
// and EG of a sample 1, a coefficient the derivative by that weight at the start weights, and
// Offset what is left of the score, the fit is a Gauss–Newton step of the whole. Extracted anew
// with the weights found (their hash in Extraction.By), the start losses of the next fit are the
// true ones of those weights: go on while they fall. A narrow prior keeps a step to where the
// derivatives hold. A fit that went through the function itself within its steps would need
// records that keep the counts of each side apart for such groups, an Evaluation that returns
// a group's value and derivative for them, and the chain rule where records become scores and
// gradients; both solvers ask for nothing but those. That is not built: the built-in evaluation
// has no such group.
//
// The scales of endings are weights that the score is not linear in. As no position has two,
// [FitScales] finds each by itself after the others, and the next fit begins from them.
//
// # Candidates for features
//
// [GroupTest] ranks weights that a fit has held where they were by how strongly the games want
// to move them. A candidate enters the data with a weight of 0 that is frozen; one fit to the
// others tells of all candidates at once. What it cannot tell is whether a feature is worth its
// time in a search: that is for games to say.
//
// On 5,918 games of self-play at 2,000 nodes a move, with 80 % of the target the moves' scores (test
// loss 0.007831 of the start, 0.007587 with the former weights freed alone), these were frozen
// candidates and were freed, z of the group in brackets: threats once more for the side to move,
// by what attacks and hanging (27, 19, 16, 5 and 22), its unharmed checks (12), a rook's mobility
// along its file (8), squares that cannons and horses can go to unharmed (7 each); together with
// the attackers of the palace told by its guards, test loss 0.007469. Left out as worth less than
// their time: the same squares of rooks (4), the king off its file (3), occupied legs of horses,
// squares of the palace that the king alone defends, rooks that defend each other, pieces beyond
// the river less those that meet them there. Of the results alone the scales of endings save as
// much as all weights together: 0.0016 ± 0.0005 of a test loss of 0.0784 (8,326 games).
//
// [SPSA] searches for parameters that no evaluation of positions tells about, by games that
// it is given a function to play.
//
// The package plays no games and knows nothing of search but the quiescence that positions
// are resolved with.
package tuner
