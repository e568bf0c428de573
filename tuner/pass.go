package tuner

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/results"
)

// vector holds a value for each weight: the middlegame's and the endgame's of each
// feature.
type vector [][2]float64

func (v vector) clone() vector { return append(vector(nil), v...) }

// lanes is into how many parts a pass divides the blocks of a set: block b belongs to lane
// b mod lanes, and the sums of the lanes are added in their order. A thread takes one lane
// after the other, so that sums come out bit for bit the same for any number of threads.
const lanes = 32

// pass calls f for all blocks of a set, those of a lane in order, and counts the positions
// that are done.
func (d *Dataset) pass(ctx context.Context, set Set, threads, lanes int, done *atomic.Int64, f func(lane int, b *block)) error {
	blocks := d.blocks[set]
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range max(threads, 1) {
		g.Go(func() error {
			for {
				lane := int(next.Add(1)) - 1
				if lane >= lanes {
					return nil
				}
				for i := lane; i < len(blocks); i += lanes {
					if err := context.Cause(ctx); err != nil {
						return err
					}
					f(lane, &blocks[i])
					if done != nil {
						done.Add(int64(blocks[i].N))
					}
					// Who yields is not interrupted by a signal every 10 ms, which in some
					// virtual machines took a third of the time.
					runtime.Gosched()
				}
			}
		})
	}
	return g.Wait()
}

// dot returns the score of a record under the weights.
func (r *record) dot(w vector) float64 {
	le := binary.LittleEndian
	var mg, eg float64
	for b := r.units; len(b) >= 2; b = b[2:] {
		if i, sign, ok := unit(le.Uint16(b)); ok {
			mg += sign * w[i][0]
			eg += sign * w[i][1]
		}
	}
	return mg*r.mg + eg*r.eg + r.rest(w)
}

// rest returns the part of the score that does not come from units.
func (r *record) rest(w vector) float64 {
	le := binary.LittleEndian
	var mg, eg float64
	for b := r.count; len(b) >= countBytes; b = b[countBytes:] {
		n := float64(int16(le.Uint16(b[2:])))
		p := &w[le.Uint16(b)]
		mg += n * p[0]
		eg += n * p[1]
	}
	for b := r.real; len(b) >= realBytes; b = b[realBytes:] {
		p := &w[le.Uint16(b)]
		mg += float64(math.Float32frombits(le.Uint32(b[2:]))) * p[0]
		eg += float64(math.Float32frombits(le.Uint32(b[6:]))) * p[1]
	}
	return mg*r.mg + eg*r.eg + r.offset
}

// spread adds x times the derivative of the score to g.
func (r *record) spread(g vector, x float64) {
	le := binary.LittleEndian
	mg, eg := x*r.mg, x*r.eg
	for b := r.units; len(b) >= 2; b = b[2:] {
		if i, sign, ok := unit(le.Uint16(b)); ok {
			g[i][0] += sign * mg
			g[i][1] += sign * eg
		}
	}
	r.spreadRest(g, x)
}

// spreadRest is spread for all but units.
func (r *record) spreadRest(g vector, x float64) {
	le := binary.LittleEndian
	mg, eg := x*r.mg, x*r.eg
	for b := r.count; len(b) >= countBytes; b = b[countBytes:] {
		n := float64(int16(le.Uint16(b[2:])))
		p := &g[le.Uint16(b)]
		p[0] += n * mg
		p[1] += n * eg
	}
	for b := r.real; len(b) >= realBytes; b = b[realBytes:] {
		p := &g[le.Uint16(b)]
		p[0] += mg * float64(math.Float32frombits(le.Uint32(b[2:])))
		p[1] += eg * float64(math.Float32frombits(le.Uint32(b[6:])))
	}
}

// table holds a number for each unit: of every feature and, with the highest bit set, its
// negative. It is as long as an index can be, so that the compiler leaves out the checks;
// what lies beyond the features is never touched.
type table [1 << 16]float64

// Positions with the same factors share the sum MG·mg + EG·eg of each feature, which halves
// the work: one number for each coefficient to be read, and one to be added to.

// fill sets the sums of the weights.
func (t *table) fill(w vector, mg, eg float64) {
	plus, minus := t[:len(w)], t[minusUnit:][:len(w)]
	for i := range w {
		v := mg*w[i][0] + eg*w[i][1]
		plus[i], minus[i] = v, -v
	}
}

// dot returns the sum over units.
func (t *table) dot(units []byte) float64 {
	var a, b float64
	for i := 0; i <= len(units)-8; i += 8 {
		u := binary.LittleEndian.Uint64(units[i : i+8])
		a += t[uint16(u)] + t[uint16(u>>16)]
		b += t[uint16(u>>32)] + t[uint16(u>>48)]
	}
	return a + b
}

// spread adds x for each unit.
func (t *table) spread(units []byte, x float64) {
	for i := 0; i <= len(units)-8; i += 8 {
		u := binary.LittleEndian.Uint64(units[i : i+8])
		t[uint16(u)] += x
		t[uint16(u>>16)] += x
		t[uint16(u>>32)] += x
		t[uint16(u>>48)] += x
	}
}

// drain adds what was spread to a gradient and clears the table.
func (t *table) drain(g vector, mg, eg float64) {
	plus, minus := t[:len(g)], t[minusUnit:][:len(g)]
	for i := range g {
		v := plus[i] - minus[i]
		g[i][0] += mg * v
		g[i][1] += eg * v
		plus[i], minus[i] = 0, 0
	}
}

// tables is what a pass over a run needs. Records are taken in chunks, first all scores,
// then all losses, then all gradients, so that the processor need not wait for one
// position's exponential before it goes on with the next.
type tables struct {
	sum, grad table
	at        [chunk]int     // where the record begins
	score     [chunk]float64 // and then the derivative of the loss by it
}

const chunk = 128

var tablePool = sync.Pool{New: func() any { return new(tables) }}

// slopeOf adds the loss of a block to s, and its gradient unless grad is nil.
func (f *fitting) slopeOf(b *block, w vector, loss *float64, grad vector) {
	t := tablePool.Get().(*tables)
	defer tablePool.Put(t)
	var r record
	le := binary.LittleEndian
	for data := b.data; len(data) > 0; {
		r.factors(data)
		n := int(le.Uint32(data[factorBytes:]))
		data = data[runHead:]
		if 24*n < len(w) { // too few to be worth the sums
			for range n {
				data = r.next(data)
				v, g, _ := f.model.at(r.dot(w), r.result, r.score)
				*loss += v
				if grad != nil {
					r.spread(grad, g)
				}
			}
			continue
		}
		t.sum.fill(w, r.mg, r.eg)
		for ; n > 0; n -= chunk {
			data = f.chunk(t, data, min(n, chunk), &r, w, loss, grad)
		}
		if grad != nil {
			t.grad.drain(grad, r.mg, r.eg)
		}
	}
}

// chunk does n records of a run and returns what follows them.
func (f *fitting) chunk(t *tables, data []byte, n int, r *record, w vector, loss *float64, grad vector) []byte {
	le := binary.LittleEndian
	at := 0
	for i := range n {
		d := data[at:]
		units := d[recordHead:][:8*int(le.Uint16(d[12:]))]
		t.at[i&(chunk-1)] = at
		s := t.sum.dot(units)
		if at += recordHead + len(units); !plain(d) {
			at = len(data) - len(r.next(d))
			s += r.rest(w)
		}
		t.score[i&(chunk-1)] = s
	}
	sum := 0.0
	for i, s := range t.score[:n] {
		d := data[t.at[i]:]
		var v float64
		v, t.score[i], _ = f.model.at(s, int(d[6]), results.Score(le.Uint16(d[4:])))
		sum += v
	}
	*loss += sum
	if grad == nil {
		return data[at:]
	}
	for i, g := range t.score[:n] {
		d := data[t.at[i]:]
		t.grad.spread(d[recordHead:][:8*int(le.Uint16(d[12:]))], g)
		if !plain(d) {
			r.next(d)
			r.spreadRest(grad, g)
		}
	}
	return data[at:]
}

// plain reports whether a record has units alone.
func plain(d []byte) bool {
	return binary.LittleEndian.Uint64(d[12:])<<16>>32 == 0 && binary.LittleEndian.Uint32(d[8:]) == 0
}

// slope is a mean loss and its gradient.
type slope struct {
	loss float64
	grad vector
}

// gradient returns the mean loss of a set and its gradient, without the prior.
func (f *fitting) gradient(set Set, w vector) (slope, error) {
	sums := make([]slope, lanes)
	err := f.data.pass(f.ctx, set, f.Threads, lanes, &f.done, func(lane int, b *block) {
		s := &sums[lane]
		if s.grad == nil {
			s.grad = make(vector, len(w))
		}
		f.slopeOf(b, w, &s.loss, s.grad)
	})
	return total(sums, len(w), float64(f.data.Sets[set].Positions)), err
}

// total adds the sums of lanes in order and divides by n.
func total(sums []slope, size int, n float64) slope {
	t := slope{grad: make(vector, size)}
	for _, s := range sums {
		t.loss += s.loss
		for i, g := range s.grad {
			t.grad[i][0] += g[0]
			t.grad[i][1] += g[1]
		}
	}
	t.loss /= n
	for i := range t.grad {
		t.grad[i][0] /= n
		t.grad[i][1] /= n
	}
	return t
}

// meanLoss returns the mean loss of a set.
func (f *fitting) meanLoss(set Set, w vector) (float64, error) {
	var sums [lanes]float64
	err := f.data.pass(f.ctx, set, f.Threads, lanes, &f.done, func(lane int, b *block) { f.slopeOf(b, w, &sums[lane], nil) })
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	return sum / float64(f.data.Sets[set].Positions), err
}

// packed is the lower triangle of a symmetric matrix by rows; the weight of feature i in
// phase p has row 2i+p.
type packed []float64

func newPacked(n int) packed { return make(packed, n*(n+1)/2) }

// row returns row i up to the diagonal.
func (m packed) row(i int) []float64 { return m[i*(i+1)/2:][: i+1 : i+1] }

// add adds another matrix.
func (m packed) add(o packed) {
	for i, v := range o {
		m[i] += v
	}
}

// entry is an element of a sparse vector over the weights.
type entry struct {
	at int
	v  float64
}

// outer adds h·x·xᵀ for a sparse vector that ascends.
func (m packed) outer(x []entry, h float64) {
	for i, p := range x {
		row, v := m.row(p.at), h*p.v
		for _, q := range x[:i+1] {
			row[q.at] += v * q.v
		}
	}
}

// jacobian is the workspace in which a record's derivative is put in order.
type jacobian struct {
	a, b []entry
	r    record
}

// of returns the derivative of the record's score by the weights, ascending.
func (j *jacobian) of(r *record) []entry {
	le := binary.LittleEndian
	j.a = j.a[:0]
	last := -1
	for b := r.units; len(b) >= 2; b = b[2:] {
		i, sign, ok := unit(le.Uint16(b))
		switch {
		case !ok:
		case i > last:
			last = i
			j.a = append(j.a, entry{2 * i, sign * r.mg}, entry{2*i + 1, sign * r.eg})
		default: // one more of a feature that is there
			n, _ := slices.BinarySearchFunc(j.a, 2*i, func(e entry, at int) int { return e.at - at })
			j.a[n].v += sign * r.mg
			j.a[n+1].v += sign * r.eg
		}
	}
	j.merge(r.count, 4, func(b []byte) (float64, float64) {
		n := float64(int16(le.Uint16(b[2:])))
		return n, n
	}, r)
	j.merge(r.real, realBytes, func(b []byte) (float64, float64) {
		return float64(math.Float32frombits(le.Uint32(b[2:]))), float64(math.Float32frombits(le.Uint32(b[6:])))
	}, r)
	return j.a
}

// merge merges a run of stored coefficients into a.
func (j *jacobian) merge(run []byte, size int, value func([]byte) (float64, float64), r *record) {
	if len(run) == 0 {
		return
	}
	out, a := j.b[:0], j.a
	for ; len(run) > 0; run = run[size:] {
		i := 2 * int(binary.LittleEndian.Uint16(run))
		for len(a) > 0 && a[0].at < i {
			out, a = append(out, a[0], a[1]), a[2:]
		}
		mg, eg := value(run)
		out = append(out, entry{i, mg * r.mg}, entry{i + 1, eg * r.eg})
	}
	j.a, j.b = append(out, a...), j.a
}

// matrixBytes bounds what the matrices of all lanes take.
const matrixBytes = 1 << 30

// matrixLanes returns into how many lanes sums of n×n matrices are divided, 0 when not even
// one fits.
func matrixLanes(n int) int { return min(matrixBytes/(8*n*(n+1)/2), 16) }

// curvature returns the mean second derivative of the training loss, without the prior.
// Of a large set it takes every stride-th block.
func (f *fitting) curvature(w vector) (packed, error) {
	n := 2 * len(w)
	stride := f.stride()
	sums := make([]struct {
		m packed
		n int
	}, matrixLanes(n))
	err := f.data.pass(f.ctx, Train, f.Threads, len(sums), &f.done, func(lane int, b *block) {
		if b.index%stride != 0 {
			return
		}
		s := &sums[lane]
		if s.m == nil {
			s.m = newPacked(n)
		}
		var j jacobian
		r := &j.r
		for it := (records{data: b.data}); it.next(r); {
			_, _, h := f.model.at(r.dot(w), r.result, r.score)
			s.m.outer(j.of(r), h)
			s.n++
		}
	})
	if err != nil {
		return nil, err
	}
	t, count := newPacked(n), 0
	for _, s := range sums {
		t.add(s.m)
		count += s.n
	}
	for i := range t {
		t[i] /= float64(count)
	}
	return t, nil
}

// curvaturePositions is how many positions the second derivative is taken from at most,
// roughly: it costs some thirty times a gradient, and only the way to the optimum depends
// on it, not the optimum.
const curvaturePositions = 4_000_000

// stride is odd, so that what is taken is spread over all lanes.
func (f *fitting) stride() int { return 1 + f.data.Sets[Train].Positions/curvaturePositions | 1 }

// scatter returns Σ u·uᵀ over the games of the training set, u being the sum of the
// gradients of a game's positions, divided by the square of the number of positions. Of a
// large set it takes the games of every stride-th block for all.
func (f *fitting) scatter(w vector) (packed, error) {
	n := 2 * len(w)
	stride := f.stride()
	sums := make([]struct {
		m     packed
		games int
	}, matrixLanes(n))
	err := f.data.pass(f.ctx, Train, f.Threads, len(sums), &f.done, func(lane int, b *block) {
		if b.index%stride != 0 {
			return
		}
		s := &sums[lane]
		if s.m == nil {
			s.m = newPacked(n)
		}
		c := cluster{sum: make(vector, len(w)), m: s.m}
		var j jacobian
		r := &j.r
		b.inOrder(r, func() bool {
			if r.first {
				c.close()
				s.games++
			}
			_, g, _ := f.model.at(r.dot(w), r.result, r.score)
			c.add(j.of(r), g)
			return true
		})
		c.close()
	})
	if err != nil {
		return nil, err
	}
	t, looked := newPacked(n), 0
	for _, s := range sums {
		t.add(s.m)
		looked += s.games
	}
	games := float64(f.data.Sets[Train].Games)
	scale := games / float64(looked-1) / math.Pow(float64(f.data.Sets[Train].Positions), 2)
	for i := range t {
		t[i] *= scale
	}
	return t, nil
}

// cluster sums the gradients of one game.
type cluster struct {
	sum  vector
	m    packed
	list []entry
}

func (c *cluster) add(x []entry, g float64) {
	for _, e := range x {
		c.sum[e.at/2][e.at&1] += g * e.v
	}
}

// close adds the game to the matrix.
func (c *cluster) close() {
	c.list = c.list[:0]
	for i := range c.sum {
		for p, v := range c.sum[i] {
			if v != 0 {
				c.list = append(c.list, entry{2*i + p, v})
			}
		}
	}
	c.m.outer(c.list, 1)
	clear(c.sum)
}
