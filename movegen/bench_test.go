package movegen

import "testing"

// peerPositions are those of TestPeer: opening, middlegame, endgame, with many checks, with
// many pins.
var peerPositions = []struct {
	fen   string
	depth int
}{
	{StartFEN, 5},
	{"CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w - - 0 1", 6},
	{"1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1", 5},
	{"r1bakab1r/9/1c2c4/p3p3p/2p3p2/2P3P2/P3P3P/1C2C4/9/R1BAKAB1R w - - 0 1", 5},
	{"1r1akabr1/1c7/2n1b1n2/p1p1p3p/6p2/PN3R3/1cP1P1P1P/2C1C1N2/1R7/2BAKAB2 b - - 0 1", 5},
	{"4ka3/3Pa4/r6R1/2C4C1/9/9/8n/9/4p3r/3K3R1 w - - 0 1", 5},
	{"2bakab2/9/2n1c1R1c/3r4p/4N4/r8/6P1P/6C1C/4A4/1RBAK1B2 w - - 0 1", 5},
	{"9/4k4/3aba3/3P5/1cb6/2BC5/n3N4/B2A5/9/3AK4 w - - 0 1", 6},
}

func benchPositions(b *testing.B) (positions []*Position) {
	for _, c := range peerPositions {
		positions = append(positions, mustParse(b, c.fen))
	}
	return positions
}

// each runs f on all positions in turn and reports the time of one call.
func each(b *testing.B, f func(p *Position)) {
	positions := benchPositions(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range positions {
			f(p)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(positions)), "ns/position")
}

var sink int

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		name string
		list func(*Position, *MoveList)
	}{
		{"Legal", (*Position).Legal}, {"Captures", (*Position).Captures},
		{"Quiets", (*Position).Quiets}, {"Checks", (*Position).Checks},
	} {
		b.Run(c.name, func(b *testing.B) {
			var l MoveList
			each(b, func(p *Position) {
				l.Clear()
				c.list(p, &l)
			})
		})
	}
	b.Run("Evasions", func(b *testing.B) {
		p := mustParse(b, "1n2k4/9/4R3b/p1p1p1p2/5C3/9/2P5P/5R3/4K4/2B3B2 b - - 0 1")
		var l MoveList
		b.ReportAllocs()
		for b.Loop() {
			l.Clear()
			p.Evasions(&l)
		}
	})
	b.Run("count", func(b *testing.B) { each(b, func(p *Position) { sink += p.count() }) })
	b.Run("HasLegal", func(b *testing.B) {
		each(b, func(p *Position) {
			if p.HasLegal() {
				sink++
			}
		})
	})
}

// BenchmarkMake plays and takes back every legal move.
func BenchmarkMake(b *testing.B) {
	p := mustParse(b, peerPositions[2].fen)
	var l MoveList
	var u Undo
	p.Legal(&l)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range l.Slice() {
			p.Make(m, &u)
			p.Unmake(m, &u)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*l.Len()), "ns/move")
}

// BenchmarkMove asks what a search asks of a single move.
func BenchmarkMove(b *testing.B) {
	values := [PieceTypes]int{Advisor: 20, Elephant: 20, Horse: 40, Rook: 90, Cannon: 45, Pawn: 10}
	p := mustParse(b, peerPositions[2].fen)
	var l MoveList
	p.Legal(&l)
	for _, c := range []struct {
		name string
		ask  func(Move) bool
	}{
		{"IsLegal", p.IsLegal}, {"GivesCheck", p.GivesCheck},
		{"SEEAtLeast", func(m Move) bool { return p.SEEAtLeast(m, 0, &values) }},
		{"SEE", func(m Move) bool { return p.SEE(m, &values) > 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range l.Slice() {
					if c.ask(m) {
						sink++
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*l.Len()), "ns/move")
		})
	}
}

func BenchmarkAttack(b *testing.B) {
	b.Run("InCheck", func(b *testing.B) {
		each(b, func(p *Position) {
			if p.InCheck() {
				sink++
			}
		})
	})
	b.Run("Attackers", func(b *testing.B) {
		each(b, func(p *Position) { sink += p.Attackers(40, Red).Count() })
	})
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name string
		counter
	}{
		{"count", counter{}}, {"one-ply", counter{single: true}},
		{"list", counter{method: List}}, {"play", counter{method: Play}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := StartPosition()
			c.p = p
			b.ReportAllocs()
			for b.Loop() {
				c.count(4)
			}
			b.ReportMetric(3290240*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnps")
		})
	}
}

func BenchmarkFEN(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseFEN(StartFEN); err != nil {
			b.Fatal(err)
		}
	}
}
