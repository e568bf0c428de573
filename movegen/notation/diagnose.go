package notation

import (
	"fmt"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// Diagnose returns the error for a text that Find does not read as exactly one move.
func Diagnose(p *movegen.Position, text string, ranks Ranks) error {
	shown := clip(text)
	if c := Find(p, text, ranks); c.ties > 1 {
		return ambiguous(p, shown, &c)
	}
	if from, to, ok := parseCoordinates(text); ok {
		return coordinateError(p, shown, from, to, ranks)
	}
	if m, ok := parseRelative(text); ok {
		return m.explain(p, shown)
	}
	if s, ok := parseSAN(text); ok {
		return fmt.Errorf("%q: no %s of %s can go to that square", shown, s.piece, p.Side())
	}
	return fmt.Errorf("%q is no move; expected coordinates such as h2e2 or H2-E2, WXF such as C2=5, or Chinese such as 炮二平五", shown)
}

// clip shortens text from outside for an error line.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func ambiguous(p *movegen.Position, shown string, c *Candidates) error {
	var names []string
	for _, m := range c.moves[:c.ties] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", m, Format(p, m, WXF), Format(p, m, Chinese)))
	}
	return fmt.Errorf("%q may mean %s", shown, strings.Join(names, " or "))
}

func coordinateError(p *movegen.Position, shown string, from, to point, ranks Ranks) error {
	base := bases(ranks)[0]
	if ranks == AnyRanks && (from.rank == 10 || to.rank == 10) {
		base = 1
	}
	m, ok := onBoard(from, to, base)
	if !ok {
		return fmt.Errorf("%q: no such square with ranks %d–%d", shown, base, base+9)
	}
	return fmt.Errorf("%q: %s", shown, p.Explain(m))
}

// explain says why no piece can make the move.
func (m *relative) explain(p *movegen.Position, shown string) error {
	side := p.Side()
	var c crowds
	c.gather(p, m.piece)
	var from []movegen.Square
	m.choose(&c, func(s movegen.Square) { from = append(from, s) }, func() {})
	if len(from) == 0 {
		return fmt.Errorf("%q: %s", shown, m.missing(side, &c))
	}
	to, ok := m.target(side, from[0])
	switch {
	case ok:
		move := movegen.NewMove(from[0], to)
		return fmt.Errorf("%q would be %s: %s", shown, move, p.Explain(move))
	case m.op == sideways:
		return fmt.Errorf("%q: a %s never goes sideways", shown, m.piece)
	}
	return fmt.Errorf("%q: the %s on %s cannot go there", shown, m.piece, from[0])
}

// missing says that the piece named is not there, and where its equals are.
func (m *relative) missing(side movegen.Color, c *crowds) string {
	var at []string
	for i := range c {
		for _, s := range c[i].squares[:c[i].n] {
			at = append(at, fmt.Sprintf("%s (file %d)", s, i+1))
		}
	}
	where := "it has none"
	if len(at) > 0 {
		where = "it has them on " + strings.Join(at, ", ")
	}
	if m.order == noOrder {
		return fmt.Sprintf("%s has no %s on file %d; %s", side, m.piece, m.file, where)
	}
	return fmt.Sprintf("%s has no such %s among several on a file; %s", side, m.piece, where)
}
