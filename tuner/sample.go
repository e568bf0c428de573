package tuner

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
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
	Class  int           // what the factors hold a scale of (see FitScales), from 1; 0 for none
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
	set    Set
	pair   string
	buf    []byte  // records
	pieces []piece // one for each
	tally  Counts  // With is as long as the features that came need it

	at    int         // where the record that is added begins
	more  []moreUnits // of it
	tails [kindReal + 1][]byte
}

// piece is a record of a game, or of a block that is being written.
type piece struct {
	factors uint64 // bits of MG, then EG
	len     int32
	run     int32 // that it belongs to, once that is known
}

// moreUnits are units of a feature behind its first.
type moreUnits struct {
	unit uint16
	n    int8
}

// Reset begins a game from the opening that pair identifies.
func (g *Game) Reset(pair string) {
	g.set, g.pair = SetOf(pair), pair
	g.buf, g.pieces = g.buf[:0], g.pieces[:0]
	clear(g.tally.With)
	g.tally = Counts{With: g.tally.With}
}

// Len returns the number of samples.
func (g *Game) Len() int { return len(g.pieces) }

// A record is a header of recordHead bytes, little endian, and the coefficients:
//
//	u32 number of the position in its block; the highest bit says that it begins a game
//	i16 score          u8  result in half points       u8  0
//	f32 offset
//	u16 units, in fours     u16 counts     u16 reals     u16 class
//	units:  u16 feature, with the highest bit for −1; unitMax and less come as so many units,
//	        the further ones behind all others; filled up with noFeature
//	counts: u16 feature, i16 count, alike in both sums
//	reals:  u16 feature, f32 in the middlegame, f32 in the endgame
//
// Nearly all coefficients are units, and one loop without a branch in it goes through them.
// The factors lie before a run of records with the same factors in the file.
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
	if err := s.check(); err != nil {
		return err
	}
	g.begin(s, len(s.Coefs))
	last := -1
	for i := range s.Coefs {
		c := &s.Coefs[i]
		if c.Index <= last || c.Index >= maxFeatures {
			g.drop()
			return fmt.Errorf("%w: feature %d after %d", errCoefs, c.Index, last)
		}
		last = c.Index
		switch kind, units := kindOf(c); {
		case kind == kindUnit && units != 0:
			g.unit(c.Index, units)
		case kind == kindCount:
			g.count(c.Index, int16(c.MG))
		case kind == kindReal:
			if !(math.Abs(c.MG) <= math.MaxFloat32 && math.Abs(c.EG) <= math.MaxFloat32) {
				g.drop()
				return fmt.Errorf("feature %d: coefficients %v and %v are no finite numbers", c.Index, c.MG, c.EG)
			}
			g.real(c)
		}
	}
	return g.end(s)
}

// addTrace appends a sample whose coefficients are counts, alike in both sums: of the
// built-in evaluation, without the way over Coefs.
func (g *Game) addTrace(s *Sample, counts []int16) error {
	if err := s.check(); err != nil {
		return err
	}
	g.begin(s, len(counts))
	at := len(g.buf)
	room := g.buf[at : at+2*len(counts)] // that begin has made
	units := 0
	for from := 0; from < len(counts); from += maskBits {
		part := counts[from:min(from+maskBits, len(counts))]
		for left := nonZero(part); left != 0; left &= left - 1 {
			j := bits.TrailingZeros64(left)
			n := part[j]
			if -unitMax > n || n > unitMax {
				g.count(from+j, n)
				continue
			}
			u := uint16(from+j) | uint16(n)&minusUnit
			binary.LittleEndian.PutUint16(room[2*units:], u)
			units++
			if n < -1 || n > 1 {
				g.more = append(g.more, moreUnits{u, int8(max(n, -n)) - 1})
			}
		}
	}
	g.buf = g.buf[:at+2*units]
	return g.end(s)
}

// maskBits is how many numbers nonZero looks at.
const maskBits = 64

// nonZero has a bit for each of up to maskBits numbers that is not 0. Nearly all are: a
// branch at each, or at some together, would cost more than all that is done with the others.
func nonZero(list []int16) (mask uint64) {
	const (
		low    = 0x7fff7fff7fff7fff
		gather = 1<<48 | 1<<33 | 1<<18 | 1<<3 // moves bits 0, 16, 32, 48 to 48 to 51
	)
	i := 0
	for ; i+4 <= len(list); i += 4 {
		c := list[i : i+4 : i+4]
		x := uint64(uint16(c[0])) | uint64(uint16(c[1]))<<16 | uint64(uint16(c[2]))<<32 | uint64(uint16(c[3]))<<48
		high := (x&low + low | x) &^ low >> 15 // bit 0 of each quarter that is not 0
		mask |= high * gather >> 48 & 15 << i
	}
	for ; i < len(list); i++ {
		if list[i] != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// check reports what a file of samples cannot hold, coefficients aside.
func (s *Sample) check() error {
	if s.Result < 0 || s.Result > 2 {
		return fmt.Errorf("result %d, want 0, 1 or 2 half points", s.Result)
	}
	for i, v := range [...]float64{s.MG, s.EG, s.Offset} {
		if math.Abs(v) > math.MaxFloat32 || v != v {
			return fmt.Errorf("%s %v is no finite number", [...]string{"middlegame factor", "endgame factor", "offset"}[i], v)
		}
	}
	if s.Class < 0 || s.Class > math.MaxUint16 {
		return fmt.Errorf("class %d, want 0 to %d", s.Class, math.MaxUint16)
	}
	return nil
}

// begin makes room for a record with so many features at most; its head is written by end.
func (g *Game) begin(s *Sample, features int) {
	const unitsOfEach = 2 // the first of each, and what fills up
	factors := uint64(math.Float32bits(float32(s.MG))) | uint64(math.Float32bits(float32(s.EG)))<<32
	g.pieces = append(g.pieces, piece{factors: factors})
	g.at = len(g.buf)
	g.buf = slices.Grow(g.buf, recordHead+unitsOfEach*(features+3))
	g.buf = g.buf[:len(g.buf)+recordHead]
	g.more = g.more[:0]
	for k := range g.tails {
		g.tails[k] = g.tails[k][:0]
	}
}

// drop takes the record under way back.
func (g *Game) drop() {
	g.buf, g.pieces = g.buf[:g.at], g.pieces[:len(g.pieces)-1]
}

// unit adds the first of so many units of a feature; the others come when all have theirs.
func (g *Game) unit(i int, n int8) {
	u := uint16(i)
	if n < 0 {
		n, u = -n, u|minusUnit
	}
	g.buf = append(g.buf, byte(u), byte(u>>8))
	if n > 1 {
		g.more = append(g.more, moreUnits{u, n - 1})
	}
}

func (g *Game) count(i int, n int16) {
	b := binary.LittleEndian.AppendUint16(g.tails[kindCount], uint16(i))
	g.tails[kindCount] = binary.LittleEndian.AppendUint16(b, uint16(n))
}

func (g *Game) real(c *Coef) {
	b := binary.LittleEndian.AppendUint16(g.tails[kindReal], uint16(c.Index))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(c.MG)))
	g.tails[kindReal] = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(c.EG)))
}

// end completes the record under way and counts it.
func (g *Game) end(s *Sample) error {
	le := binary.LittleEndian
	units := g.at + recordHead
	firsts := len(g.buf)
	for left := len(g.more); left > 0; { // once more round those that have some left
		left = 0
		for _, m := range g.more {
			g.buf = le.AppendUint16(g.buf, m.unit)
			if m.n > 1 {
				g.more[left] = moreUnits{m.unit, m.n - 1}
				left++
			}
		}
		g.more = g.more[:left]
	}
	for (len(g.buf)-units)%8 != 0 {
		g.buf = le.AppendUint16(g.buf, noFeature)
	}
	n := [...]int{(len(g.buf) - units) / 8, len(g.tails[kindCount]) / countBytes, len(g.tails[kindReal]) / realBytes}
	if max(n[0], n[1], n[2]) > math.MaxUint16 {
		g.drop()
		return fmt.Errorf("%d coefficients in one position", len(s.Coefs))
	}
	g.tallyOf(g.buf[units:firsts], 2)
	g.tallyOf(g.tails[kindCount], countBytes)
	g.tallyOf(g.tails[kindReal], realBytes)
	g.buf = append(append(g.buf, g.tails[kindCount]...), g.tails[kindReal]...)
	number := uint32(0)
	if len(g.pieces) == 1 {
		number = flagFirst
	}
	head := g.buf[g.at:units:units]
	le.PutUint32(head, number)
	le.PutUint16(head[4:], uint16(s.Score))
	head[6], head[7] = byte(s.Result), 0
	le.PutUint32(head[8:], math.Float32bits(float32(s.Offset)))
	le.PutUint64(head[12:], uint64(n[0])|uint64(n[1])<<16|uint64(n[2])<<32|uint64(s.Class)<<48)
	g.pieces[len(g.pieces)-1].len = int32(len(g.buf) - g.at)
	g.tally.Positions++
	g.tally.Results[s.Result]++
	if s.Score.Known() {
		g.tally.Scored++
	}
	return nil
}

// tallyOf counts features, one in each so many bytes.
func (g *Game) tallyOf(list []byte, stride int) {
	for ; len(list) >= stride; list = list[stride:] {
		i := int(binary.LittleEndian.Uint16(list) &^ minusUnit)
		if i >= len(g.tally.With) {
			g.tally.With = append(g.tally.With, make([]int, i+1-len(g.tally.With))...)
		}
		g.tally.With[i]++
	}
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
	class  int
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
	r.class = int(n >> 48)
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
