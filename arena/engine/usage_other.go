//go:build !linux

package engine

import "time"

// usage is not known on this system.
type usage struct{}

func newUsage(int) *usage { return nil }

func (*usage) cpu() time.Duration   { return 0 }
func (*usage) delay() time.Duration { return 0 }
func (*usage) close()               {}

// started is an instant of both clocks.
var started = time.Now()

// suspended returns by how much the wall clock has gone ahead of the monotonic one, which
// stands still while the machine is suspended.
func suspended() time.Duration { return wallAhead(started, time.Now()) }
