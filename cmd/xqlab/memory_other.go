//go:build !linux

package main

// addressSpaceLeft returns how many bytes more this process may map, which is not asked
// on this system.
func addressSpaceLeft() (uint64, bool) { return 0, false }
