package movegen

import "math/bits"

// MaxMoves bounds the legal moves of any valid position: two rooks and two cannons of
// 17, two horses of 8, two elephants and two advisors of 4, five soldiers of 3, a king
// of 4 make 119.
const MaxMoves = 128

// MoveList is a list of moves that needs no allocation.
type MoveList struct {
	moves [MaxMoves]Move
	n     int
}

// Len returns the number of moves.
func (l *MoveList) Len() int { return l.n }

// At returns move i.
func (l *MoveList) At(i int) Move { return l.moves[i&(MaxMoves-1)] }

// Slice returns the moves; it is valid until the list changes.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }

// Clear empties the list.
func (l *MoveList) Clear() { l.n = 0 }

// Add appends a move.
func (l *MoveList) Add(m Move) {
	l.moves[l.n&(MaxMoves-1)] = m
	l.n++
}

// addAll appends the moves of the piece on from to every target.
func (l *MoveList) addAll(from Square, targets Set) {
	n, base := l.n, Move(from)<<7
	for b := targets.Lo; b != 0; b &= b - 1 {
		l.moves[n&(MaxMoves-1)] = base | Move(bits.TrailingZeros64(b))
		n++
	}
	for b := targets.Hi; b != 0; b &= b - 1 {
		l.moves[n&(MaxMoves-1)] = base | Move(hiSquare[bits.TrailingZeros64(b)&63])
		n++
	}
	l.n = n
}
