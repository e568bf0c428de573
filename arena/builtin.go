package arena

import (
	"context"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// BuiltIn is xqlab's own searcher as a Player, in process.
type BuiltIn struct {
	name   string
	engine *search.Engine
	clean  bool // nothing was searched since everything was cleared
}

// NewBuiltIn returns a player with weights and parameters of its own.
func NewBuiltIn(name string, w *eval.Weights, p search.Params, o search.Options) *BuiltIn {
	return &BuiltIn{name, search.New(w, p, o), true}
}

// Name returns the configured name.
func (b *BuiltIn) Name() string { return b.name }

// NewGame clears hash and histories.
func (b *BuiltIn) NewGame(context.Context) error {
	if !b.clean {
		b.engine.NewGame()
		b.clean = true
	}
	return nil
}

// Close does nothing.
func (b *BuiltIn) Close() error { return nil }

// Move searches.
func (b *BuiltIn) Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error) {
	start := time.Now()
	b.clean = false
	r := b.engine.Search(ctx, g, search.Limits{
		Nodes: c.Nodes, SoftNodes: c.Soft, Depth: c.Depth, MoveTime: c.MoveTime,
		Time: c.Left, Inc: c.Incs, MovesToGo: c.ToGo, Overhead: builtInOverhead,
	}, nil)
	wall := time.Since(start)
	if ctx.Err() != nil {
		return Reply{}, context.Cause(ctx)
	}
	return Reply{
		Move: r.Move, Score: results.Score(r.Score), Depth: r.Depth, SelDepth: r.SelDepth,
		Nodes: r.Nodes, Hashfull: r.Hashfull, Wall: wall,
	}, nil
}

// builtInOverhead is what the searcher keeps back of its clock for a busy machine.
const builtInOverhead = 10 * time.Millisecond
