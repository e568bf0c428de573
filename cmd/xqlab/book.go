package main

import (
	"context"
	"sync"

	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/search"
)

// openingNodes is what judging a random opening may cost.
const openingNodes = 20_000

// judgeOpening returns a judge of openings: the built-in engine with fixed nodes, which
// says the same of a position whenever it is asked.
func judgeOpening() openings.Judge { return judgeBy(search.Limits{Nodes: openingNodes}) }

// judgeBy returns a judge that searches each position anew under the limits, and may be
// called from many goroutines.
func judgeBy(limits search.Limits) openings.Judge {
	rules, err := referee.Named("computer")
	if err != nil {
		panic("xqlab: the default rules are unknown: " + err.Error())
	}
	engines := sync.Pool{New: func() any {
		return search.New(eval.Default(), search.DefaultParams(), search.Options{HashMB: 4, Threads: 1})
	}}
	return func(p *movegen.Position) (int, error) {
		e := engines.Get().(*search.Engine)
		defer engines.Put(e)
		e.NewGame()
		score := e.Search(context.Background(), referee.NewGame(p, rules), limits, nil).Score
		if p.Side() == movegen.Black {
			score = -score
		}
		return score, nil
	}
}
