//go:build race

package pgn

// underRace: the race detector makes the long files of a test twenty times as slow.
const underRace = true
