package stats

import (
	"fmt"
	"math"
)

// Sequential is a running SPRT over pairs. It takes pairs in any order and reads them in the order of
// their numbers, the longest prefix without a gap, so that its verdict does not depend on which
// games finish first (short ones are not a fair sample). A verdict is final: pairs after it change nothing.
//
// An LLR moves in steps and passes a bound by a part of a step, which makes a test longer than its risks
// ask for. As in fishtest, the mean excess (Siegmund, "Sequential Analysis", 1985, chapter X) is
// measured on the test's own record lows and highs, and the bounds are moved in by it.
type Sequential struct {
	test     SPRT
	state    SPRTState
	penta    Penta
	next     int
	waiting  map[int]int
	low, top records
}

// skipped stands for the cell of a pair that counts for nothing.
const skipped = -1

// records measures by how much a random walk passes its record: Σδ²/2Σδ over the steps δ to a new one.
type records struct{ last, sum, squares float64 }

func (r *records) reach(x float64) {
	if d := x - r.last; d > 0 {
		r.last, r.sum, r.squares = x, r.sum+d, r.squares+d*d
	}
}

func (r *records) excess() float64 {
	if r.sum == 0 {
		return 0
	}
	return r.squares / (2 * r.sum)
}

// NewSequential returns a test that has read nothing. Errors: those of Validate, and a
// model that knows no pairs.
func NewSequential(test SPRT) (*Sequential, error) {
	if err := test.Validate(); err != nil {
		return nil, err
	}
	if test.Model == Bayesian {
		return nil, errBayesianPairs
	}
	q := &Sequential{test: test, waiting: map[int]int{}}
	q.state.Lower, q.state.Upper = test.Bounds()
	q.state.StopLower, q.state.StopUpper = q.state.Lower, q.state.Upper
	q.state.State = Continue
	return q, nil
}

// Add gives the result of pair number pair (from 0), cell its index in Penta: the points of the first
// engine in both games, doubled. A pair given again, as after a resume, is not counted twice; one
// that still waits to be read must be the same.
func (q *Sequential) Add(pair, cell int) error {
	if cell < 0 || cell >= len(q.penta) {
		return fmt.Errorf("pair %d: cell %d: must be from 0 to 4", pair, cell)
	}
	return q.put(pair, cell)
}

// Skip says that pair number pair will never be whole (not played), so that those after it
// need not wait for it.
func (q *Sequential) Skip(pair int) error { return q.put(pair, skipped) }

func (q *Sequential) put(pair, cell int) error {
	if pair < 0 {
		return fmt.Errorf("pair %d: must be from 0", pair)
	}
	if old, ok := q.waiting[pair]; ok && old != cell {
		return fmt.Errorf("pair %d: given twice, as cell %d and %d", pair, old, cell)
	}
	if pair < q.next || q.state.State != Continue {
		return nil
	}
	q.waiting[pair] = cell
	for q.state.State == Continue {
		cell, ok := q.waiting[q.next]
		if !ok {
			return nil
		}
		delete(q.waiting, q.next)
		q.next++
		if cell != skipped {
			q.penta[cell]++
			q.read()
		}
	}
	return nil
}

// read judges the pairs read so far.
func (q *Sequential) read() {
	st := &q.state
	st.LLR = q.test.llr(q.penta.cells())
	q.low.reach(-st.LLR)
	q.top.reach(st.LLR)
	st.StopLower = math.Min(st.Lower+q.low.excess(), 0)
	st.StopUpper = math.Max(st.Upper-q.top.excess(), 0)
	switch {
	case st.LLR <= st.StopLower:
		st.State = AcceptH0
	case st.LLR >= st.StopUpper:
		st.State = AcceptH1
	}
}

// State returns where the test stands after the pairs read, or stood when it ended.
func (q *Sequential) State() SPRTState { return q.state }

// Penta returns the pairs read, up to the verdict.
func (q *Sequential) Penta() Penta { return q.penta }

// Next returns the number of the first pair not read: all before it count, or are skipped.
func (q *Sequential) Next() int { return q.next }

// Test returns the test's definition.
func (q *Sequential) Test() SPRT { return q.test }

// Estimate returns the median-unbiased strength after the pairs read.
func (q *Sequential) Estimate() Estimate {
	e, err := q.test.EstimatePenta(q.penta, q.state.State)
	if err != nil {
		panic(err) // NewSequential and Add let nothing through that could fail
	}
	return e
}
