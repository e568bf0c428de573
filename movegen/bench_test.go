package movegen

import "testing"

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name string
		c    counter
	}{{"count", counter{}}, {"single", counter{single: true}}, {"list", counter{method: List}}, {"play", counter{method: Play}}} {
		b.Run(c.name, func(b *testing.B) {
			p := StartPosition()
			c.c.p = p
			b.ReportAllocs()
			for b.Loop() {
				c.c.count(4)
			}
			b.ReportMetric(3290240*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnps")
		})
	}
}
