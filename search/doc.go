// Package search finds the best move of a Xiangqi position: iterative deepening with a
// principal-variation search, on one or more threads.
//
// An Engine holds a transposition table and, for each thread, a worker with its own game
// (a referee.Game, so that the rules of repetition, the move limit and dead material are
// judged in the tree by the same code that judges games), histories, evaluation cache and
// a fixed stack of frames; nothing is allocated per node. Weights and parameters are
// values given to New: two engines with different ones live side by side. On one thread
// and without a clock a search is a function of the game, the limits and what the engine
// has learnt since NewGame, the same on every machine; no floating point is involved.
//
// # Files
//
//	engine.go     Engine, Search, what a search returns
//	root.go       iterative deepening, aspiration windows, root moves, when to stop
//	limits.go     limits and the clock
//	worker.go     a thread: frames, making moves, polling
//	alphabeta.go  the search proper and what it prunes, extends and reduces
//	quiesce.go    captures and evasions at the leaves
//	picker.go     moves by stage: table, captures, killers and counter, quiet, bad captures
//	history.go    what orders quiet moves and captures
//	table.go      the transposition table, shared without locks
//	params.go     every number that may be tuned, named and bounded
//	bench.go      the suite bench-1 and its signature
//	slow3.go      with the tag slow3: 3 % slower, to try what bench --against tells
//
// # Scores
//
// Centipawns from the side to move; a mate in n plies is ±(Mate − n). A stalemated side
// has lost like a mated one. A drawn repetition counts at its first re-occurrence below
// the root, a lost or won one only at the occurrence at which a game would end, so that
// no false mate comes of it (see package referee). Near the move limit table scores, which
// know nothing of it, are not trusted.
//
// # What was measured
//
// Games in pairs with colours swapped from random quiet openings, 5,000 nodes a move on
// both sides, rules computer, the version with the change against the one before it; Elo
// with its 95 % interval. These were runs of a fixed number of games on a loaded machine,
// not the SPRTs that later changes are to pass.
//
//	change                                            games   Elo
//	whether a move checks known before pruning          100   +220 [+153, +305]
//	static exchange instead of attacked-or-not          200   +106 [+65, +149]
//	evaluation: all families, weights by hand           200   +208 [+165, +256]
//	weights fitted to 2,650 own games                   200   +156 [+109, +208]
//	weights fitted to 6,000 own games                   200    +12 [−29, +54]   not shown, kept
//	quiet checks kept when other quiet moves are cut    200    +37 [−5, +79]    not shown, kept: mates
//	quiet checks in quiescence (QuiesceChecks)          100     −7 [−66, +51]   not shown, off
//	less reduction (ReduceScale 230 → 190)              200    −16 [−56, +24]   not shown, not taken
//	more reduction (ReduceScale 230 → 270)              200     +5 [−29, +40]   not shown, not taken
//	third fit, 7,500 games, prior the second            200      0 [−40, +40]   not shown, not taken
//	third fit, 12,000 games, prior the hand's           400    +33 [+5, +62]
//	evaluation corrected by what searches showed        300    −24 [−55, +6]    not shown, not taken
//	wider futility (Base 130, Slope 120), 8,000 nodes   400    −14 [−41, +13]   not shown, not taken
//
// Speed, medians of CPU seconds for the bench suite taken in turn: threats looked for only
// where pieces are attacked or loose, large pages for the table 0.95 of the time; loading
// the table's bucket before the move is made: no difference, not taken. Profile-guided
// optimisation by the suite's own profile: 0.96, not used yet. Nodes per second were 0.72
// of Pikafish-HCE's bench 16 1 13 (0.78 with that profile) before the large pages: a third
// of the time is the evaluation (about 0.4 calls a node), a fifth waiting for the table.
//
// At 5+0.05 on a machine that was busy with other work, against Fairy-Stockfish 11.1 (hand-written
// evaluation) from random quiet openings: 50 won, 10 lost of 60, of which 21 and 7 on time;
// before the third fit 37 won, 3 lost of 40, 7 of them on time. Against Pikafish-HCE at
// 3+0.03: 9 won, 9 lost, 2 drawn.
//
// Unmeasured one by one: aspiration, null move and its verification, probcut, razoring,
// reverse futility, futility, late move and history pruning, late move reductions,
// singular and check extensions, internal reductions, killer, counter-move and
// continuation histories, the evaluation cache, time management, Lazy SMP. They were
// there from the first version, with values by judgement.
package search
