package movegen

import "fmt"

// Explain says why m is not legal, in the words of the game, for example "the horse's leg
// is blocked at c2". It returns "" for a legal move.
func (p *Position) Explain(m Move) string {
	if p.IsLegal(m) {
		return ""
	}
	from, to := m.From(), m.To()
	switch {
	case m>>14 != 0 || from >= Squares || to >= Squares || from == to:
		return "that is no move: it does not go from one square of the board to another"
	case p.board[from] == NoPiece:
		return fmt.Sprintf("there is no piece on %s", from)
	}
	pc := p.board[from]
	switch {
	case pc.Color() != p.side:
		return fmt.Sprintf("the %s on %s is %s's and it is %s's turn", pc.Type(), from, pc.Color(), p.side)
	case p.colors[p.side].Has(to):
		return fmt.Sprintf("%s's own %s stands on %s", p.side, p.board[to].Type(), to)
	}
	if why := p.explainStep(pc, from, to); why != "" {
		return why
	}
	return p.explainSafety(m)
}

// explainStep says why the piece does not move that way, "" if it does.
func (p *Position) explainStep(pc Piece, from, to Square) string {
	c := pc.Color()
	df, dr := abs(to.File()-from.File()), abs(to.Rank()-from.Rank())
	switch pc.Type() {
	case King:
		return explainPalace(df+dr == 1, "the king moves one step forward, back or sideways", "king", c, to)
	case Advisor:
		return explainPalace(df == 1 && dr == 1, "the advisor moves one step diagonally", "advisor", c, to)
	case Elephant:
		eye := SquareAt((from.File()+to.File())/2, (from.Rank()+to.Rank())/2)
		switch {
		case df != 2 || dr != 2:
			return "the elephant moves exactly two steps diagonally"
		case !ownHalf(to, c):
			return "the elephant may not cross the river"
		case p.board[eye] != NoPiece:
			return fmt.Sprintf("the elephant's eye is blocked at %s", eye)
		}
	case Horse:
		if df*dr != 2 {
			return "the horse moves one step straight and one diagonally outward"
		}
		if leg := legTowards(from, to); p.board[leg] != NoPiece {
			return fmt.Sprintf("the horse's leg is blocked at %s", leg)
		}
	case Rook, Cannon:
		return p.explainLine(pc.Type(), from, to)
	case Pawn:
		return explainSoldier(c, from, to)
	}
	return ""
}

func explainPalace(step bool, rule, name string, c Color, to Square) string {
	switch {
	case !step:
		return rule
	case !inPalace(to, c):
		return fmt.Sprintf("the %s may not leave the palace", name)
	}
	return ""
}

func explainSoldier(c Color, from, to Square) string {
	df, dr := abs(to.File()-from.File()), (to.Rank()-from.Rank())*forward(c)
	switch {
	case dr < 0:
		return "the soldier never moves back"
	case df+dr != 1:
		return "the soldier moves one step"
	case df == 1 && !crossed(from, c):
		return "the soldier moves sideways only after it has crossed the river"
	}
	return ""
}

func (p *Position) explainLine(kind PieceType, from, to Square) string {
	if from.File() != to.File() && from.Rank() != to.Rank() {
		return fmt.Sprintf("the %s moves along a rank or file", kind)
	}
	between, n := p.between(from, to)
	capture := p.board[to] != NoPiece
	switch {
	case kind == Cannon && capture && n == 0:
		return fmt.Sprintf("the cannon has no screen to take over on the way to %s", to)
	case kind == Cannon && capture && n > 1:
		return fmt.Sprintf("the cannon has too many screens to take over on the way to %s: %d", to, n)
	case kind == Cannon && !capture && n > 0:
		return fmt.Sprintf("the cannon's way is blocked at %s: it jumps only to take", between)
	case kind == Rook && n > 0:
		return fmt.Sprintf("the rook's way is blocked at %s", between)
	}
	return ""
}

// between returns the piece nearest to a between two squares on a line, and how many
// there are.
func (p *Position) between(a, b Square) (nearest Square, n int) {
	df, dr := sign(b.File()-a.File()), sign(b.Rank()-a.Rank())
	for s := a.offset(df, dr); s != b; s = s.offset(df, dr) {
		if p.board[s] != NoPiece {
			if n == 0 {
				nearest = s
			}
			n++
		}
	}
	return nearest, n
}

// explainSafety says who would take the king after a move that is right but for that.
func (p *Position) explainSafety(m Move) string {
	us, inCheck := p.side, p.InCheck()
	q := *p
	var u Undo
	q.Make(m, &u)
	by := q.Attackers(q.king[us], us.Other())
	if by.Has(q.king[us.Other()]) {
		return "the generals would face each other"
	}
	if by.Empty() {
		panic("movegen: a safe move was called illegal: " + p.FEN() + " " + m.String())
	}
	s := by.Pop()
	verb := "would be left attacked"
	if inCheck {
		verb = "is in check and would still be attacked"
	}
	return fmt.Sprintf("the general %s by the %s on %s", verb, q.board[s].Type(), s)
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int { return max(-1, min(1, n)) }
