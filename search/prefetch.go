//go:build amd64 || arm64

package search

// prefetch begins to load a bucket, so that it is near when the node asks for it. It is
// assembly because the compiler has no such instruction to offer, and a plain load holds
// up everything behind it until it is done: that gained nothing.
//
//go:noescape
func prefetch(b *bucket)
