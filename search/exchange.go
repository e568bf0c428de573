package search

import "github.com/xqlab/xqlab/movegen"

// seeAtLeast reports whether the exchange that m begins wins at least threshold.
func (w *worker) seeAtLeast(m movegen.Move, threshold int) bool {
	return w.game.Position().SEEAtLeast(m, threshold, &w.values)
}
