//go:build checkpairs

package movegen

// checkPairs compares every two-ply count with a count ply by ply: go test -tags
// checkpairs. A difference panics.
const checkPairs = true
