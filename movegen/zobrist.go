package movegen

// zobrist holds a key for every piece on every square, zobristSide the one for Black
// to move. They are drawn from splitmix64 with a fixed seed, so stored keys stay valid.
var (
	zobrist     [Pieces][128]uint64
	zobristSide uint64
)

func init() {
	state := uint64(0x78716c6162) // "xqlab"
	for pc := range zobrist {
		if Piece(pc).Type() == NoType {
			continue
		}
		for s := 0; s < Squares; s++ {
			zobrist[pc][s] = splitmix64(&state)
		}
	}
	zobristSide = splitmix64(&state)
}

// splitmix64 is Steele, Lea and Flood's generator (OOPSLA 2014), with which Java's
// SplittableRandom began.
func splitmix64(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
