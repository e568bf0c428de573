package engine

import (
	"slices"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// track keeps the position line of a game: the FEN after the last capture and the moves
// since, for a FEN cannot say which positions have occurred or how many checks were given.
type track struct {
	start movegen.Position
	pos   movegen.Position
	moves []movegen.Move
	fen   string       // of the position the line begins with
	since int          // moves before that position
	line  []byte       // the line so far, without its end
	keys  []uint64     // of the positions since the last capture, the present one the last
	trial referee.Game // for banned
	proto Proto
	base  int
	begun bool
}

// sync brings the line up to the game's last move. A game that goes on costs its new
// moves only.
func (t *track) sync(g *referee.Game, proto Proto, base int) {
	if !t.begun || t.proto != proto || t.base != base || !t.continues(g) {
		t.proto, t.base, t.begun = proto, base, true
		t.start, t.pos, t.moves = *g.Start(), *g.Start(), t.moves[:0]
		t.from()
	}
	for i := len(t.moves) + 1; i <= g.Len(); i++ {
		t.push(g.Move(i))
	}
}

// continues reports whether the game begins with what the line says.
func (t *track) continues(g *referee.Game) bool {
	if g.Len() < len(t.moves) || *g.Start() != t.start {
		return false
	}
	for i, m := range t.moves {
		if g.Move(i+1) != m {
			return false
		}
	}
	return true
}

func (t *track) push(m movegen.Move) {
	capture := t.pos.At(m.To()) != movegen.NoPiece
	var u movegen.Undo
	t.pos.Make(m, &u)
	t.moves = append(t.moves, m)
	if capture {
		t.from()
		return
	}
	t.keys = append(t.keys, t.pos.Key())
	if len(t.moves) == t.since+1 {
		t.line = append(t.line, " moves"...)
	}
	t.line = appendMove(append(t.line, ' '), m, t.base)
}

// from begins the line anew at the present position.
func (t *track) from() {
	t.fen, t.since = t.pos.FEN(), len(t.moves)
	t.line = t.proto.appendPosition(t.line[:0], t.fen)
	t.keys = append(t.keys[:0], t.pos.Key())
}

// appendBanned appends the moves by which the side to move would lose for repeating a
// position, each after a blank, as UCCI's banmoves wants them; none when there is no other
// move.
func (t *track) appendBanned(b []byte, g *referee.Game) []byte {
	const shortest = 4 // plies of a cycle
	if len(t.keys) <= shortest {
		return b
	}
	var legal movegen.MoveList
	t.pos.Legal(&legal)
	begin, banned := len(b), 0
	for _, m := range legal.Slice() {
		if t.repeats(m) && t.loses(g, m) {
			b = appendMove(append(b, ' '), m, t.base)
			banned++
		}
	}
	if banned == legal.Len() {
		return b[:begin]
	}
	return b
}

// repeats reports whether a move leads to a position that has occurred.
func (t *track) repeats(m movegen.Move) bool {
	if t.pos.At(m.To()) != movegen.NoPiece {
		return false
	}
	next := t.pos
	var u movegen.Undo
	next.Make(m, &u)
	return slices.Contains(t.keys, next.Key())
}

// loses reports whether the referee ends the game at once against the side that makes the
// move.
func (t *track) loses(g *referee.Game, m movegen.Move) bool {
	t.trial.CopyFrom(g)
	won := [2]referee.Status{movegen.Red: referee.RedWins, movegen.Black: referee.BlackWins}
	v, err := t.trial.Play(m)
	return err == nil && v.Status == won[t.pos.Side().Other()]
}
