package main

import "github.com/xqlab/xqlab/movegen"

// perft counts as Stockfish's kin print it, wrongly in the way that -do says.
func (e *scripted) perft(depth int) {
	var total uint64
	var l movegen.MoveList
	e.pos.Legal(&l)
	for i, m := range l.Slice() {
		if e.do == "perft-less" && i == 3 || e.do == "perft-deep" && depth == 2 && i == 0 {
			continue
		}
		below := *e.pos
		var u movegen.Undo
		below.Make(m, &u)
		n := movegen.Perft(&below, depth-1)
		if e.do == "perft-deep" && depth > 2 {
			n--
		}
		total += n
		e.say("%s: %d", e.text(m), n)
	}
	switch e.do {
	case "perft-extra":
		e.say("a%db%d: 5", e.base, e.base+2)
		total += 5
	case "perft-sum":
		total++
	}
	e.say("")
	e.say("Nodes searched: %d", total)
}
