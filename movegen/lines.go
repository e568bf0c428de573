package movegen

// line holds what stands on one rank or file: bit i of each 10-bit field is the i-th
// square of the line, files a–i of a rank, ranks 0–9 of a file. The fields are, from the
// low end: Red's pieces, Black's pieces, Red's rooks, Black's rooks, Red's cannons,
// Black's cannons. On files, not on ranks, a king counts as a rook too: it attacks the
// other king that way. One XOR per line moves a piece.
type line uint64

const (
	lineMask    = 1<<10 - 1
	rookField   = 20
	cannonField = 40

	// fileLine is the index of file a in Position.lines; rank 0 is 0. Lines -1 and 10,
	// beside the outer ranks, are always empty.
	fileLine = 16
	lineRoom = 32
)

// occupied returns the squares of the line with a piece.
func (w line) occupied() uint64 { return uint64(w|w>>10) & lineMask }

// color returns the squares of the line with a piece of c.
func (w line) color(c Color) uint64 { return uint64(w) >> (10 * (c & 1)) & lineMask }

// sliders returns c's rooks in bits 0–9 and its cannons in bits 20–29.
func (w line) sliders(c Color) uint64 {
	return uint64(w) >> (rookField + 10*(c&1)) & (lineMask | lineMask<<20)
}

// lineBits is a piece on square 0 of a rank and of a file.
type lineBits struct{ rank, file line }

var pieceBits = func() (t [Pieces]lineBits) {
	for _, c := range [...]Color{Red, Black} {
		h := 10 * c
		for k := King; k < PieceTypes; k++ {
			b := line(1) << h
			switch k {
			case Rook:
				b |= 1 << (rookField + h)
			case Cannon:
				b |= 1 << (cannonField + h)
			}
			t[NewPiece(c, k)] = lineBits{b, b}
		}
		t[NewPiece(c, King)].file |= 1 << (rookField + h)
	}
	return t
}()

// view is what a square sees along a line, both ways: 10-bit fields with the squares it
// reaches up to the first pieces (those included), the second pieces, the third pieces,
// and all squares up to the second and up to the third pieces.
type view uint64

func (v view) reach() uint64  { return uint64(v) & lineMask }
func (v view) second() uint64 { return uint64(v>>10) & lineMask }
func (v view) third() uint64  { return uint64(v>>20) & lineMask }
func (v view) span2() uint64  { return uint64(v>>30) & lineMask }
func (v view) span3() uint64  { return uint64(v>>40) & lineMask }

// views holds a view for every place on a line and every occupancy: place<<10 |
// occupancy, where the places of a rank are 16–24 and those of a file 0–9.
var views = func() *[1 << 15]view {
	t := new([1 << 15]view)
	for place := 0; place < 10; place++ {
		for occ := uint64(0); occ < 1<<10; occ++ {
			t[place<<10|int(occ)] = look(place, 10, occ)
		}
	}
	for place := 0; place < 9; place++ {
		for occ := uint64(0); occ < 1<<9; occ++ {
			t[(rankPlace+place)<<10|int(occ)] = look(place, 9, occ)
		}
	}
	return t
}()

// rankPlace is added to the place on a rank in the index of views.
const rankPlace = 16

// look walks a line of the given length from place.
func look(place, length int, occ uint64) view {
	var v view
	for _, step := range [...]int{-1, 1} {
		pieces := 0
		for i := place + step; i >= 0 && i < length && pieces < 3; i += step {
			b := view(1) << i
			if pieces == 0 {
				v |= b
			}
			if pieces <= 1 {
				v |= b << 30
			}
			v |= b << 40
			if occ>>i&1 != 0 {
				pieces++
				if pieces > 1 {
					v |= b << (10 * (pieces - 1))
				}
			}
		}
	}
	return v
}

// place holds where a square lies.
type place struct{ rank, file uint8 }

var places = func() (t [128]place) {
	for s := range t {
		t[s] = place{uint8(s / Files), uint8(s % Files)}
	}
	return t
}()

// viewRank is what file f of a rank with the given occupancy sees.
func viewRank(f uint8, occ uint64) view {
	return views[(uint64(f)+rankPlace)<<10&(1<<15-1)|occ&lineMask]
}

// viewFile is what rank r of a file with the given occupancy sees.
func viewFile(r uint8, occ uint64) view {
	return views[uint64(r)<<10&(1<<15-1)|occ&lineMask]
}

// spread[b] has bit i of b at bit 9i, the mirror of which spreadHi has: ranks 0–4 of a
// file in Set.Lo and 5–9 in Set.Hi.
var spread, spreadHi = func() (lo, hi [32]uint64) {
	for b := range lo {
		for i := range 5 {
			if b>>i&1 != 0 {
				lo[b] |= 1 << (9 * i)
				hi[b] |= 1 << (9 * (4 - i))
			}
		}
	}
	return lo, hi
}()

// rankSet returns the squares of rank r whose files are in m.
func rankSet(r uint8, m uint64) Set {
	if r < Ranks/2 {
		return Set{Lo: m << (Files * r & 63)}
	}
	return Set{Hi: m << (Files * (Ranks - 1 - r) & 63)}
}

// fileSet returns the squares of file f whose ranks are in m.
func fileSet(f uint8, m uint64) Set {
	return Set{spread[m&31] << (f & 63), spreadHi[m>>5&31] << (f & 63)}
}
