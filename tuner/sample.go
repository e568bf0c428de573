package tuner

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// Set is what a position is for.
type Set uint8

// The sets: weights are fitted to Train, the strength of the prior and the time to stop
// are chosen on Validation, and Test is looked at once.
const (
	Train Set = iota
	Validation
	Test
	Sets
)

// String returns the set's name.
func (s Set) String() string { return [...]string{"train", "validation", "test"}[s] }

// SetOf returns the set of all games from an opening, told by what identifies the opening:
// eight in ten go to Train, one each to Validation and Test. It depends on nothing else, so
// that a game stays in its set when others are added.
func SetOf(pair string) Set {
	sum := sha256.Sum256([]byte(pair))
	switch binary.LittleEndian.Uint64(sum[:]) % 10 {
	case 8:
		return Validation
	case 9:
		return Test
	}
	return Train
}

// Coef is a feature of a position and how often it is counted, Red's less Black's, in the
// middlegame and the endgame sum.
type Coef struct {
	Index  int
	MG, EG float64
}

// Sample is a position as the fit sees it.
type Sample struct {
	Result int           // half points of Red: 0, 1, 2
	Score  results.Score // what a search said, Red's view; NoScore without one
	MG, EG float64       // factors of the two sums: phase·scale and (1−phase)·scale
	Offset float64       // centipawns that no weight changes
	Coefs  []Coef        // ascending by Index, zeros left out
}

// Points returns the half points of Red for a result, and whether it is one.
func Points(r results.Result) (int, bool) {
	switch r {
	case results.RedWins:
		return 2, true
	case results.Drawn:
		return 1, true
	case results.BlackWins:
		return 0, true
	}
	return 0, false
}

// Evaluation turns positions into coefficients. It is what a program implements to have its
// own evaluation fitted.
type Evaluation interface {
	// Names returns the features' names, in the order of Coef.Index.
	Names() []string
	// Extract sets MG, EG, Offset and Coefs of a sample, reusing the slice.
	Extract(p *movegen.Position, s *Sample)
}

// Game collects the samples of one game, the cluster within which errors are taken to be
// alike. It may be filled by another goroutine than the Writer's, and used again.
type Game struct {
	set  Set
	pair string
	n    int
	buf  []byte

	kinds []uint8 // of the coefficients of the sample that is added
}

// Reset begins a game from the opening that pair identifies.
func (g *Game) Reset(pair string) {
	*g = Game{set: SetOf(pair), pair: pair, buf: g.buf[:0], kinds: g.kinds}
}

// Len returns the number of samples.
func (g *Game) Len() int { return g.n }

// A record is a header of recordHead bytes, little endian, and the coefficients, which lie
// apart by kind because nearly all are 1 or −1 in both sums:
//
//	u8  flags: 1 the first of its game      u8  result in half points
//	i16 score                               f32 MG    f32 EG    f32 offset
//	u16 number of coefficients 1            u16 of coefficients −1
//	u16 of other integers, alike in both    u16 of all others
//	u16 indexes of each, 1 and −1           u16 index, i16 value
//	u16 index, f32 MG, f32 EG
const (
	recordHead = 24
	flagFirst  = 1
	realBytes  = 10
)

// maxFeatures is what an index of two bytes can name.
const maxFeatures = 1 << 16

var errCoefs = errors.New("coefficients are not in ascending order of their features")

// Add appends a sample. Numbers that are not finite, results that are none and features
// out of order are errors.
func (g *Game) Add(s *Sample) error {
	if s.Result < 0 || s.Result > 2 {
		return fmt.Errorf("result %d, want 0, 1 or 2 half points", s.Result)
	}
	for _, f := range [...]struct {
		name string
		v    float64
	}{{"middlegame factor", s.MG}, {"endgame factor", s.EG}, {"offset", s.Offset}} {
		if math.Abs(f.v) > math.MaxFloat32 || f.v != f.v {
			return fmt.Errorf("%s %v is no finite number", f.name, f.v)
		}
	}
	var n [4]int
	last := -1
	g.kinds = g.kinds[:0]
	for i := range s.Coefs {
		c := &s.Coefs[i]
		if c.Index <= last || c.Index >= maxFeatures {
			return fmt.Errorf("%w: feature %d after %d", errCoefs, c.Index, last)
		}
		last = c.Index
		k := kindOf(c)
		if k == kindReal && !(math.Abs(c.MG) <= math.MaxFloat32 && math.Abs(c.EG) <= math.MaxFloat32) {
			return fmt.Errorf("feature %d: coefficients %v and %v are no finite numbers", c.Index, c.MG, c.EG)
		}
		g.kinds = append(g.kinds, k)
		n[k]++
	}
	if max(n[0], n[1], n[2], n[3]) > math.MaxUint16 {
		return fmt.Errorf("%d coefficients in one position", len(s.Coefs))
	}
	g.append(s, n)
	g.n++
	return nil
}

// append writes a sample that has n coefficients of each kind, which are in g.kinds.
func (g *Game) append(s *Sample, n [4]int) {
	le := binary.LittleEndian
	flags := byte(0)
	if g.n == 0 {
		flags = flagFirst
	}
	b := append(g.buf, flags, byte(s.Result))
	b = le.AppendUint16(b, uint16(s.Score))
	for _, f := range [...]float64{s.MG, s.EG, s.Offset} {
		b = le.AppendUint32(b, math.Float32bits(float32(f)))
	}
	for _, k := range n {
		b = le.AppendUint16(b, uint16(k))
	}
	var at [4]int // where the next of each kind goes
	end := len(b)
	for k := range n {
		at[k] = end
		end += n[k] * kindBytes[k]
	}
	b = slices.Grow(b, end-len(b))[:end]
	for i, k := range g.kinds {
		c, to := &s.Coefs[i], b[at[k]:]
		at[k] += kindBytes[k]
		le.PutUint16(to, uint16(c.Index))
		switch k {
		case kindCount:
			le.PutUint16(to[2:], uint16(int16(c.MG)))
		case kindReal:
			le.PutUint32(to[2:], math.Float32bits(float32(c.MG)))
			le.PutUint32(to[6:], math.Float32bits(float32(c.EG)))
		}
	}
	g.buf = b
}

// Kinds of coefficients, in the order of a record.
const (
	kindPlus uint8 = iota
	kindMinus
	kindCount
	kindReal
)

// kindBytes is what a coefficient of each kind takes.
var kindBytes = [4]int{2, 2, 4, realBytes}

func kindOf(c *Coef) uint8 {
	switch {
	case c.MG != c.EG: // NaN too
		return kindReal
	case c.MG == 1:
		return kindPlus
	case c.MG == -1:
		return kindMinus
	case c.MG != math.Trunc(c.MG) || math.Abs(c.MG) > math.MaxInt16:
		return kindReal
	}
	return kindCount
}

// record is a stored sample; its slices lie in the mapped file.
type record struct {
	first  bool
	result int
	score  results.Score
	mg, eg float64
	offset float64
	plus   []byte // u16 each
	minus  []byte // u16 each
	count  []byte // u16, i16 each
	real   []byte // u16, f32, f32 each
}

// next reads the record at the beginning of b and returns what follows. The file was
// verified, so b holds whole records.
func (r *record) next(b []byte) []byte {
	le := binary.LittleEndian
	_ = b[recordHead-1]
	r.first = b[0]&flagFirst != 0
	r.result = int(b[1])
	r.score = results.Score(le.Uint16(b[2:]))
	r.mg = float64(math.Float32frombits(le.Uint32(b[4:])))
	r.eg = float64(math.Float32frombits(le.Uint32(b[8:])))
	r.offset = float64(math.Float32frombits(le.Uint32(b[12:])))
	n0, n1, n2, n3 := 2*int(le.Uint16(b[16:])), 2*int(le.Uint16(b[18:])), 4*int(le.Uint16(b[20:])), realBytes*int(le.Uint16(b[22:]))
	b = b[recordHead:]
	r.plus, b = b[:n0:n0], b[n0:]
	r.minus, b = b[:n1:n1], b[n1:]
	r.count, b = b[:n2:n2], b[n2:]
	r.real, b = b[:n3:n3], b[n3:]
	return b
}

// coefs appends the coefficients in the order they are stored.
func (r *record) coefs(out []Coef) []Coef {
	le := binary.LittleEndian
	for b := r.plus; len(b) > 0; b = b[2:] {
		out = append(out, Coef{int(le.Uint16(b)), 1, 1})
	}
	for b := r.minus; len(b) > 0; b = b[2:] {
		out = append(out, Coef{int(le.Uint16(b)), -1, -1})
	}
	for b := r.count; len(b) > 0; b = b[4:] {
		v := float64(int16(le.Uint16(b[2:])))
		out = append(out, Coef{int(le.Uint16(b)), v, v})
	}
	for b := r.real; len(b) > 0; b = b[realBytes:] {
		out = append(out, Coef{int(le.Uint16(b)), float64(math.Float32frombits(le.Uint32(b[2:]))), float64(math.Float32frombits(le.Uint32(b[6:])))})
	}
	return out
}
