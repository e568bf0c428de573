package pgn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/xqlab/xqlab/movegen"
)

// maxJSONLine bounds a game in JSON, in bytes.
const maxJSONLine = 4 << 20

// jsonGame is a line of a JSON-lines file.
type jsonGame struct {
	Tags   Tags     `json:"tags"`
	FEN    string   `json:"fen"`
	Moves  []string `json:"moves"`
	Result Result   `json:"result"`
}

// MarshalJSON writes an object with the tags in their order.
func (t Tags) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, tag := range t {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, text := range [...]string{tag.Name, tag.Value} {
			if j > 0 {
				b.WriteByte(':')
			}
			if err := appendString(&b, text); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// appendString writes a JSON string without the escapes meant for HTML.
func appendString(b *bytes.Buffer, text string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	b.Truncate(b.Len() - 1) // Encode's line end
	return err
}

// UnmarshalJSON reads an object of strings; numbers and the like become their text.
func (t *Tags) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	first, err := d.Token()
	if err != nil || first == nil {
		return err
	}
	if first != json.Delim('{') {
		return errors.New("tags are not an object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return err
		}
		if value == nil {
			value = ""
		}
		t.Set(name.(string), fmt.Sprint(value))
	}
	return nil
}

// jsonReader reads JSON lines.
type jsonReader struct {
	o     Options
	lines *LineReader
	games int
}

func newJSONReader(r io.Reader, o Options) *jsonReader {
	return &jsonReader{o: o, lines: NewLineReader(r, maxJSONLine)}
}

// Next is Reader.Next for JSON lines.
func (r *jsonReader) Next() (*Game, error) {
	for {
		raw, err := r.lines.Next()
		if err == io.EOF || err != nil && !errors.Is(err, ErrLongLine) {
			return nil, err
		}
		if err == nil && len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		r.games++
		g := &Game{Result: Unknown, Line: r.lines.Number()}
		ply := 0
		if err == nil {
			ply, err = g.parseJSON(raw)
		}
		if err == nil {
			return g, nil
		}
		fault := &GameError{File: r.o.Name, Line: g.Line, Game: r.games, Ply: ply, Err: err}
		if ply > 0 {
			if start, err := g.Start(); err == nil {
				fault.Move = moveName(start, ply)
			}
		}
		return g, fault
	}
}

// parseJSON reads a line; ply is that of a wrong move, else 0.
func (g *Game) parseJSON(raw []byte) (ply int, err error) {
	var j jsonGame
	if err := json.Unmarshal(raw, &j); err != nil {
		return 0, fmt.Errorf("not a game in JSON: %w", err)
	}
	if j.FEN == "" {
		j.FEN = movegen.StartFEN
	}
	start, err := movegen.ParseFEN(j.FEN)
	if err != nil {
		return 0, err
	}
	if len(j.Tags) > maxTags {
		return 0, fmt.Errorf("more than %d tags", maxTags)
	}
	if len(j.Moves) > MaxPlies {
		return 0, fmt.Errorf("more than %d plies", MaxPlies)
	}
	g.Tags, g.FEN = j.Tags, start.FEN()
	if result, ok := ParseResult(string(j.Result)); ok {
		g.Result = result
	} else if j.Result != "" {
		return 0, fmt.Errorf("result %q, want 1-0, 0-1, 1/2-1/2 or *", clip(string(j.Result)))
	}
	for i, text := range j.Moves {
		m, err := movegen.ParseMove(text)
		if err != nil {
			return i + 1, err
		}
		if !start.IsLegal(m) {
			return i + 1, illegal(start, m)
		}
		var u movegen.Undo
		start.Make(m, &u)
		g.Moves = append(g.Moves, m)
	}
	return 0, nil
}

func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}

// jsonWriter writes JSON lines.
type jsonWriter struct {
	w *bufio.Writer
	b bytes.Buffer
}

// Write writes a game in a line.
func (w *jsonWriter) Write(g *Game) error {
	b := &w.b
	b.Reset()
	b.WriteString(`{"tags":`)
	tags, err := g.Tags.MarshalJSON()
	if err != nil {
		return err
	}
	b.Write(tags)
	fmt.Fprintf(b, `,"fen":"%s","moves":[`, g.FEN)
	for i, m := range g.Moves {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `"%s"`, m)
	}
	fmt.Fprintf(b, `],"result":"%s"}`+"\n", g.result())
	_, err = w.w.Write(b.Bytes())
	return err
}

// Flush writes what is buffered.
func (w *jsonWriter) Flush() error { return w.w.Flush() }
