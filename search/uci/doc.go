// Package uci is the built-in engine's protocol side. It answers UCI as Pikafish speaks
// it (ranks 0–9), UCI-Cyclone's bare startpos and fen lines, and UCCI 3.0, whichever the
// other side begins with.
//
// It reads lines and writes lines; searching is package search's work. Bad input is
// answered by an "info string" line and changes nothing, but that the moves before a bad one
// are played, and that an unknown word of go is passed over.
package uci
