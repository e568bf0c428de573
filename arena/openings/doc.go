// Package openings gives each pair of games the start it is played from.
//
// A Book is a sequence of distinct openings: the lines of an EPD or PGN file, an embedded
// book, the start position alone, or random plies made on the fly. Opening(k) is a pure
// function of the book, its seed and k, so that a run that goes on after an interruption
// gets the openings it would have got, in whatever order it asks; random ones that it has
// had it keeps, also if the judge has changed. No opening is used twice before all were.
//
// The accepted lines of a file are kept in memory, compressed in small blocks: about a
// third of the file, also for gzipped ones, and nothing depends on the file once the book
// is open. Broken lines and duplicates are skipped and reported with their number.
//
// A Maker makes books, Check checks them. The package judges positions only by the
// function it is given.
package openings
