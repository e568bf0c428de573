//go:build !linux

package engine

import "time"

// usage is not known on this system.
type usage struct{}

func newUsage(int) *usage { return nil }

func (*usage) cpu() time.Duration   { return 0 }
func (*usage) delay() time.Duration { return 0 }
func (*usage) close()               {}

// ownThreads is not known either.
type ownThreads struct{}

type threadWait struct{}

func own() *ownThreads { return nil }

func (*ownThreads) waits(list []threadWait) []threadWait       { return list }
func (*ownThreads) since(_ []threadWait, id int) time.Duration { return 0 }

func threadID() int { return 0 }

// started is an instant of both clocks.
var started = time.Now()

// suspended returns by how much the wall clock has gone ahead of the monotonic one, which
// stands still while the machine is suspended.
func suspended() time.Duration { return wallAhead(started, time.Now()) }
