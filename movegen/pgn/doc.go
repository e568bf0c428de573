// Package pgn reads and writes games of Xiangqi: PGN in every notation, JSON lines and
// EPD, plain or gzipped.
package pgn
