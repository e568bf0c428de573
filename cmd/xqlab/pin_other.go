//go:build !linux && !windows

package main

import "errors"

// pin refuses: this system offers no binding of a process to a core.
func pin(int) error { return errors.New("pinning: this system does not offer it") }

// cores is empty: there is nothing to pin to.
func cores() []int { return nil }
