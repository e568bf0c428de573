package engine

import (
	"bytes"
	"strconv"

	"github.com/xqlab/xqlab/results"
)

// thought is what the info lines of one search said.
type thought struct {
	score    results.Score // from the mover's view
	exact    bool          // score is no bound
	depth    int           // of the line with the score
	selDepth int
	nodes    uint64
	hashfull int // per mille, −1 unknown
}

// noThought is the thought before any info line.
var noThought = thought{score: results.NoScore, hashfull: -1}

func (t *thought) clear() { *t = noThought }

// cutWord returns the first word of s and what follows it, without copying.
func cutWord(s []byte) (word, rest []byte) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	j := i
	for j < len(s) && s[j] != ' ' && s[j] != '\t' {
		j++
	}
	return s[i:j], s[j:]
}

// line takes in what follows "info". Words may stand in any order; lines about another
// variation than the first are not looked at, except for their nodes.
func (t *thought) line(s []byte, ucci bool) {
	l := noThought
	first, bound := true, false
	for len(s) > 0 {
		var w []byte
		w, s = cutWord(s)
		switch string(w) {
		case "string", "message": // the rest is for people
			s = nil
		case "depth":
			s = number(s, &l.depth)
		case "seldepth":
			s = number(s, &l.selDepth)
		case "hashfull":
			s = number(s, &l.hashfull)
		case "nodes":
			w, s = cutWord(s)
			l.nodes, _ = strconv.ParseUint(string(w), 10, 64)
		case "multipv":
			n := 0
			s = number(s, &n)
			first = n == 1
		case "score":
			l.score, s = score(s, ucci)
		case "lowerbound", "upperbound":
			bound = true
		}
	}
	if l.nodes > 0 {
		t.nodes = l.nodes
	}
	if l.hashfull >= 0 {
		t.hashfull = min(l.hashfull, 1000)
	}
	if first {
		t.merge(&l, bound)
	}
}

// merge takes over a line's score and depth. A bound never replaces an exact score: it is
// what was left of a search that time cut off.
func (t *thought) merge(l *thought, bound bool) {
	switch {
	case l.score.Known() && (!bound || !t.exact):
		t.score, t.exact = l.score, !bound
		t.depth, t.selDepth = l.depth, max(l.selDepth, l.depth)
	case !l.score.Known() && !t.score.Known() && l.depth > 0:
		t.depth = l.depth
	}
}

// number reads a whole number into n, which keeps its value when there is none.
func number(s []byte, n *int) (rest []byte) {
	w, rest := cutWord(s)
	if v, err := strconv.Atoi(string(w)); err == nil {
		*n = v
		return rest
	}
	return s
}

// score reads what follows the word: cp N, mate N (moves of the side that mates) or, in
// UCCI, N alone.
func score(s []byte, ucci bool) (results.Score, []byte) {
	w, rest := cutWord(s)
	n := 0
	switch {
	case bytes.Equal(w, []byte("cp")):
		if after := number(rest, &n); len(after) < len(rest) {
			return centipawns(n), after
		}
	case bytes.Equal(w, []byte("mate")):
		if after := number(rest, &n); len(after) < len(rest) {
			return mateIn(n), after
		}
	default:
		if after := number(s, &n); len(after) < len(s) {
			if ucci {
				return plain(n), after
			}
			return centipawns(n), after
		}
	}
	return results.NoScore, s
}

func centipawns(n int) results.Score {
	return results.Score(max(-int(results.MaxScore), min(int(results.MaxScore), n)))
}

// mateIn converts moves of the mating side into a score that counts plies. "mate 0" is
// said by a side that has been mated.
func mateIn(moves int) results.Score {
	const most = int(results.MateScore-results.MaxScore)/2 - 1 // moves that a score can say
	if moves > 0 {
		return results.MateScore - results.Score(2*min(moves, most)-1)
	}
	return -results.MateScore + results.Score(2*min(-moves, most))
}

// plain reads UCCI's bare number. The engines of that family score a mate as 10000 less
// the plies to it; nothing else is above 9900.
func plain(n int) results.Score {
	const mate, least = 10000, 9900
	switch {
	case least < n && n <= mate:
		return results.MateScore - results.Score(mate-n)
	case -mate <= n && n < -least:
		return -results.MateScore + results.Score(mate+n)
	}
	return centipawns(n)
}
