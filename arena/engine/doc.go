// Package engine plays external engines: programs that speak UCI, UCCI or UCI-Cyclone
// over their standard input and output.
//
// A Client is an arena.Player. Its idea: one goroutine per process, bound to its thread,
// starts it and reaps it; what it prints is read, into buffers of a fixed size, by the
// goroutine that waits for it, in the kernel and under one absolute deadline that nothing
// the engine prints can move. An engine that misses a deadline is killed with its whole
// process group and started again for the next game. Every failure is an *arena.Failure
// with the verdict the game deserves and, as evidence, the last lines both ways with
// microsecond stamps. A process that is kept on one processor, because it answers at once,
// frees itself when it begins to think.
//
// Isready, the position and go are sent in one write. All that is printed before the readyok
// belongs to the go before: a second bestmove is never taken for the next move. After go
// there is no question.
//
// The protocols differ in a few strings and in the base of the ranks; those differences
// are the methods of Proto. The package judges no rules beyond the legality of a move, and
// it does not decide about time losses within the absolute deadline: it reports the time,
// the engine's processor time and this machine's scheduling delay, and arena judges.
package engine
