//go:build race

package search

// raced is set under the race detector, which makes a search fifty times slower.
const raced = true
