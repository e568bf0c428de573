// Package movegen holds the position and the moves of Xiangqi: squares, pieces, FEN,
// making and unmaking, legal moves by stages, questions about attacks, static exchange,
// the reason why a move is not legal, and perft. It imports the standard library alone,
// reads and writes nothing, and keeps no state between calls. It knows the rules of
// movement; who has won, repetition and the move limit are package referee's.
//
// # The position
//
// A [Position] is a value without pointers. It holds the board; for each piece and side a
// [Set], two words of 45 squares so that a rank never crosses words; the counters, the
// Zobrist key, the material; and for each rank and file a line: one word with six fields of
// ten bits, where Red's and Black's pieces, rooks and cannons stand on it. Make changes two
// lines for each square by XOR, so that everything below can begin with a look at a line.
//
// What a square sees along a line is one lookup (view): the squares up to the first
// pieces, the second pieces, the third pieces, and the squares between. Xiangqi needs
// three: a rook takes the first piece, a cannon the second, and a cannon that is third
// pins the two before it. The same view, taken from the king, answers who gives check and
// what is pinned; taken from any square, who attacks it. There are 19 × 1,024 views of
// eight bytes, of which a game touches a small part. Leapers have tables by square and, for
// horses and elephants, by which of the four squares that can block them are full.
//
// # Legality by sets
//
// Nothing is made and unmade to find out what is legal. Most positions are calm: no enemy
// is near enough to the king to bind anything, and every move of every other piece is
// legal. Otherwise a guard holds what safety demands, as sets of targets: a check is
// answered by a capture or by something put between (or by the screen of a cannon leaving),
// a pinned piece keeps to its line, nothing steps before an empty cannon, neither of the
// two pieces before a cannon that is third leaves or takes the other. A move is legal when
// its target is in the intersection; two checks, or a pin and a check, need no case of
// their own. The king's steps are looked at one by one, with the king lifted.
//
// Captures, Quiets and Checks are the same sets cut differently. IsLegal and GivesCheck
// ask the lines about one move and cost about the same everywhere.
//
// # Perft
//
// Count counts the last two plies in one node (pairs.go, apart from all that a search
// uses): the replies of the other side if we had passed, plus what each of our moves
// changes of them. Moves that their pieces do not look at change nothing, and a set of such
// moves is counted by its size. Moves that may touch the safety of their king, told by
// sensitivity sets, have the king's steps counted anew or are made and counted in full.
// List lists the legal moves of the last ply, Play plays every one of them; the three must
// agree, and with the build tag checkpairs every two-ply count is compared with a count ply
// by ply. The tests compare all of it with a plain generator on a board of ten ranks and
// nine files that shares no table with this one.
//
// # What was tried, and what it gave
//
// Against Pikafish-HCE, one thread, no hashing, geometric mean of processor time over the
// eight positions of TestPeer, the two in turn, the peer's start-up taken off. The rows are
// single runs while other work went on (three for the first), good to some 4 %:
//
//	line words, views, legality by sets, last ply counted         3.7
//	the last two plies in one node, captures counted in full      6.5
//	sensitivity by leaving and entering a square apart            7.7
//	only the king's steps counted anew where only they matter     8.0
//	captures by what they change; leaving counted once            8.6
//	answers to a check counted from its few targets               8.8
//	sets by type of piece when needed, one call a line            9.3
//
// At the end, medians of three: two plies counted 9.1 (start position 11.4), one ply
// counted 3.8, moves listed 2.4, moves listed and played 2.5 against the peer changed to
// play its last ply too. With a profile of the same work (two runs): 9.8, 4.2, 2.5.
//
// The endgame with twenty moves a node stands at 4: there the cost of a node itself
// decides, its two guards, king's steps and sensitivity sets, and that more than a tenth of
// the moves is made to be counted. A list of forty moves costs as much as finding them.
//
// Not tried: the replies carried over from the node above; recounting only the pieces
// whose pin a move changes, instead of all, when it gives no check; the sensitivity sets
// kept while neither king's surroundings change.
package movegen
