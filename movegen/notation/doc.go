// Package notation reads and writes moves as people and programs write them: coordinates
// and ICCS, WXF, Chinese, and the piece-and-square form of some servers.
//
// A text is read for a position, because most notations name a move by what is possible in
// it. Reading is generous: every digit script, both alphabets of pieces, character
// variants, signs before or behind the letter, and each of the schemes by which several
// soldiers on a file are told apart. Where two schemes would read one text differently,
// Candidates gives the readings in order of likelihood, and only legal ones; a reader of
// whole games can go back to the second one when the rest of the game does not fit the
// first. Writing has one canonical form per Style.
//
// WXF and Chinese notation are one grammar in different symbols: (piece, order sign, file)
// operator number. So there is one parser, fed with symbols, and one writer with two
// alphabets. Files count from the mover's right; front means nearest to the enemy.
//
// The package reads single moves; movegen/pgn reads games.
package notation
