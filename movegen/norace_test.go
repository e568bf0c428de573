//go:build !race

package movegen

const raceEnabled = false
