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

	units []int8 // of each coefficient of the sample that is added, 0 for other kinds
}

// Reset begins a game from the opening that pair identifies.
func (g *Game) Reset(pair string) {
	*g = Game{set: SetOf(pair), pair: pair, buf: g.buf[:0], units: g.units}
}

// Len returns the number of samples.
func (g *Game) Len() int { return g.n }

// A record is a header of recordHead bytes, little endian, and the coefficients:
//
//	u32 number of the position in its block; the highest bit says that it begins a game
//	i16 score          u8  result in half points       u8  0
//	f32 offset
//	u16 units, in fours     u16 counts     u16 reals     u16 0
//	units:  u16 feature, with the highest bit for −1; unitMax and less come as so many units,
//	        the further ones behind all others; filled up with noFeature
//	counts: u16 feature, i16 count, alike in both sums
//	reals:  u16 feature, f32 in the middlegame, f32 in the endgame
//
// Nearly all coefficients are units, and one loop without a branch in it goes through them.
// The factors lie before the record while its game is being filled, and before a run of
// records with the same factors in the file.
const (
	recordHead  = 20
	flagFirst   = 1 << 31
	minusUnit   = 1 << 15
	noFeature   = 1<<15 - 1
	unitMax     = 8
	countBytes  = 4
	realBytes   = 10
	factorBytes = 8
)

// maxFeatures is what an index can name.
const maxFeatures = noFeature

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
	var n [3]int
	last := -1
	g.units = g.units[:0]
	for i := range s.Coefs {
		c := &s.Coefs[i]
		if c.Index <= last || c.Index >= maxFeatures {
			return fmt.Errorf("%w: feature %d after %d", errCoefs, c.Index, last)
		}
		last = c.Index
		kind, units := kindOf(c)
		switch kind {
		case kindUnit:
			n[kind] += int(max(units, -units))
		case kindReal:
			if !(math.Abs(c.MG) <= math.MaxFloat32 && math.Abs(c.EG) <= math.MaxFloat32) {
				return fmt.Errorf("feature %d: coefficients %v and %v are no finite numbers", c.Index, c.MG, c.EG)
			}
			fallthrough
		default:
			n[kind]++
		}
		g.units = append(g.units, units)
	}
	n[kindUnit] = (n[kindUnit] + 3) / 4
	if max(n[0], n[1], n[2]) > math.MaxUint16 {
		return fmt.Errorf("%d coefficients in one position", len(s.Coefs))
	}
	g.append(s, n)
	g.n++
	return nil
}

// append writes a sample with so many coefficients of each kind.
func (g *Game) append(s *Sample, n [3]int) {
	le := binary.LittleEndian
	number := uint32(0)
	if g.n == 0 {
		number = flagFirst
	}
	b := le.AppendUint32(g.buf, math.Float32bits(float32(s.MG)))
	b = le.AppendUint32(b, math.Float32bits(float32(s.EG)))
	b = le.AppendUint32(b, number)
	b = le.AppendUint16(b, uint16(s.Score))
	b = append(b, byte(s.Result), 0)
	b = le.AppendUint32(b, math.Float32bits(float32(s.Offset)))
	for _, k := range n {
		b = le.AppendUint16(b, uint16(k))
	}
	b = append(b, 0, 0)
	b = appendUnits(b, s.Coefs, g.units, n[kindUnit])
	for kind := kindCount; kind <= kindReal; kind++ {
		if n[kind] == 0 {
			continue
		}
		for i := range s.Coefs {
			c := &s.Coefs[i]
			if k, _ := kindOf(c); k != kind {
				continue
			}
			b = le.AppendUint16(b, uint16(c.Index))
			switch kind {
			case kindCount:
				b = le.AppendUint16(b, uint16(int16(c.MG)))
			case kindReal:
				b = le.AppendUint32(b, math.Float32bits(float32(c.MG)))
				b = le.AppendUint32(b, math.Float32bits(float32(c.EG)))
			}
		}
	}
	g.buf = b
}

// appendUnits writes the units: each feature once, then the further ones of those with
// several, then what fills the last four up.
func appendUnits(b []byte, coefs []Coef, units []int8, fours int) []byte {
	le := binary.LittleEndian
	at, end := len(b), len(b)+8*fours
	b = slices.Grow(b, end-at)[:end]
	for more, again := int8(0), true; again; more++ {
		again = false
		for i, n := range units {
			if n <= more && n >= -more {
				continue
			}
			u := uint16(coefs[i].Index)
			if n < 0 {
				n, u = -n, u|minusUnit
			}
			le.PutUint16(b[at:], u)
			at += 2
			again = again || n > more+1
		}
	}
	for ; at < end; at += 2 {
		le.PutUint16(b[at:], noFeature)
	}
	return b
}

// Kinds of coefficients, in the order of a record.
const (
	kindUnit = iota
	kindCount
	kindReal
)

// kindOf returns the kind of a coefficient and, of units, how many with which sign.
func kindOf(c *Coef) (kind int, units int8) {
	if c.MG != c.EG { // NaN too
		return kindReal, 0
	}
	if c.MG >= -unitMax && c.MG <= unitMax {
		if n := int8(c.MG); float64(n) == c.MG {
			return kindUnit, n
		}
		return kindReal, 0
	}
	if c.MG != math.Trunc(c.MG) || math.Abs(c.MG) > math.MaxInt16 {
		return kindReal, 0
	}
	return kindCount, 0
}

// record is a stored sample; its slices lie in the mapped file.
type record struct {
	first  bool
	result int
	score  results.Score
	mg, eg float64 // the run's
	offset float64
	units  []byte // u16 each
	count  []byte // u16, i16 each
	real   []byte // u16, f32, f32 each
}

// factors reads the factors at the beginning of b.
func (r *record) factors(b []byte) {
	le := binary.LittleEndian
	r.mg = float64(math.Float32frombits(le.Uint32(b)))
	r.eg = float64(math.Float32frombits(le.Uint32(b[4:])))
}

// next reads all else of the record at the beginning of b and returns what follows. The
// file was verified, so b holds whole records.
func (r *record) next(b []byte) []byte {
	le := binary.LittleEndian
	_ = b[recordHead-1]
	r.first = le.Uint32(b)&flagFirst != 0
	r.score = results.Score(le.Uint16(b[4:]))
	r.result = int(b[6])
	r.offset = float64(math.Float32frombits(le.Uint32(b[8:])))
	n := le.Uint64(b[12:])
	n0, n1, n2 := 8*int(uint16(n)), countBytes*int(uint16(n>>16)), realBytes*int(uint16(n>>32))
	b = b[recordHead:]
	r.units, b = b[:n0:n0], b[n0:]
	r.count, b = b[:n1:n1], b[n1:]
	r.real, b = b[:n2:n2], b[n2:]
	return b
}

// unit returns feature and sign of a unit, and false for what fills up.
func unit(u uint16) (feature int, sign float64, ok bool) {
	return int(u &^ minusUnit), 1 - 2*float64(u>>15), u != noFeature
}

// raw appends the coefficients as they are stored: several units of a feature come apart.
func (r *record) raw(out []Coef) []Coef {
	le := binary.LittleEndian
	for b := r.units; len(b) >= 2; b = b[2:] {
		if i, sign, ok := unit(le.Uint16(b)); ok {
			out = append(out, Coef{i, sign, sign})
		}
	}
	for b := r.count; len(b) >= countBytes; b = b[countBytes:] {
		v := float64(int16(le.Uint16(b[2:])))
		out = append(out, Coef{int(le.Uint16(b)), v, v})
	}
	for b := r.real; len(b) >= realBytes; b = b[realBytes:] {
		out = append(out, Coef{int(le.Uint16(b)), float64(math.Float32frombits(le.Uint32(b[2:]))), float64(math.Float32frombits(le.Uint32(b[6:])))})
	}
	return out
}

// coefs appends the coefficients, ascending and each once.
func (r *record) coefs(out []Coef) []Coef {
	start := len(out)
	out = r.raw(out)
	list := out[start:]
	slices.SortFunc(list, func(a, b Coef) int { return a.Index - b.Index })
	n := 0
	for i, c := range list {
		if i > 0 && list[n-1].Index == c.Index {
			list[n-1].MG += c.MG
			list[n-1].EG += c.EG
			continue
		}
		list[n] = c
		n++
	}
	return out[:start+n]
}
