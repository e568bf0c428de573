package movegen

// Perft counts the paths of legal moves of the given length in plies.
func Perft(p *Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.count())
	}
	var l MoveList
	p.Legal(&l)
	var n uint64
	var u Undo
	for _, m := range l.Slice() {
		p.Make(m, &u)
		n += Perft(p, depth-1)
		p.Unmake(m, &u)
	}
	return n
}
