package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeControl is [MOVES/]TIME[+INC].
type TimeControl struct {
	Moves int // moves per period, 0 for all
	Time  time.Duration
	Inc   time.Duration
}

// ParseTimeControl reads [MOVES/]TIME[+INC] with TIME in seconds or m:ss, as in
// "10+0.1", "40/1:30+0.6".
func ParseTimeControl(text string) (TimeControl, error) {
	var tc TimeControl
	bad := func(why string) (TimeControl, error) {
		return TimeControl{}, fmt.Errorf("tc=%s: %s; expected [MOVES/]TIME[+INC] in seconds or m:ss, such as 10+0.1 or 40/1:30", text, why)
	}
	rest := text
	if moves, after, ok := strings.Cut(rest, "/"); ok {
		n, err := strconv.Atoi(moves)
		if err != nil || n <= 0 {
			return bad(fmt.Sprintf("%q is no number of moves", moves))
		}
		tc.Moves, rest = n, after
	}
	base, inc, hasInc := strings.Cut(rest, "+")
	var err error
	if tc.Time, err = parseClock(base); err != nil {
		return bad(err.Error())
	}
	if hasInc {
		if tc.Inc, err = parseSeconds(inc); err != nil {
			return bad(err.Error())
		}
	}
	if tc.Time <= 0 {
		return bad("the base time must be more than 0")
	}
	return tc, nil
}

// parseClock reads seconds or m:ss (or h:mm:ss).
func parseClock(text string) (time.Duration, error) {
	var total time.Duration
	for _, part := range strings.Split(text, ":") {
		d, err := parseSeconds(part)
		if err != nil {
			return 0, err
		}
		if total = total*60 + d; total > maxTime {
			return 0, fmt.Errorf("%q is more than a day", text)
		}
	}
	return total, nil
}

const maxTime = 24 * time.Hour

// parseSeconds reads a number of seconds, a trailing s allowed.
func parseSeconds(text string) (time.Duration, error) {
	f, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, fmt.Errorf("%q is no number of seconds", text)
	}
	if f > maxTime.Seconds() {
		return 0, fmt.Errorf("%q is more than a day", text)
	}
	return time.Duration(math.Round(f*1e6)) * time.Microsecond, nil
}

// String returns the form that ParseTimeControl reads.
func (tc TimeControl) String() string {
	var b strings.Builder
	if tc.Moves > 0 {
		fmt.Fprintf(&b, "%d/", tc.Moves)
	}
	b.WriteString(seconds(tc.Time))
	if tc.Inc > 0 {
		b.WriteString("+" + seconds(tc.Inc))
	}
	return b.String()
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// ParseDuration reads seconds as a plain number, or a number with ms, s, m or h.
func ParseDuration(text string) (time.Duration, error) {
	if d, err := parseSeconds(text); err == nil {
		return d, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 && d <= 365*maxTime {
		return d.Round(time.Microsecond), nil
	}
	return 0, fmt.Errorf("%q is no duration; expected seconds, or a number with ms, s, m or h", text)
}

// ParseCount reads a positive whole number with an optional k or M, as in 20k.
func ParseCount(text string) (uint64, error) {
	number, unit := text, 1.0
	switch {
	case strings.HasSuffix(text, "k"), strings.HasSuffix(text, "K"):
		number, unit = text[:len(text)-1], 1e3
	case strings.HasSuffix(text, "M"), strings.HasSuffix(text, "m"):
		number, unit = text[:len(text)-1], 1e6
	}
	f, err := strconv.ParseFloat(number, 64)
	n := f * unit
	if err != nil || math.IsNaN(n) || n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("%q is no count; expected a whole number from 1, k and M allowed (20k, 1M)", text)
	}
	return uint64(n), nil
}
