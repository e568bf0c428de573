package engine

import (
	"fmt"
	"strconv"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
)

// Proto is a protocol.
type Proto string

// The protocols.
const (
	Auto    Proto = "auto"
	UCI     Proto = "uci"
	UCCI    Proto = "ucci"
	Cyclone Proto = "cyclone" // UCI without the word position, always ranks 0–9
)

func parseProto(s string) (Proto, error) {
	switch p := Proto(s); p {
	case "":
		return Auto, nil
	case Auto, UCI, UCCI, Cyclone:
		return p, nil
	}
	return Auto, fmt.Errorf("proto %q, want auto, uci, ucci or cyclone", s)
}

// hello returns the command that begins the talk and the answer that ends the greeting.
func (p Proto) hello() (command, ok string) {
	if p == UCCI {
		return "ucci", "ucciok"
	}
	return "uci", "uciok"
}

// setOption returns the line that sets an option of the declared name.
func (p Proto) setOption(name, value string) string {
	line := "setoption name " + name
	if p == UCCI {
		line = "setoption " + name
	}
	switch {
	case value == "":
	case p == UCCI:
		line += " " + value
	default:
		line += " value " + value
	}
	return line
}

// appendPosition begins the position line: from a FEN, to be followed by moves.
func (p Proto) appendPosition(b []byte, fen string) []byte {
	if p != Cyclone {
		b = append(b, "position "...)
	}
	if fen == movegen.StartFEN {
		return append(b, "startpos"...)
	}
	return append(append(b, "fen "...), fen...)
}

// appendGo writes the go command for the side to move. Times are whole milliseconds,
// for UCCI seconds unless millis.
func (p Proto) appendGo(b []byte, side movegen.Color, c *arena.Clock, millis bool) []byte {
	b = append(b, "go"...)
	if p == UCCI {
		b = appendGoUCCI(b, side, c, millis)
	} else {
		b = appendGoUCI(b, c)
	}
	if c.Nodes > 0 {
		b = strconv.AppendUint(append(b, " nodes "...), c.Nodes, 10)
	}
	if c.Depth > 0 {
		b = appendInt(b, " depth ", int64(c.Depth))
	}
	return append(b, '\n')
}

func appendGoUCI(b []byte, c *arena.Clock) []byte {
	if c.Time > 0 || c.Inc > 0 {
		b = appendInt(b, " wtime ", millisOf(c.Left[movegen.Red]))
		b = appendInt(b, " btime ", millisOf(c.Left[movegen.Black]))
		b = appendInt(b, " winc ", c.Incs[movegen.Red].Milliseconds())
		b = appendInt(b, " binc ", c.Incs[movegen.Black].Milliseconds())
		if c.ToGo > 0 {
			b = appendInt(b, " movestogo ", int64(c.ToGo))
		}
	}
	if c.MoveTime > 0 {
		b = appendInt(b, " movetime ", millisOf(c.MoveTime))
	}
	return b
}

func appendGoUCCI(b []byte, side movegen.Color, c *arena.Clock, millis bool) []byte {
	unit := time.Second
	if millis {
		unit = time.Millisecond
	}
	whole := func(d time.Duration) int64 { return max(1, int64(d/unit)) }
	switch other := side.Other(); {
	case c.MoveTime > 0:
		b = appendInt(b, " time ", whole(c.MoveTime))
		b = appendInt(b, " movestogo ", 1)
	case c.Time > 0 || c.Inc > 0:
		b = appendInt(b, " time ", whole(c.Left[side]))
		if c.ToGo > 0 {
			b = appendInt(b, " movestogo ", int64(c.ToGo))
		} else {
			b = appendInt(b, " increment ", int64(c.Incs[side]/unit))
		}
		if c.Left[other] > 0 {
			b = appendInt(b, " opptime ", whole(c.Left[other]))
			b = appendInt(b, " oppincrement ", int64(c.Incs[other]/unit))
		}
	}
	return b
}

// millisOf returns whole milliseconds, 1 at least: engines read 0 as "no clock".
func millisOf(d time.Duration) int64 { return max(1, d.Milliseconds()) }

func appendInt(b []byte, word string, n int64) []byte {
	return strconv.AppendInt(append(b, word...), n, 10)
}

// appendMove writes a move with Red's first rank numbered base.
func appendMove(b []byte, m movegen.Move, base int) []byte {
	for _, s := range [...]movegen.Square{m.From(), m.To()} {
		b = append(b, byte('a'+s.File()))
		b = strconv.AppendInt(b, int64(s.Rank()+base), 10)
	}
	return b
}

// parseMove reads a move with ranks 0–9 or 1–10. It returns the base that the text shows
// by a rank of 0 or 10, −1 when it may be either and was read with the given one.
func parseMove(text string, base int) (m movegen.Move, shown int, err error) {
	f, r, rest, ok1 := cutSquare(text)
	f2, r2, rest, ok2 := cutSquare(rest)
	if !ok1 || !ok2 || rest != "" {
		return movegen.NoMove, -1, fmt.Errorf("%q is no move", clip(text, 40))
	}
	shown = -1
	switch zero, ten := r == 0 || r2 == 0, r == 10 || r2 == 10; {
	case zero && ten:
		return movegen.NoMove, -1, fmt.Errorf("%q has both a rank 0 and a rank 10", text)
	case zero:
		shown = 0
	case ten:
		shown = 1
	}
	if shown >= 0 {
		base = shown
	}
	m = movegen.NewMove(movegen.SquareAt(f, r-base), movegen.SquareAt(f2, r2-base))
	if m.From() == m.To() {
		return movegen.NoMove, -1, fmt.Errorf("%q is no move", text)
	}
	return m, shown, nil
}

// cutSquare reads a file letter and a rank of one or two digits, at most 10.
func cutSquare(s string) (file, rank int, rest string, ok bool) {
	if len(s) < 2 {
		return 0, 0, s, false
	}
	file = int(s[0]|0x20) - 'a'
	n := 1
	for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '9' {
		rank = rank*10 + int(s[n]-'0')
		n++
	}
	return file, rank, s[n:], n > 1 && 0 <= file && file < movegen.Files && rank <= movegen.Ranks
}
