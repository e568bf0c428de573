package pgn

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseEval reads an engine's data at the beginning of a comment in the form of fastchess
// and cutechess-cli, "+0.33/12 0.250s, n=12345, …", or "book". It returns the rest of the
// comment.
func parseEval(comment string) (Eval, string) {
	var e Eval
	head, rest, _ := strings.Cut(comment, ",")
	head = strings.TrimSpace(head)
	if head == "book" {
		e.Book = true
		return e, strings.TrimSpace(rest)
	}
	score, after, found := strings.Cut(head, "/")
	depth, spent, _ := strings.Cut(after, " ")
	if !found || !e.parseScore(score) {
		return Eval{}, comment
	}
	var err error
	if e.Depth, err = strconv.Atoi(depth); err != nil || e.Depth < 0 {
		return Eval{}, comment
	}
	if spent = strings.TrimSpace(spent); spent != "" {
		var ok bool
		if e.Time, ok = parseDuration(spent); !ok {
			return Eval{}, comment
		}
	}
	return e, e.parsePairs(rest)
}

// parseScore reads "+0.33", "-M4" (plies), "0.00", and "-" for a move without a score.
func (e *Eval) parseScore(text string) bool {
	if text == "-" {
		return true
	}
	negative := strings.HasPrefix(text, "-")
	digits := strings.TrimLeft(text, "+-")
	if mate, isMate := strings.CutPrefix(digits, "M"); isMate {
		n, err := strconv.Atoi(mate)
		if err != nil || n < 0 || n > 10000 {
			return false
		}
		if negative {
			n = -n
		}
		e.Mate, e.Scored = n, true
		return true
	}
	pawns, err := strconv.ParseFloat(text, 64)
	if err != nil || !(pawns > -1e4 && pawns < 1e4) || !strings.Contains(text, ".") {
		return false
	}
	if pawns < 0 {
		pawns -= 0.005
	} else {
		pawns += 0.005
	}
	e.Score, e.Scored = int(pawns*100), true
	return true
}

// longest is the longest time of a move: beyond it microseconds are lost in a float64.
const longest = 365 * 24 * time.Hour

// parseDuration reads "0.250s" or "250ms".
func parseDuration(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	return d, err == nil && 0 <= d && d <= longest
}

// parsePairs reads "n=12345, sd=14" and returns what it does not know.
func (e *Eval) parsePairs(text string) string {
	var rest []string
	for text != "" {
		var part string
		if part, text = cutPart(text); part == "" {
			continue
		}
		key, value, found := strings.Cut(part, "=")
		if !found || !e.set(key, value) {
			rest = append(rest, part)
		}
	}
	return strings.Join(rest, ", ")
}

// cutPart cuts at the first comma outside quotation marks.
func cutPart(text string) (part, rest string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case ',':
			if !quoted {
				return strings.TrimSpace(text[:i]), text[i+1:]
			}
		}
	}
	return strings.TrimSpace(text), ""
}

// set takes a value if it is one; one that is not leaves e as it was.
func (e *Eval) set(key, value string) (ok bool) {
	switch key {
	case "n":
		n, err := strconv.ParseUint(value, 10, 64)
		return take(&e.Nodes, n, err == nil)
	case "sd":
		n, err := strconv.Atoi(value)
		return take(&e.SelDepth, n, err == nil && n >= 0)
	case "cpu":
		d, ok := parseDuration(value)
		return take(&e.CPU, d, ok)
	case "delay":
		d, ok := parseDuration(value)
		return take(&e.Delay, d, ok)
	}
	return false
}

// take sets a field to a value that is one, and reports whether it was.
func take[T any](field *T, value T, ok bool) bool {
	if ok {
		*field = value
	}
	return ok
}

// append writes what parseEval reads.
func (e *Eval) append(b []byte) []byte {
	if e.Book {
		return append(b, "book"...)
	}
	switch {
	case !e.Scored:
		b = append(b, '-') // a score of 0.00 would be a claim
	case e.Mate > 0:
		b = fmt.Appendf(b, "+M%d", e.Mate)
	case e.Mate < 0:
		b = fmt.Appendf(b, "-M%d", -e.Mate)
	case e.Score == 0:
		b = append(b, "0.00"...)
	default:
		b = fmt.Appendf(b, "%+.2f", float64(e.Score)/100)
	}
	b = fmt.Appendf(b, "/%d %.3fs", e.Depth, e.Time.Round(time.Millisecond).Seconds())
	if e.Nodes > 0 {
		b = fmt.Appendf(b, ", n=%d", e.Nodes)
	}
	if e.SelDepth > 0 {
		b = fmt.Appendf(b, ", sd=%d", e.SelDepth)
	}
	if e.CPU > 0 {
		b = fmt.Appendf(b, ", cpu=%.6fs", e.CPU.Round(time.Microsecond).Seconds())
	}
	if e.Delay > 0 {
		b = fmt.Appendf(b, ", delay=%.6fs", e.Delay.Round(time.Microsecond).Seconds())
	}
	return b
}
