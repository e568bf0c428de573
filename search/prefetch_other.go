//go:build !amd64 && !arm64

package search

// prefetch does nothing where no instruction for it is known.
func prefetch(*bucket) {}
