// Package arena plays games between engine configurations.
//
// A game and both its engines are a chain of which one link works at a time. Where the
// engines answer at once, its time is that of the wakes from one to the next, and those are
// shortest on one processor: such games are bound to one each, without being asked to, for as
// long as no engine thinks (Linux alone).
package arena
