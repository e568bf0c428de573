package referee

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/xqlab/xqlab/movegen"
)

// Report is a judged case, as `xqlab judge` prints it.
type Report struct {
	Status  string       `json:"status"`   // ongoing, red_wins, black_wins, draw
	Reason  string       `json:"reason"`   // Reason.String, or illegal_move, or empty while the game goes on
	Ply     int          `json:"ply"`      // where the game ended, else the number of moves; of an illegal move its own, from 1
	InCheck bool         `json:"in_check"` // of the position fen
	FEN     string       `json:"fen"`      // the position at ply; before an illegal move
	Cycle   []string     `json:"cycle"`    // the moves of the judged cycle, oldest first; empty without a repetition
	Chase   *ReportChase `json:"chase"`    // null unless a perpetual chase lost
	Text    string       `json:"text"`     // one line for people
}

// ReportChase is a perpetual chase, with the squares at the end of the cycle.
type ReportChase struct {
	Side   string   `json:"side"`   // who chased: red or black
	Pieces []string `json:"pieces"` // "rook h0"
	Victim string   `json:"victim"` // "horse i9"
}

// illegalMove is the reason of a report whose judging an illegal move has ended.
const illegalMove = "illegal_move"

// JudgeCase judges a position and the moves from it under the named rules (empty: the
// default), with their move limit or another (see Rules.WithLimit). An illegal move is no
// error but ends the judging; a FEN, rule set or move that cannot be read is one.
func JudgeCase(fen string, moves []string, rules string, limit int) (*Report, error) {
	if rules == "" {
		rules = DefaultRules
	}
	r, err := Named(rules)
	if err != nil {
		return nil, err
	}
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		return nil, err
	}
	list, err := parseMoves(moves)
	if err != nil {
		return nil, err
	}
	return judgeMoves(NewGame(p, r.WithLimit(limit)), list), nil
}

func parseMoves(texts []string) ([]movegen.Move, error) {
	moves := make([]movegen.Move, len(texts))
	for i, text := range texts {
		m, err := movegen.ParseMove(text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %q is no move; expected two squares such as h2e2", i+1, clip(text))
		}
		moves[i] = m
	}
	return moves, nil
}

func judgeMoves(g *Game, moves []movegen.Move) *Report {
	for _, m := range moves {
		if g.Verdict().Status != Ongoing {
			break
		}
		if _, err := g.Play(m); err != nil {
			return reportIllegal(g, m)
		}
	}
	r := report(g)
	if len(moves) > g.Len() {
		r.Text += fmt.Sprintf(" The game ended at ply %d of %d; later moves are not judged.", g.Len(), len(moves))
	}
	return r
}

func report(g *Game) *Report {
	e := g.Explain()
	r := &Report{
		Status: e.Status.String(), Reason: e.Reason.String(), Ply: g.Len(),
		InCheck: g.InCheck(), FEN: g.pos.FEN(), Cycle: []string{}, Text: e.Text,
	}
	for _, c := range e.Cycle {
		r.Cycle = append(r.Cycle, c.Move.String())
	}
	if e.Chase != nil {
		r.Chase = &ReportChase{Side: "red", Victim: e.Chase.Victim.String(), Pieces: []string{}}
		if e.Chase.Side == movegen.Black {
			r.Chase.Side = "black"
		}
		for _, m := range e.Chase.Pieces {
			r.Chase.Pieces = append(r.Chase.Pieces, m.String())
		}
	}
	return r
}

func reportIllegal(g *Game, m movegen.Move) *Report {
	r := report(g)
	r.Reason, r.Ply = illegalMove, g.Len()+1
	r.Text = fmt.Sprintf("Ply %d: illegal move %s: %s.", r.Ply, m, g.pos.Explain(m))
	return r
}

// lineCase is a line of a batch; other fields are ignored.
type lineCase struct {
	FEN   string   `json:"fen"`
	Moves []string `json:"moves"`
	Rules string   `json:"rules"`
}

// ErrBadLines is wrapped by Batch when a line could not be read.
var ErrBadLines = errors.New("lines could not be read")

// maxLine bounds a line of a batch in bytes.
const maxLine = 16 << 20

var errTooLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// Batch judges a case a line, {"fen","moves","rules"}, and writes a Report a line, in
// order. Lines without rules are judged by the given ones. A line that cannot be read
// gives {"error":…} in its place, and in the end an error that wraps ErrBadLines; empty
// lines are passed over.
func Batch(in io.Reader, out io.Writer, rules string, limit int) error {
	lines, w := bufio.NewReaderSize(in, 1<<16), bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	bad, first := 0, 0
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err == io.EOF {
			break
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // some editors' mark of UTF-8
		}
		if err != nil && err != errTooLong {
			return errors.Join(fmt.Errorf("line %d: %w", n, err), w.Flush())
		}
		if err == nil && isBlank(line) {
			continue
		}
		result, err := judgeLine(line, err, rules, limit)
		if err != nil {
			if bad++; bad == 1 {
				first = n
			}
			result = map[string]string{"error": fmt.Sprintf("line %d: %v", n, err)}
		}
		if err := enc.Encode(result); err != nil {
			return err
		}
		if lines.Buffered() == 0 { // whoever writes a line at a time may wait for its answer
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d %w, the first is line %d", bad, ErrBadLines, first)
	}
	return nil
}

func judgeLine(line []byte, err error, rules string, limit int) (any, error) {
	if err != nil {
		return nil, err
	}
	c := lineCase{Rules: rules}
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, fmt.Errorf(`want an object {"fen","moves","rules"}: %w`, err)
	}
	return JudgeCase(c.FEN, c.Moves, c.Rules, limit)
}

// readLine returns the next line without its end. Of a line over maxLine bytes it reads
// all, keeps nothing and returns errTooLong.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(line) > 0 || tooLong):
			err = nil
		}
		if err == nil && tooLong {
			err = errTooLong
		}
		return line, err
	}
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
