//go:build !race

package pgn

const underRace = false
