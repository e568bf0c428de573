package main

import (
	"fmt"
	"time"

	"github.com/xqlab/xqlab/results/stats"
)

// pace measures games per second over the last games, so that it follows a change of
// concurrency.
type pace struct {
	begun time.Time
	ends  [128]time.Time // of the last games, in turn
	n     int            // games that have ended
}

// end counts a game.
func (p *pace) end(at time.Time) {
	p.ends[p.n%len(p.ends)] = at
	p.n++
}

// perSecond returns the rate, 0 before the first game has ended.
func (p *pace) perSecond(now time.Time) float64 {
	n, since := p.n, p.begun
	if n >= len(p.ends) {
		n, since = len(p.ends)-1, p.ends[p.n%len(p.ends)]
	}
	if d := now.Sub(since).Seconds(); d > 0 && n > 0 {
		return float64(n) / d
	}
	return 0
}

// outlook is what is known of how long a match goes on.
type outlook struct {
	rate  float64   // games per second, 0 when unknown
	games int       // left to play, −1 without an end
	end   time.Time // of the sitting, zero for none
	ends  string    // why it then ends: until or budget
	test  *stats.Sequential
}

// forecast is how long a match is expected to go on; unknown where a field is negative.
type forecast struct {
	left  time.Duration // expected
	worst time.Duration // what 95 % of tests will not pass; left itself where the end is certain
	why   string        // games, sprt, until or budget: what comes first
}

// forecast returns what comes first of the last game, the test's verdict and the end of
// the sitting.
func (o outlook) forecast(now time.Time) forecast {
	f := forecast{-1, -1, ""}
	if o.rate > 0 && o.games >= 0 {
		d := seconds(float64(o.games) / o.rate)
		f = forecast{d, d, "games"}
	}
	if o.rate > 0 && o.test != nil {
		mean, worst, err := o.test.Test().Remaining(o.test.Penta())
		if d := seconds(mean / o.rate); err == nil && (f.left < 0 || d < f.left) {
			w := seconds(worst / o.rate)
			if f.worst >= 0 {
				w = min(w, f.worst)
			}
			f = forecast{d, w, "sprt"}
		}
	}
	if !o.end.IsZero() {
		d := max(o.end.Sub(now), 0)
		if f.left < 0 || d < f.left {
			f.left, f.why = d, o.ends
		}
		if f.worst < 0 || d < f.worst {
			f.worst = d
		}
	}
	return f
}

// text returns "12m left", "about 3h10m left (95 % within 8h)" or "5h left until 07:00".
func (f forecast) text(end time.Time) string {
	switch {
	case f.left < 0:
		return ""
	case f.why == "until":
		return fmt.Sprintf("%s left until %s", short(f.left), end.Format("15:04"))
	case f.why == "budget":
		return short(f.left) + " left of its budget"
	case f.why == "sprt":
		return fmt.Sprintf("about %s left (95 %% within %s)", short(f.left), short(f.worst))
	}
	return short(f.left) + " left"
}

// seconds returns a duration of at most some centuries.
func seconds(s float64) time.Duration {
	const most = 1e9
	return time.Duration(min(s, most) * float64(time.Second))
}

// short writes a duration in its two largest units.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = d.Round(time.Second); {
	case d >= 100*day:
		return fmt.Sprintf("%dd", d/day)
	case d >= day:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
