// Package engine plays external engines: programs that speak UCI, UCCI or UCI-Cyclone
// over their standard input and output.
//
// A Client is an arena.Player. Its idea: one goroutine per process, bound to its thread,
// starts it and reaps it; one reads everything it prints, at all times, into buffers of a
// fixed size; whoever waits does so under one absolute deadline that nothing the engine
// prints can move. An engine that misses a deadline is killed with its whole process group
// and started again for the next game. Every failure is an *arena.Failure with the verdict
// the game deserves and, as evidence, the last lines both ways with microsecond stamps.
//
// The protocols differ in a few strings and in the base of the ranks; those differences
// are the methods of Proto. The package judges no rules beyond the legality of a move, and
// it does not decide about time losses within the absolute deadline: it reports the time,
// the engine's processor time and this machine's scheduling delay, and arena judges.
package engine
