//go:build !linux

package arena

import (
	"errors"
	"runtime"
)

// pinThread does nothing: this system is not asked to bind threads.
func pinThread([]int) (release func()) { return func() {} }

// Cores returns an error: binding is done on Linux alone.
func Cores() ([][]int, error) {
	return nil, errors.New("games are bound to cores on Linux alone, not on " + runtime.GOOS)
}
