package pgn

import (
	"fmt"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// EPD is a line of an EPD file: a position and its operations.
type EPD struct {
	Position *movegen.Position
	Moves    []movegen.Move // of a "moves" operation, checked from Position on
	Ops      []Op
}

// Op is an operation of an EPD line, its value without quotation marks.
type Op struct{ Name, Value string }

// Op returns the value of the first operation with the name.
func (e *EPD) Op(name string) string {
	for _, op := range e.Ops {
		if op.Name == name {
			return op.Value
		}
	}
	return ""
}

// ParseEPD reads a line: a FEN with or without counters, then operations that end in
// semicolons. The counters may come as hmvc and fmvn; "moves" is followed by coordinates
// with ranks 0–9.
func ParseEPD(line string) (EPD, error) {
	if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' && r != '\t' }); i >= 0 {
		return EPD{}, fmt.Errorf("control character %q in the line", line[i])
	}
	fen, rest := splitFEN(line)
	e := EPD{Ops: parseOps(rest)}
	if half := e.Op("hmvc"); half != "" && len(strings.Fields(fen)) >= 2 {
		fen = fmt.Sprintf("%s - - %s %s", strings.Join(strings.Fields(fen)[:2], " "), half, max(e.Op("fmvn"), "1"))
	}
	var err error
	if e.Position, err = movegen.ParseFEN(fen); err != nil {
		return EPD{}, err
	}
	p := *e.Position
	for _, text := range strings.Fields(e.Op("moves")) {
		m, err := movegen.ParseMove(text)
		if err != nil {
			return EPD{}, err
		}
		if !p.IsLegal(m) {
			return EPD{}, fmt.Errorf("move %d, %s, is not legal", len(e.Moves)+1, m)
		}
		var u movegen.Undo
		p.Make(m, &u)
		e.Moves = append(e.Moves, m)
	}
	return e, nil
}

// splitFEN cuts a line behind its FEN: board, side, up to two other fields "-", up to
// two numbers.
func splitFEN(line string) (fen, rest string) {
	fields, at := 0, 0
	numbers, dashes := 0, 0
	for at < len(line) {
		start := at + len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
		end := start + strings.IndexAny(line[start:]+" ", " \t;")
		switch word := line[start:end]; {
		case fields < 2:
		case word == "-" && dashes < 2 && numbers == 0:
			dashes++
		case isDigits(word) && numbers < 2:
			numbers++
		default:
			return strings.TrimSpace(line[:at]), line[at:]
		}
		fields++
		at = end
	}
	return strings.TrimSpace(line), ""
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// parseOps reads "name value; name value;" where values may be quoted.
func parseOps(text string) []Op {
	var ops []Op
	for text = strings.TrimLeft(text, " \t;"); text != ""; text = strings.TrimLeft(text, " \t;") {
		end := opEnd(text)
		name, value, _ := strings.Cut(strings.TrimSpace(text[:end]), " ")
		value = strings.TrimSpace(value)
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		ops = append(ops, Op{name, value})
		text = text[end:]
	}
	return ops
}

// opEnd returns the index of the semicolon outside quotation marks that ends the first
// operation.
func opEnd(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case ';':
			if !quoted {
				return i
			}
		}
	}
	return len(text)
}
