package movegen

import "testing"

func BenchmarkPerft(b *testing.B) {
	p := StartPosition()
	b.ReportAllocs()
	for b.Loop() {
		Perft(p, 4)
	}
	b.ReportMetric(3290240*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnps")
}
