package openings

import "math/bits"

// permutation is a bijection of 0…n−1 that is computed point by point: a Feistel network
// over the next power of four, walked until it is back inside. A shuffle in memory would
// do the same and hold the whole order.
type permutation struct {
	n    uint64
	half uint // bits of each half
	seed uint64
}

func newPermutation(n int, seed uint64) permutation {
	return permutation{uint64(n), uint(bits.Len64(uint64(max(n-1, 1)))+1) / 2, seed}
}

// at returns the image of i, which must be below n.
func (p permutation) at(k int) int {
	i := uint64(k)
	mask := uint64(1)<<p.half - 1
	for {
		left, right := i>>p.half, i&mask
		for round := uint64(0); round < 6; round++ {
			left, right = right, left^mix(p.seed+round, right)&mask
		}
		if i = left<<p.half | right; i < p.n {
			return int(i)
		}
	}
}

// mix returns a value that looks random, the same for the same arguments: splitmix64's
// finalizer over both.
func mix(seed, k uint64) uint64 {
	r := rng(seed)
	r = rng(r.next() ^ k)
	return r.next()
}

// Mix returns a seed for part k of what has a seed: a value that looks random, the same
// for the same arguments with every version.
func Mix(seed, k uint64) uint64 { return mix(seed, k) }

// rng is splitmix64 (Steele, Lea, Flood 2014). It is written out so that stored seeds
// give the same openings with every version of Go.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n−1.
func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}
