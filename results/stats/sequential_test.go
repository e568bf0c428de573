package stats

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func newSequential(t interface{ Fatal(...any) }, s SPRT) *Sequential {
	q, err := NewSequential(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

var wide = SPRT{Normalized, 0, 40, 0.05, 0.05}

// Any order of arrival gives the same verdict on the same pairs, and nothing after the verdict changes it.
func TestSequentialOrderAndVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.IntRange(-1, 4), 1, 400).Draw(t, "cells")
		inOrder := newSequential(t, wide)
		feed := func(q *Sequential, pair int) {
			if err := q.put(pair, cells[pair]); err != nil { // −1 is a pair skipped
				t.Fatal(err)
			}
		}
		var verdict SPRTState
		for i := range cells {
			feed(inOrder, i)
			if now := inOrder.State(); verdict.State == AcceptH0 || verdict.State == AcceptH1 {
				if now != verdict {
					t.Fatalf("verdict %+v became %+v", verdict, now)
				}
			} else {
				verdict = now
			}
		}
		mixed := newSequential(t, wide)
		for _, i := range rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))).Perm(len(cells)) {
			feed(mixed, i)
			feed(mixed, i) // as a resume may
		}
		if mixed.State() != inOrder.State() || mixed.Penta() != inOrder.Penta() || mixed.Next() != inOrder.Next() {
			t.Fatalf("in order %+v after %v, mixed %+v after %v", inOrder.State(), inOrder.Penta(), mixed.State(), mixed.Penta())
		}
	})
}

// Without a verdict the LLR is that of the total, and the stops lie within the bounds.
func TestSequentialAgreesWithTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newSequential(t, wide)
		for i, c := range rapid.SliceOfN(rapid.IntRange(0, 4), 0, 200).Draw(t, "cells") {
			if err := q.Add(i, c); err != nil {
				t.Fatal(err)
			}
			st := q.State()
			if total := state(t, wide, q.Penta()); total.LLR != st.LLR || total.Lower != st.Lower {
				t.Fatalf("total %+v, sequential %+v", total, st)
			}
			if st.StopLower < st.Lower || st.StopUpper > st.Upper || st.StopLower > 0 || st.StopUpper < 0 {
				t.Fatalf("stops out of bounds: %+v", st)
			}
			if e := q.Estimate(); !finite(e.Elo, e.Low, e.High, e.LOS) || e.Low > e.Elo || e.Elo > e.High {
				t.Fatalf("%v: estimate %+v", q.Penta(), e)
			}
		}
	})
}

func TestSequentialWaitsForTheGap(t *testing.T) {
	q := newSequential(t, wide)
	for pair := 1; pair < 200; pair++ {
		if err := q.Add(pair, 4); err != nil {
			t.Fatal(err)
		}
	}
	if q.State().State != Continue || q.Next() != 0 || q.Penta() != (Penta{}) {
		t.Fatalf("read beyond the missing pair 0: %+v", q.State())
	}
	if err := q.Skip(0); err != nil {
		t.Fatal(err)
	}
	if got := q.State(); got.State != AcceptH1 || q.Penta()[4] >= 199 {
		t.Fatalf("after the gap closed: %+v, %v", got, q.Penta())
	}
}

// The excess of a walk of equal steps past its record is half a step.
func TestOvershootOfEqualSteps(t *testing.T) {
	var r records
	for _, x := range []float64{0.2, 0.4, 0.1, 0.3, 0.6, 0.8} {
		r.reach(x)
	}
	if got := r.excess(); got < 0.0999 || got > 0.1001 {
		t.Errorf("excess %v, want 0.1", got)
	}
	if got := (&records{}).excess(); got != 0 {
		t.Errorf("excess of nothing %v", got)
	}
}

func TestSequentialRefuses(t *testing.T) {
	if _, err := NewSequential(SPRT{Bayesian, 0, 5, 0.05, 0.05}); err == nil {
		t.Error("a model without pairs is taken")
	}
	if _, err := NewSequential(SPRT{Normalized, 5, 5, 0.05, 0.05}); err == nil {
		t.Error("equal bounds are taken")
	}
	q := newSequential(t, wide)
	for name, err := range map[string]error{
		"cell 5": q.Add(0, 5), "cell -1": q.Add(0, -1), "pair -1": q.Add(-1, 2), "skip -1": q.Skip(-1),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := q.Add(7, 2); err != nil {
		t.Fatal(err)
	}
	if err := q.Add(7, 3); err == nil {
		t.Error("a pair with two results is taken")
	}
}

func BenchmarkSequential(b *testing.B) {
	q := newSequential(b, SPRT{Normalized, 0, 0.001, 1e-9, 1e-9})
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; b.Loop(); i++ {
		if err := q.Add(i, rng.IntN(5)); err != nil {
			b.Fatal(err)
		}
	}
}
