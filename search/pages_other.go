//go:build !linux

package search

// useHugePages does nothing: only Linux is asked for large pages.
func useHugePages[T any]([]T) {}
