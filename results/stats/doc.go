// Package stats turns results of games into statements about strength: Elo with its error,
// sequential probability ratio tests (SPRT), the number of games a test will need, and joint
// ratings of many engines.
//
// # The idea
//
// Xiangqi engines meet in pairs of games from one opening with colours swapped. The two games
// of a pair are not independent, since an opening that favours Red helps each side once, so the
// pair is the unit of all statistics here: [Penta] counts pairs by the points of the first
// engine. [WDL] counts single games, for results without pairs.
//
// The test statistic is the exact generalized likelihood ratio of a multinomial
// distribution: the observed frequencies are projected, by maximum likelihood, on the
// distributions with the strength of each hypothesis (Michel Van den Bergh, "Comments on
// normalized Elo" and "The generalized maximum likelihood ratio for the expectation value of a
// distribution"). Each projection is a bracketed search for a root that exists for any input, so
// that scores of 0 % and 100 % and empty cells have finite values. Three models of strength:
//
//   - [Normalized]: the mean score less ½ in units of the standard deviation of a game. The
//     number of games a test takes hardly depends on openings or draw rate. The default.
//   - [Logistic]: the expected score, 1/(1+10^(−Elo/400)).
//   - [Bayesian]: BayesElo with the draw rate of the sample; single games only.
//
// Approximations that other programs print (normal ones, which fail when a cell is
// empty) are not here.
//
// # What it does not do
//
// No input or output, no logging, no state but that of [Sequential]. It does not
// know which game counts: results/report does.
package stats
