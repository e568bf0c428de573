// Package referee says who has won a game of Xiangqi and why, under named rule sets.
//
// A Game is a start position and the moves played. Play judges after every move, in this
// order: no legal move (checkmate or stalemate, both lost), repetition, move limit,
// material that cannot win. Explain says in words what a verdict rests on: what each move
// of the cycle is (check, chase of which piece by which, idle). JudgeCase and Batch do the
// same from text.
//
// # Rule sets
//
// A rule set is a value: when a repetition is judged, how checks count in the move limit,
// which captures are threats, and a few small functions for what tables cannot say. The
// judge itself (judge.go, chase.go) names no rule set.
//
// A new one is an entry in ruleSets (rules.go): its name, the occurrence at which it
// judges, its limit and how checks count in it, whether a cycle with checks may be a chase,
// and the chaseRule: a table of attacker and victim that says which captures threaten
// always or only unprotected pieces, the function that finds the captors (profitable looks
// at real roots, byMovedPiece at the moved piece alone), and whether some victims weigh
// more. No chaseRule: chases are not judged. Then add a verdict under its name to ruleCases
// in the tests, and to the slow referee, which judges the same from the words of the rules.
//
// The words: a position is the board and the side to move. A cycle is what was played
// from the oldest of the judged occurrences of a position to now. A side checks
// perpetually if all its moves in the cycle check. It chases perpetually if there is one
// enemy piece that each of its moves in the cycle newly threatens to capture with profit.
// The move that led into the cycle is not looked at.
//
// # Inside a search
//
// Push, Pop and Node are the same judge for the lines of a search. Node differs from Play
// in one thing: where the position occurred before strictly below the root, a cycle that
// is a draw is a draw at once, at the first re-occurrence. A lost or won cycle is reported
// only where Play would report it, at the real number of occurrences, those of the game
// before the root included.
//
// The reason for that asymmetry: a cycle that is nobody's fault stays so when any other
// cycle through the same position is added to it, for a side must be at fault with every
// move of both. A cycle at fault does not stay at fault. Let Black chase a horse in one
// cycle through P and a cannon in another. Each alone, judged at the second occurrence,
// loses, and a search that says so finds a forced win for Red that is none: Black plays one
// after the other, the third occurrence of P is a draw. The price is that a search without
// history needs two turns of a perpetual check, not one, to see that it loses; the game
// supplies the first turn. (A cycle in which both are at fault counts as a draw at once
// too, though another turn by other moves may leave only one at fault.)
//
// What it costs (make bench-referee; medians of five runs, one thread of a 2-core Xeon
// that others used too, so compare them with each other): Node 1.7 ns where the position is
// new, 0.14 µs where it draws by a cycle of four plies below the root, 0.73 µs where it
// closes a chase of eight. Push, Node and Pop take 28 ns, of which the position's own make
// and unmake are 15.5. Judging 10,000 cycles of 12 plies takes 7 ms with four pieces on the
// board and 16 ms with 31; 10,000 games of 12 plies from set-up to verdict 137 ms. Node
// allocates nothing. Where neither side has enough to win unless it mates at once, Node
// tries all moves; such endings are rare.
//
// What it does not do: clocks, resignation, adjudication by scores, the over-the-board
// rules that need an arbiter's judgement (mate threats, values), sites' running counters.
package referee
