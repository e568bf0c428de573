//go:build !checkpairs

package movegen

// checkPairs is on with the build tag checkpairs.
const checkPairs = false
