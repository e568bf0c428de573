package movegen

import "math/bits"

// Set is a set of squares, one bit each: Lo holds ranks 0–4 upwards, Hi ranks 9–5
// downwards, 45 bits each. A rank never crosses words and a swap of the colours is a
// swap of the words.
type Set struct{ Lo, Hi uint64 }

// setBit[s] is the set of s alone.
var setBit = func() (t [128]Set) {
	for s := Square(0); s < Squares; s++ {
		if s < Squares/2 {
			t[s].Lo = 1 << s
		} else {
			f := s.Flip()
			t[s].Hi = 1 << f
		}
	}
	return t
}()

// SetOf returns the set of the given squares.
func SetOf(squares ...Square) Set {
	var t Set
	for _, s := range squares {
		t = t.With(s)
	}
	return t
}

// Has reports whether s is in the set.
func (t Set) Has(s Square) bool {
	b := &setBit[s&127]
	return t.Lo&b.Lo|t.Hi&b.Hi != 0
}

// With returns the set and s.
func (t Set) With(s Square) Set { b := &setBit[s&127]; return Set{t.Lo | b.Lo, t.Hi | b.Hi} }

// Without returns the set less s.
func (t Set) Without(s Square) Set { b := &setBit[s&127]; return Set{t.Lo &^ b.Lo, t.Hi &^ b.Hi} }

// And returns the squares in both sets.
func (t Set) And(u Set) Set { return Set{t.Lo & u.Lo, t.Hi & u.Hi} }

// Or returns the squares in either set.
func (t Set) Or(u Set) Set { return Set{t.Lo | u.Lo, t.Hi | u.Hi} }

// AndNot returns the squares of t that are not in u.
func (t Set) AndNot(u Set) Set { return Set{t.Lo &^ u.Lo, t.Hi &^ u.Hi} }

// Empty reports whether the set has no square.
func (t Set) Empty() bool { return t.Lo|t.Hi == 0 }

// Count returns the number of squares.
func (t Set) Count() int { return bits.OnesCount64(t.Lo) + bits.OnesCount64(t.Hi) }

// Pop removes and returns a square of a set that must not be empty: ranks 0–4 upwards
// first, then ranks 9–5 downwards.
func (t *Set) Pop() Square {
	if t.Lo != 0 {
		s := Square(bits.TrailingZeros64(t.Lo))
		t.Lo &= t.Lo - 1
		return s
	}
	s := hiSquare[bits.TrailingZeros64(t.Hi)&63]
	t.Hi &= t.Hi - 1
	return s
}

// hiSquare[i] is the square of bit i of Hi.
var hiSquare = func() (t [64]Square) {
	for s := Square(Squares / 2); s < Squares; s++ {
		t[s.Flip()] = s
	}
	return t
}()
