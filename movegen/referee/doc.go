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
// which captures are threats, and a few small functions for what tables cannot say. See
// rules.go; a new one is a new entry there.
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
// What it does not do: clocks, resignation, adjudication by scores, the over-the-board
// rules that need an arbiter's judgement (mate threats, values), sites' running counters.
package referee
