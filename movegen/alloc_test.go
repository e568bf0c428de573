package movegen

import "testing"

// TestNoAllocations: what a search and perft call at every node allocates nothing.
func TestNoAllocations(t *testing.T) {
	values := [PieceTypes]int{Advisor: 20, Elephant: 20, Horse: 40, Rook: 90, Cannon: 45, Pawn: 10}
	for _, c := range peerPositions {
		p := mustParse(t, c.fen)
		n := testing.AllocsPerRun(20, func() {
			var l MoveList
			var u Undo
			var checks CheckMap
			p.CheckMap(&checks)
			p.Captures(&l)
			p.Quiets(&l)
			l.Clear()
			p.Checks(&l)
			l.Clear()
			p.Evasions(&l)
			l.Clear()
			p.Legal(&l)
			for _, m := range l.Slice() {
				if !p.IsLegal(m) || p.SEEAtLeast(m, p.SEE(m, &values)+1, &values) {
					t.Errorf("%s: %s", c.fen, m)
				}
				check, mapped := p.GivesCheck(m), checks.GivesCheck(p, m)
				p.Make(m, &u)
				if p.InCheck() != check || check != mapped {
					t.Errorf("%s: %s", c.fen, m)
				}
				sink += p.count() + int(p.countPairs())
				p.Unmake(m, &u)
			}
			if p.HasLegal() {
				sink += p.Attackers(p.King(Red), Black).Count()
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", c.fen, n)
		}
	}
}
