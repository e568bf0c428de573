package main

import (
	"testing"
	"time"

	"github.com/xqlab/xqlab/results/stats"
)

func TestForecast(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local)
	gain := stats.SPRT{Model: stats.Normalized, Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}
	fresh, err := stats.NewSequential(gain)
	if err != nil {
		t.Fatal(err)
	}
	mean, worst, err := gain.Remaining(stats.Penta{})
	if err != nil || mean <= 0 || worst <= mean {
		t.Fatalf("a test that has read nothing takes %v to %v games, %v", mean, worst, err)
	}
	for _, c := range []struct {
		name        string
		o           outlook
		why         string
		left, worst time.Duration
	}{
		{"nothing known", outlook{games: -1}, "", -1, -1},
		{"no rate yet", outlook{games: 100}, "", -1, -1},
		{"games", outlook{rate: 2, games: 100}, "games", 50 * time.Second, 50 * time.Second},
		{"until first", outlook{rate: 1, games: 100, end: now.Add(time.Minute), ends: "until"}, "until", time.Minute, time.Minute},
		{"games first", outlook{rate: 10, games: 100, end: now.Add(time.Minute), ends: "until"}, "games", 10 * time.Second, 10 * time.Second},
		{"past its end", outlook{games: -1, end: now.Add(-time.Minute), ends: "until"}, "until", 0, 0},
		{"test", outlook{rate: 1, games: -1, test: fresh}, "sprt", seconds(mean), seconds(worst)},
		{"test that games will end", outlook{rate: 1, games: 10, test: fresh}, "games", 10 * time.Second, 10 * time.Second},
		{"test with games for the mean alone", outlook{rate: 1, games: int(mean) + 10, test: fresh}, "sprt", seconds(mean), seconds(mean + 10)},
		{"test that the night will end", outlook{rate: 1, games: -1, test: fresh, end: now.Add(time.Hour), ends: "until"}, "until", time.Hour, time.Hour},
		{"test that its budget will end", outlook{rate: 1, games: -1, test: fresh, end: now.Add(time.Minute), ends: "budget"}, "budget", time.Minute, time.Minute},
	} {
		f := c.o.forecast(now)
		if f.why != c.why || f.left != c.left || f.worst != c.worst {
			t.Errorf("%s: %q, %s, at worst %s; want %q, %s, %s", c.name, f.why, f.left, f.worst, c.why, c.left, c.worst)
		}
	}
}

// TestPaceFollows: the rate is that of the last games.
func TestPaceFollows(t *testing.T) {
	at := time.Unix(1000, 0)
	p := pace{begun: at}
	if r := p.perSecond(at.Add(time.Minute)); r != 0 {
		t.Errorf("no game: %v a second", r)
	}
	for range 50 {
		at = at.Add(time.Second)
		p.end(at)
	}
	if r := p.perSecond(at); r < 0.99 || r > 1.01 {
		t.Errorf("a game a second: %v", r)
	}
	for range 200 {
		at = at.Add(100 * time.Millisecond)
		p.end(at)
	}
	if r := p.perSecond(at); r < 9.9 || r > 10.1 {
		t.Errorf("ten games a second now: %v", r)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59400 * time.Millisecond: "59s", 59600 * time.Millisecond: "1m00s", 3599 * time.Second: "59m59s", time.Hour: "1h00m",
		26 * time.Hour: "1d2h", 2400 * time.Hour: "100d", seconds(1e300): "11574d",
	} {
		if got := short(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
