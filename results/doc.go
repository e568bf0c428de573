// Package results keeps what has been played, tuned and measured: the records and the
// SQLite database that holds them.
package results
