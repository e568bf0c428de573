package movegen

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StartFEN is the start position.
const StartFEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"

// StartPosition returns a new start position.
func StartPosition() *Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic("movegen: the start position is not valid: " + err.Error())
	}
	return p
}

// ParseFEN reads a position as met in the wild: piece letters B or E, N or H; side w, r
// or b; the castling and en-passant fields, either counter, or all of them absent; "[]"
// after the board; several digits in a row. It refuses positions that cannot arise: see
// Position.Validate. The halfmove field counts plies since the last capture.
func ParseFEN(fen string) (*Position, error) {
	p, err := parseFEN(fen)
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("FEN %q: %w", clip(fen), err)
	}
	return p, nil
}

// ParseFENLenient is ParseFEN, but lets advisors, elephants and soldiers stand where
// they can never come to stand in a game.
func ParseFENLenient(fen string) (*Position, error) {
	p, err := parseFEN(fen)
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil && !errors.Is(err, ErrUnreachable) {
		return nil, fmt.Errorf("FEN %q: %w", clip(fen), err)
	}
	return p, nil
}

// clip shortens text from outside for an error line.
func clip(text string) string {
	const most = 120
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

func parseFEN(fen string) (*Position, error) {
	fields := strings.Fields(fen)
	if len(fields) == 0 {
		return nil, errors.New("FEN is empty; expected a board such as the one of " + StartFEN)
	}
	p := &Position{fullmove: 1}
	if err := p.parseBoard(strings.TrimSuffix(fields[0], "[]")); err != nil {
		return nil, fmt.Errorf("FEN %q: %w", clip(fen), err)
	}
	if err := p.parseState(fields[1:]); err != nil {
		return nil, fmt.Errorf("FEN %q: %w", clip(fen), err)
	}
	p.refresh()
	return p, nil
}

// parseBoard reads the ten ranks into p.board.
func (p *Position) parseBoard(text string) error {
	rows := strings.Split(text, "/")
	if len(rows) != Ranks {
		return fmt.Errorf("%d ranks, want %d", len(rows), Ranks)
	}
	for i, row := range rows {
		rank, file := Ranks-1-i, 0
		for j := 0; j < len(row); j++ {
			c := row[j]
			if '1' <= c && c <= '9' {
				file += int(c - '0')
				continue
			}
			pc := pieceOf(c)
			if pc == NoPiece {
				return fmt.Errorf("rank %d has %q, want digits 1–9 and the letters K A B(E) N(H) R C P", rank, c)
			}
			if file < Files {
				p.board[SquareAt(file, rank)] = pc
			}
			file++
		}
		if file != Files {
			return fmt.Errorf("rank %d (%q) has %d files, want %d", rank, clip(row), file, Files)
		}
	}
	return nil
}

// parseState reads what follows the board.
func (p *Position) parseState(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	switch fields[0] {
	case "w", "r", "W", "R":
		p.side = Red
	case "b", "B":
		p.side = Black
	default:
		return fmt.Errorf("side to move %q, want w (Red) or b (Black)", clip(fields[0]))
	}
	rest := fields[1:]
	for i := 0; i < 2 && len(rest) > 0 && !isNumber(rest[0]); i++ {
		if rest[0] != "-" {
			return fmt.Errorf("field %q, want -", clip(rest[0]))
		}
		rest = rest[1:]
	}
	counters := [2]int{0, 1}
	if len(rest) > len(counters) {
		return fmt.Errorf("%q after the move number", clip(strings.Join(rest[len(counters):], " ")))
	}
	for i, name := range []string{"halfmove counter", "move number"}[:len(rest)] {
		n, err := strconv.Atoi(rest[i])
		if err != nil || n < 0 || n > maxCounter {
			return fmt.Errorf("%s %q, want a number from 0 to %d", name, clip(rest[i]), maxCounter)
		}
		counters[i] = n
	}
	p.halfmove, p.fullmove = uint16(counters[0]), uint16(max(counters[1], 1))
	return nil
}

// maxCounter bounds the counters of a FEN.
const maxCounter = 9999

func isNumber(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

// FEN returns the position in the form that all engines read: letters B and N, side w
// or b, both counters.
func (p *Position) FEN() string {
	var b strings.Builder
	for rank := Ranks - 1; rank >= 0; rank-- {
		empty := 0
		for file := 0; file < Files; file++ {
			pc := p.board[SquareAt(file, rank)]
			if pc == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				b.WriteByte(byte('0' + empty))
				empty = 0
			}
			b.WriteByte(pc.Letter())
		}
		if empty > 0 {
			b.WriteByte(byte('0' + empty))
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	fmt.Fprintf(&b, " %c - - %d %d", "wb"[p.side], p.halfmove, p.fullmove)
	return b.String()
}

// ErrUnreachable is wrapped by errors about a piece on a square where it can never
// come to stand; ParseFENLenient lets those pass.
var ErrUnreachable = errors.New("it can never stand there")

// surplus is the number of each type that a side begins with.
var surplus = [PieceTypes]int{King: 1, Advisor: 2, Elephant: 2, Horse: 2, Rook: 2, Cannon: 2, Pawn: 5}

// Validate reports why the position cannot arise in a game: no king or two, surplus
// pieces, kings that face each other, a side to move that could take the king, and last
// (wrapping ErrUnreachable) a piece where it can never stand.
func (p *Position) Validate() error {
	var count [Pieces]int
	var unreachable error
	for s := Square(0); s < Squares; s++ {
		pc := p.board[s]
		if pc == NoPiece {
			continue
		}
		count[pc]++
		switch {
		case pc.Type() == King && !inPalace(s, pc.Color()):
			return fmt.Errorf("%s king on %s, outside its palace", pc.Color(), s)
		case unreachable == nil && !canStand(pc, s):
			unreachable = fmt.Errorf("%s %s on %s: %w", pc.Color(), pc.Type(), s, ErrUnreachable)
		}
	}
	for _, c := range [...]Color{Red, Black} {
		for t := King; t < PieceTypes; t++ {
			if n := count[NewPiece(c, t)]; n > surplus[t] {
				return fmt.Errorf("%s has %d %ss, at most %d", c, n, t, surplus[t])
			}
		}
		if count[NewPiece(c, King)] == 0 {
			return fmt.Errorf("%s has no king", c)
		}
	}
	if p.Checked(p.side.Other()) {
		return fmt.Errorf("%s is to move and could take the king", p.side)
	}
	return unreachable
}

func inPalace(s Square, c Color) bool {
	if c == Black {
		s = s.Flip()
	}
	return s.File() >= 3 && s.File() <= 5 && s.Rank() <= 2
}

// canStand reports whether a game can bring the piece to the square.
func canStand(pc Piece, s Square) bool {
	if pc.Color() == Black {
		s = s.Flip()
	}
	f, r := s.File(), s.Rank()
	switch pc.Type() {
	case King:
		return inPalace(s, Red)
	case Advisor:
		return inPalace(s, Red) && (f+r)%2 == 1
	case Elephant:
		return r <= 4 && r%2 == 0 && f%2 == 0 && (f+r)%4 == 2
	case Pawn:
		return r >= 5 || r >= 3 && f%2 == 0
	}
	return true
}
