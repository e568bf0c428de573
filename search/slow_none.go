//go:build !slow3

package search

// slower makes a build slower whose tag says so; this one is not.
type slower struct{}

func (*slower) slow() {}
