package uci

import (
	"fmt"
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/search"
)

// printer writes what a search tells.
type printer struct {
	out  *lockedWriter
	ucci bool
}

// ucciMate is what UCCI engines call a mate on the board.
const ucciMate = 10000

// score returns a score in the protocol's words.
func (p printer) score(v int) string {
	switch {
	case p.ucci && search.IsMate(v):
		if v > 0 {
			return fmt.Sprint(ucciMate - (search.Mate - v))
		}
		return fmt.Sprint(-ucciMate + (search.Mate + v))
	case p.ucci:
		return fmt.Sprint(v)
	case search.IsMate(v):
		return fmt.Sprintf("mate %d", search.MateIn(v))
	}
	return fmt.Sprintf("cp %d", v)
}

func line(moves []movegen.Move) string {
	var b strings.Builder
	for _, m := range moves {
		b.WriteByte(' ')
		b.WriteString(m.String())
	}
	return b.String()
}

func (p printer) info(i search.Info) {
	ms := i.Elapsed.Milliseconds()
	if p.ucci {
		p.out.printf("info time %d nodes %d", ms, i.Nodes)
		p.out.printf("info depth %d score %s pv%s", i.Depth, p.score(i.Score), line(i.PV))
		return
	}
	nps := uint64(float64(i.Nodes) / max(i.Elapsed, time.Microsecond).Seconds())
	p.out.printf("info depth %d seldepth %d multipv %d score %s nodes %d nps %d hashfull %d tbhits 0 time %d pv%s",
		i.Depth, i.SelDepth, i.Line, p.score(i.Score), i.Nodes, nps, i.Hashfull, ms, line(i.PV))
}

func (p printer) result(r search.Result) {
	switch {
	case r.Move == movegen.NoMove && p.ucci:
		p.out.printf("nobestmove")
	case r.Move == movegen.NoMove:
		p.out.printf("info depth 0 score mate 0")
		p.out.printf("bestmove (none)")
	case r.Ponder != movegen.NoMove:
		p.out.printf("bestmove %s ponder %s", r.Move, r.Ponder)
	default:
		p.out.printf("bestmove %s", r.Move)
	}
}
