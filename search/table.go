package search

import (
	"math/bits"
	"sync/atomic"

	"github.com/xqlab/xqlab/movegen"
)

// bound says what a table score is.
type bound uint8

const (
	noBound    bound = iota
	upperBound       // the true score is at most this
	lowerBound       // the true score is at least this
	exactBound
)

// entry is what the table knows of a position.
type entry struct {
	move  movegen.Move
	score int // counted from the node; valid with a bound
	eval  int // static evaluation from the side to move, or noScore
	depth int
	bound bound
	pv    bool // was part of a principal variation
}

// slot is an entry in two words: data, and key xor data, so that a slot torn by two
// threads writing at once fails its key (Hyatt and Mann, "A lock-less transposition
// table implementation for parallel search", 2002).
type slot struct{ check, data uint64 }

const (
	bucketSize = 4 // one cache line
	ageStep    = 8 // depth that an entry of the search before is worth less
	ageMask    = 127
	depthShift = 64 // stored depths are −64 to 191
)

type bucket [bucketSize]slot

// table is a transposition table shared by threads without locks.
type table struct {
	buckets []bucket
	age     uint64
	shared  bool // several threads write
	// written marks the blocks of 1<<shift buckets that are not empty, so that clearing
	// costs in proportion to what was stored.
	written [tableBlocks]bool
	shift   int
}

// tableBlocks is the number of blocks at most, a power of two.
const tableBlocks = 1024

// newTable makes a table of about mb mebibytes, at least one bucket.
func newTable(mb int, shared bool) *table {
	n := max(mb<<20/(16*bucketSize), 1)
	t := &table{buckets: make([]bucket, n), shared: shared}
	t.shift = max(bits.Len(uint(n-1))-bits.Len(tableBlocks-1), 0)
	useHugePages(t.buckets)
	return t
}

// clear empties the table.
func (t *table) clear() {
	for i, w := range t.written {
		if w {
			begin := min(i<<t.shift, len(t.buckets))
			clear(t.buckets[begin:min(begin+1<<t.shift, len(t.buckets))])
		}
	}
	clear(t.written[:])
	t.age = 0
}

// newSearch makes all entries one search older.
func (t *table) newSearch() {
	t.age = (t.age + 1) & ageMask
	if t.shared { // threads do not mark what they write
		for i := range t.written {
			t.written[i] = true
		}
	}
}

func (t *table) bucket(key uint64) *bucket { return &t.buckets[t.index(key)] }

func (t *table) index(key uint64) uint64 {
	i, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return i
}

// pack lays an entry out in 64 bits: move 14, pv 1, depth 8, bound 2, age 7, score 16,
// eval 16.
func pack(e *entry, age uint64) uint64 {
	d := uint64(e.move&0x3fff) | uint64(uint8(e.depth+depthShift))<<15 | uint64(e.bound)<<23 |
		age<<25 | uint64(uint16(e.score))<<32 | uint64(uint16(e.eval))<<48
	if e.pv {
		d |= 1 << 14
	}
	return d
}

func unpack(d uint64) entry {
	return entry{
		move:  movegen.Move(d & 0x3fff),
		pv:    d>>14&1 != 0,
		depth: int(uint8(d>>15)) - depthShift,
		bound: bound(d >> 23 & 3),
		score: int(int16(d >> 32)),
		eval:  int(int16(d >> 48)),
	}
}

func ageOf(d uint64) uint64 { return d >> 25 & ageMask }

func (t *table) load(s *slot) (check, data uint64) {
	if t.shared {
		return atomic.LoadUint64(&s.check), atomic.LoadUint64(&s.data)
	}
	return s.check, s.data
}

// probe returns what is known of the position with the key.
func (t *table) probe(key uint64) (entry, bool) {
	b := t.bucket(key)
	for i := range b {
		if check, data := t.load(&b[i]); check^data == key && data != 0 {
			return unpack(data), true
		}
	}
	return entry{eval: noScore}, false
}

// store writes an entry over the one of the same position, else over the least useful
// of its bucket. A missing move keeps the one known before.
func (t *table) store(key uint64, e *entry) {
	i := t.index(key)
	if !t.shared {
		t.written[i>>t.shift&(tableBlocks-1)] = true
	}
	b := &t.buckets[i]
	victim, worst := 0, 1<<30
	for i := range b {
		check, data := t.load(&b[i])
		if check^data == key && data != 0 {
			if !t.keep(e, data) {
				t.write(&b[i], key, e, movegen.Move(data&0x3fff))
			}
			return
		}
		worth := -1 << 20
		if data != 0 {
			worth = int(uint8(data>>15)) - ageStep*int((t.age-ageOf(data))&ageMask)
		}
		if worth < worst {
			victim, worst = i, worth
		}
	}
	t.write(&b[victim], key, e, movegen.NoMove)
}

// keep reports whether the old data of the same position is worth more than e.
func (t *table) keep(e *entry, data uint64) bool {
	const shallower = 4
	return e.bound != exactBound && ageOf(data) == t.age && e.depth+depthShift+shallower < int(uint8(data>>15))
}

func (t *table) write(s *slot, key uint64, e *entry, old movegen.Move) {
	if e.move == movegen.NoMove {
		e.move = old
	}
	data := pack(e, t.age)
	if t.shared {
		atomic.StoreUint64(&s.check, key^data)
		atomic.StoreUint64(&s.data, data)
		return
	}
	s.check, s.data = key^data, data
}

// full returns the per mille of sampled slots written in this search.
func (t *table) full() int {
	const sample = 250
	n := min(sample, len(t.buckets))
	used := 0
	for i := range t.buckets[:n] {
		for j := range t.buckets[i] {
			if _, d := t.load(&t.buckets[i][j]); d != 0 && ageOf(d) == t.age {
				used++
			}
		}
	}
	return used * 1000 / (n * bucketSize)
}
