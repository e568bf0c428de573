package eval

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/xqlab/xqlab/movegen"
)

// The weights file is TOML, and has the scales of endings in a table of their own. Each group of weights is a table named like the group, with
// mg and eg in centipawns: a number, a list by count, or a board of ten ranks (9 first)
// by five files (a–e). A fit adds mg_error, eg_error and count of the same shape.
const (
	formatVersion = 1
	maxFileBytes  = 1 << 20
)

// MaxWeight bounds the absolute value of a weight in centipawns.
const MaxWeight = 20000

// Parse reads a weights file. An unknown, missing or misshapen entry is an error that
// names it and, where it has one, its line.
func Parse(r io.Reader) (*Weights, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("weights file is longer than %d bytes", maxFileBytes)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors' mark
	root := map[string]any{}
	if err := toml.Unmarshal(text, &root); err != nil {
		var d *toml.DecodeError
		if errors.As(err, &d) {
			row, col := d.Position()
			return nil, fmt.Errorf("weights line %d, column %d: %s", row, col, d.Error())
		}
		return nil, fmt.Errorf("weights: %w", err)
	}
	p := parser{text: string(text)}
	return p.weights(root)
}

// parser turns decoded TOML into weights and finds the lines for its errors.
type parser struct{ text string }

func (p *parser) errorf(name, format string, args ...any) error {
	where := "weights"
	if n := p.line(name); n > 0 {
		where = fmt.Sprintf("weights line %d", n)
	}
	return fmt.Errorf("%s: %s: %s", where, name, fmt.Sprintf(format, args...))
}

// line returns the first line that mentions the name as a key or a table, or 0.
func (p *parser) line(name string) int {
	for i, l := range strings.Split(p.text, "\n") {
		l = strings.TrimLeft(strings.TrimSpace(l), "[ ")
		if rest, ok := strings.CutPrefix(l, name); ok && (rest == "" || strings.ContainsAny(rest[:1], " =].")) {
			return i + 1
		}
	}
	return 0
}

// from returns a parser that looks for names from a table's line on.
func (p *parser) from(table string) *parser {
	lines := strings.SplitAfter(p.text, "\n")
	before := max(p.line(table)-1, 0)
	return &parser{text: strings.Repeat("\n", before) + strings.Join(lines[before:], "")}
}

func (p *parser) weights(root map[string]any) (*Weights, error) {
	w := &Weights{Provenance: map[string]string{}}
	if v, ok := root["format"]; !ok {
		return nil, fmt.Errorf("weights: format is missing, want format = %d", formatVersion)
	} else if v != int64(formatVersion) {
		return nil, p.errorf("format", "is %#v, want %d", v, formatVersion)
	}
	delete(root, "format")
	if err := p.provenance(root, w); err != nil {
		return nil, err
	}
	if err := p.endings(root, w); err != nil {
		return nil, err
	}
	tables := map[string]map[string]any{}
	if err := p.flatten("", root, tables); err != nil {
		return nil, err
	}
	for _, g := range groups {
		t, ok := tables[g.Name]
		if !ok {
			return nil, fmt.Errorf("weights: %s is missing (%s)", g.Name, g.Doc)
		}
		if err := p.group(g, t, w); err != nil {
			return nil, err
		}
		delete(tables, g.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		return nil, p.errorf(name, "no such weights")
	}
	return w, nil
}

func (p *parser) provenance(root map[string]any, w *Weights) error {
	v, ok := root["provenance"]
	if !ok {
		return nil
	}
	delete(root, "provenance")
	t, ok := v.(map[string]any)
	if !ok {
		return p.errorf("provenance", "is no table")
	}
	for k, v := range t {
		s, ok := v.(string)
		if !ok {
			return p.errorf(k, "provenance %v is no string", v)
		}
		w.Provenance[k] = s
	}
	return nil
}

// endingName is the table of the endings' scales, a list of rows for each attack.
const endingName = "scale.ending"

const endingDoc = `# How much of a score counts in an ending, of 64: a table for what the side it favours attacks with;
# rows by its soldiers (0, 1, 2, 3 and more), without an advisor of its own, then with; columns by what the
# other side attacks with (no horse, cannon or rook; one, two, more horses and cannons; a rook; a rook and
# more) and its advisors and elephants (up to 1, 2, 3, 4).
`

// endings reads the scales of endings.
func (p *parser) endings(root map[string]any, w *Weights) error {
	scale, _ := root["scale"].(map[string]any)
	t, ok := scale["ending"].(map[string]any)
	if !ok || len(scale) != 1 {
		return p.errorf("scale", "want a table %s and no other scale", endingName)
	}
	delete(root, "scale")
	table := p.from(endingName) // some attacks are called like groups of weights
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !slices.Contains(endingAttacks[:], name) {
			return table.errorf(name, "%s has no such attack, want %s", endingName, strings.Join(endingAttacks[:], ", "))
		}
	}
	for i, name := range endingAttacks {
		at := w.Ending[i*endingRows*endingColumns:][:endingRows*endingColumns]
		if err := readEndings(t[name], at); err != nil {
			return table.errorf(name, "%s: %v", endingName, err)
		}
	}
	return nil
}

// readEndings reads the scales of one attack.
func readEndings(v any, out []int) error {
	rows, ok := v.([]any)
	if !ok || len(rows) != endingRows {
		return fmt.Errorf("want a list of %d rows", endingRows)
	}
	for i, r := range rows {
		cells, ok := r.([]any)
		if !ok {
			return fmt.Errorf("row %d is no list", i)
		}
		values, err := row(cells, endingColumns)
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		for j, v := range values {
			if v != float64(int(v)) || v < 1 || v > MaxEnding {
				return fmt.Errorf("row %d: %v, want an integer from 1 to %d", i, v, MaxEnding)
			}
			out[i*endingColumns+j] = int(v)
		}
	}
	return nil
}

// flatten collects the tables that hold weights by their dotted names.
func (p *parser) flatten(prefix string, t map[string]any, out map[string]map[string]any) error {
	for _, k := range [...]string{"mg", "eg", "count"} {
		if _, ok := t[k]; ok && prefix != "" {
			out[prefix] = t
			return nil
		}
	}
	if len(t) == 0 {
		return p.errorf(prefix, "is empty, want weights")
	}
	for _, k := range slices.Sorted(maps.Keys(t)) {
		name := strings.TrimPrefix(prefix+"."+k, ".")
		sub, ok := t[k].(map[string]any)
		if !ok {
			return p.errorf(k, "unknown key %s", name)
		}
		if err := p.flatten(name, sub, out); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) group(g Group, t map[string]any, w *Weights) error {
	for _, key := range slices.Sorted(maps.Keys(t)) {
		values, err := numbers(g, t[key])
		if err != nil {
			return p.errorf(g.Name, "%s: %v", key, err)
		}
		for i, v := range values {
			if err := w.set(g, i, key, v); err != nil {
				return p.errorf(g.Name, "%v", err)
			}
		}
	}
	for _, key := range [...]string{"mg", "eg"} {
		if _, ok := t[key]; !ok {
			return p.errorf(g.Name, "%s is missing", key)
		}
	}
	return nil
}

// set stores value v of a key for weight i of the group.
func (w *Weights) set(g Group, i int, key string, v float64) error {
	at := g.First + i
	switch key {
	case "mg", "eg":
		if v != float64(int(v)) || v < -MaxWeight || v > MaxWeight {
			return fmt.Errorf("%s %v, want an integer from %d to %d", key, v, -MaxWeight, MaxWeight)
		}
		if v != 0 && g.Shape == Board && !standable(boardType(g), i) {
			return fmt.Errorf("%s %v on a square where the piece never stands, want 0", key, v)
		}
		if key == "mg" {
			w.Values[at].MG = int(v)
		} else {
			w.Values[at].EG = int(v)
		}
		return nil
	case "mg_error", "eg_error", "count":
		if !(v >= 0 && v < 1e12) || key == "count" && v != float64(int(v)) {
			return fmt.Errorf("%s %v is out of range", key, v)
		}
	default:
		return fmt.Errorf("unknown key %q, want mg, eg, mg_error, eg_error, count", key)
	}
	if w.Confidence == nil {
		w.Confidence = make([]Confidence, Features)
	}
	switch c := &w.Confidence[at]; key {
	case "mg_error":
		c.MG = v
	case "eg_error":
		c.EG = v
	case "count":
		c.Count = int(v)
	}
	return nil
}

// boardType returns the piece of a piece-square group.
func boardType(g Group) movegen.PieceType {
	return movegen.King + movegen.PieceType((g.First-psqt)/boardCells)
}

// numbers reads a number, a list or a board in the order of the features.
func numbers(g Group, v any) ([]float64, error) {
	if g.Shape == Single {
		n, err := number(v)
		return []float64{n}, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("is no list")
	}
	if g.Shape == Table {
		return row(list, g.Size)
	}
	if len(list) != boardRanks {
		return nil, fmt.Errorf("%d ranks, want %d", len(list), boardRanks)
	}
	out := make([]float64, boardCells)
	for i, r := range list {
		cells, ok := r.([]any)
		if !ok {
			return nil, fmt.Errorf("rank %d is no list", boardRanks-1-i)
		}
		values, err := row(cells, boardFiles)
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", boardRanks-1-i, err)
		}
		copy(out[(boardRanks-1-i)*boardFiles:], values)
	}
	return out, nil
}

func row(list []any, want int) ([]float64, error) {
	if len(list) != want {
		return nil, fmt.Errorf("%d numbers, want %d", len(list), want)
	}
	out := make([]float64, want)
	for i, v := range list {
		n, err := number(v)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

func number(v any) (float64, error) {
	switch n := v.(type) {
	case int64:
		return float64(n), nil
	case float64:
		return n, nil
	}
	return 0, fmt.Errorf("%v is no number", v)
}

// Write prints the weights so that Parse reads the same again.
func (w *Weights) Write(out io.Writer) error {
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "# Weights of xqlab's evaluation in centipawns: mg middlegame, eg endgame.\nformat = %d\n", formatVersion)
	if len(w.Provenance) > 0 {
		fmt.Fprintf(b, "\n[provenance]\n")
		for _, k := range slices.Sorted(maps.Keys(w.Provenance)) {
			fmt.Fprintf(b, "%s = %s\n", key(k), quote(w.Provenance[k]))
		}
	}
	for _, g := range groups {
		fmt.Fprintf(b, "\n[%s] # %s\n", g.Name, g.Doc)
		w.writeKey(b, g, "mg", func(i int) string { return strconv.Itoa(w.Values[i].MG) })
		w.writeKey(b, g, "eg", func(i int) string { return strconv.Itoa(w.Values[i].EG) })
		if w.Confidence == nil {
			continue
		}
		w.writeKey(b, g, "mg_error", func(i int) string { return float(w.Confidence[i].MG) })
		w.writeKey(b, g, "eg_error", func(i int) string { return float(w.Confidence[i].EG) })
		w.writeKey(b, g, "count", func(i int) string { return strconv.Itoa(w.Confidence[i].Count) })
	}
	w.writeEndings(b)
	return b.Flush()
}

// writeEndings writes the scales of endings.
func (w *Weights) writeEndings(b *bufio.Writer) {
	fmt.Fprintf(b, "\n%s[%s]\n", endingDoc, endingName)
	for i, v := range w.Ending {
		column := i % endingColumns
		switch {
		case i%(endingRows*endingColumns) == 0:
			fmt.Fprintf(b, "%s = [\n  [", endingAttacks[i/(endingRows*endingColumns)])
		case column == 0:
			b.WriteString("  [")
		case column%endingGuards == 0:
			b.WriteString(",  ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%3d", v)
		if column == endingColumns-1 {
			b.WriteString("],\n")
		}
		if (i+1)%(endingRows*endingColumns) == 0 {
			b.WriteString("]\n")
		}
	}
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// key quotes a key that TOML does not take bare.
func key(k string) string {
	for _, c := range k {
		if !(c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return quote(k)
		}
	}
	if k == "" {
		return `""`
	}
	return k
}

// quote writes a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range strings.ToValidUTF8(s, "�") {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (w *Weights) writeKey(b *bufio.Writer, g Group, key string, at func(int) string) {
	switch g.Shape {
	case Single:
		fmt.Fprintf(b, "%s = %s\n", key, at(g.First))
	case Table:
		fmt.Fprintf(b, "%s = [", key)
		for i := range g.Size {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(at(g.First + i))
		}
		b.WriteString("]\n")
	case Board:
		w.writeBoard(b, g, key, at)
	}
}

func (w *Weights) writeBoard(b *bufio.Writer, g Group, key string, at func(int) string) {
	fmt.Fprintf(b, "%s = [\n  #    a     b     c     d     e\n", key)
	for r := boardRanks - 1; r >= 0; r-- {
		b.WriteString("  [")
		for f := range boardFiles {
			if f > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, "%4s", at(g.First+r*boardFiles+f))
		}
		fmt.Fprintf(b, "], # rank %d\n", r)
	}
	b.WriteString("]\n")
}
