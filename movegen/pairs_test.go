package movegen

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// comparePairs compares the two-ply count with a count of every reply.
func comparePairs(t failer, p *Position) {
	t.Helper()
	before := *p
	want := 0
	var l MoveList
	var u Undo
	p.Legal(&l)
	for _, m := range l.Slice() {
		p.Make(m, &u)
		want += p.count()
		p.Unmake(m, &u)
	}
	if got := p.countPairs(); got != uint64(want) {
		t.Fatalf("%s: %d pairs, want %d:%s", p.FEN(), got, want, wrongPairs(p))
	}
	if *p != before {
		t.Fatalf("%s: the position is not what it was before", p.FEN())
	}
}

// wrongPairs lists the moves whose replies are counted wrong.
func wrongPairs(p *Position) (text string) {
	var l MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		q := *p
		n := pairs{p: &q, us: q.side, theirs: q.colors[q.side.Other()], guard: new(guard)}
		q.side ^= 1
		if n.guard.fill(&q); q.calm() {
			n.guard = nil
		}
		n.countReplies()
		q.side ^= 1
		n.sensitive()
		g := n.gate(q.board[m.From()].Type())
		n.add(&g, m.From(), SetOf(m.To()))
		var u Undo
		q.Make(m, &u)
		if want := q.count(); n.sum != want {
			text += fmt.Sprintf(" %s has %d, want %d;", m, n.sum, want)
		}
	}
	return text
}

func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { comparePairs(t, anyPosition(t)) })
}

func TestPairsRandom(t *testing.T) {
	randomPositions(2, *positions*3, func(p *Position) { comparePairs(t, p) })
}

func FuzzPairs(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if p := buildPosition(rng(seed)); p.Validate() == nil {
			comparePairs(t, p)
		}
	})
}
