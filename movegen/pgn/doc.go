// Package pgn reads and writes games of Xiangqi in files: PGN in every notation, JSON
// lines and EPD, plain or gzipped; and reads those of other programs, XQF, CBR, CBL and
// DhtmlXQ.
//
// A Source gives one game after another, in the memory of one. What cannot be read is an
// error with its place, behind which reading goes on. Nothing in a file makes it use
// memory without bound or panic.
//
// Books in SQLite (OBK, YFK) are not read: they hold hashes of positions, no games.
package pgn
