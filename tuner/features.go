package tuner

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/results"
)

// A features file has a position a line, fields apart by tabs or blanks:
//
//	result  phase  pair  i:mg:eg  i:mg:eg …
//
// Result is the first player's: 1, 0.5 or 0. Phase is 1 in the middlegame and 0 in the
// endgame. Pair is any word that the games of one opening share; positions of a pair are
// never on two sides of the split, and count as one observation for the errors. Then come
// the features, by their place in the names file from 0: the first player's count less the
// second's in the middlegame and in the endgame sum, or one number for both. *:N is a part
// of the score in centipawns that no weight changes. Lines that are empty or begin with #
// are nothing.
//
// A names file has a feature a line: its name, and the weights to begin from, middlegame
// and endgame, 0 when left out. What follows a # is nothing.

// lineLimit bounds a line of a features file.
const lineLimit = 1 << 20

// ReadNames reads a names file.
func ReadNames(r io.Reader) (names []string, start [][2]float64, err error) {
	seen := map[string]int{}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		text, _, _ := strings.Cut(s.Text(), "#")
		f := strings.Fields(text)
		if len(f) == 0 {
			continue
		}
		if len(f) != 1 && len(f) != 3 {
			return nil, nil, fmt.Errorf("line %d: %d words, want a name, or a name and two weights", n, len(f))
		}
		if before := seen[f[0]]; before > 0 {
			return nil, nil, fmt.Errorf("line %d: %s stands in line %d already", n, f[0], before)
		}
		seen[f[0]] = n
		var w [2]float64
		for i, text := range f[1:] {
			if w[i], err = finite(text); err != nil {
				return nil, nil, fmt.Errorf("line %d: weight %w", n, err)
			}
		}
		names, start = append(names, f[0]), append(start, w)
	}
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, errors.New("no names")
	}
	return names, start, nil
}

// finite reads a number that a file of samples can hold.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 32)
	if err != nil || v-v != 0 {
		return 0, fmt.Errorf("%q is no finite number", text)
	}
	return v, nil
}

// ImportFeatures turns a features file into a dataset in dir, unless the dataset of the
// same file and names is there already. Lines of a pair may lie apart. What is wrong with a
// line is an error that names it.
func ImportFeatures(ctx context.Context, path string, names []string, dir string) (*Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	im := importer{ctx: ctx, file: f, names: len(names), path: path}
	if err := im.index(names); err != nil {
		return nil, err
	}
	to := filepath.Join(dir, im.key[:32]+".samples")
	if d, err := Open(to); err == nil {
		return d, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer os.Remove(dir) // does nothing unless it is empty
	inputs, err := json.Marshal(map[string]any{"features": filepath.Base(path), "sha256": im.sum, "lines": len(im.lines)})
	if err != nil {
		return nil, err
	}
	if im.w, err = Create(to, Info{Key: im.key, Inputs: inputs, Features: names}); err != nil {
		return nil, err
	}
	if err := im.all(); err != nil {
		return nil, errors.Join(err, im.w.Abort())
	}
	if err := im.w.Close(); err != nil {
		return nil, err
	}
	return Open(to)
}

// place is where a position's line lies.
type place struct {
	at   int64
	pair uint32 // in the order they are met
	len  int32
	line int32
}

// importer reads a features file: once to find its lines and pairs, once to take them pair
// by pair.
type importer struct {
	ctx      context.Context
	file     *os.File
	path     string
	names    int
	key, sum string
	lines    []place
	apart    bool // lines of a pair lie apart
	pairs    []string
	w        *Writer
}

// index finds the lines and hashes everything.
func (m *importer) index(names []string) error {
	hash := sha256.New()
	s := bufio.NewScanner(io.TeeReader(m.file, hash))
	s.Buffer(make([]byte, 1<<16), lineLimit)
	var at int64
	s.Split(func(data []byte, eof bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, eof)
		at += int64(n)
		return n, line, err
	})
	known := map[string]uint32{}
	for n, from := int32(1), int64(0); s.Scan(); n, from = n+1, at {
		if n%4096 == 0 && m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		pair, ok, err := pairOf(s.Bytes())
		if err != nil {
			return fmt.Errorf("%s line %d: %w", m.path, n, err)
		}
		if !ok {
			continue
		}
		id, old := known[string(pair)]
		if !old {
			id = uint32(len(m.pairs))
			m.pairs = append(m.pairs, string(pair))
			known[m.pairs[id]] = id
		}
		m.apart = m.apart || old && m.lines[len(m.lines)-1].pair != id
		m.lines = append(m.lines, place{from, id, int32(len(s.Bytes())), n})
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	if len(m.lines) == 0 {
		return fmt.Errorf("%s: no positions", m.path)
	}
	m.sum = hex.EncodeToString(hash.Sum(nil))
	for _, n := range names {
		fmt.Fprintln(hash, n)
	}
	m.key = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// pairOf returns the third field of a line; ok is false for a line without a position.
func pairOf(line []byte) (pair []byte, ok bool, err error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return nil, false, nil
	}
	f := bytes.Fields(line[:min(len(line), 400)])
	if len(f) < 3 {
		return nil, false, fmt.Errorf("%d fields, want result, phase, pair and features as i:mg:eg", len(f))
	}
	return f[2], true, nil
}

// all writes every position, pair by pair.
func (m *importer) all() error {
	if m.apart {
		slices.SortStableFunc(m.lines, func(a, b place) int { return cmp.Compare(a.pair, b.pair) })
	}
	// A line is read where it lies; in a file in order that is the one after the last.
	var g Game
	var s Sample
	r := bufio.NewReaderSize(nil, 1<<18)
	var text []byte
	next := int64(-1)
	for i := range m.lines {
		l := &m.lines[i]
		if i%4096 == 0 && m.ctx.Err() != nil {
			return context.Cause(m.ctx)
		}
		if i == 0 || l.pair != m.lines[i-1].pair {
			if err := m.w.Put(&g); err != nil {
				return err
			}
			g.Reset(m.pairs[l.pair])
		}
		if skip := l.at - next; next >= 0 && 0 <= skip && skip < 1<<16 {
			if _, err := r.Discard(int(skip)); err != nil {
				return err
			}
		} else {
			r.Reset(io.NewSectionReader(m.file, l.at, 1<<62))
		}
		text = slices.Grow(text[:0], int(l.len))[:l.len]
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("%s has changed while it was read: %w", m.path, err)
		}
		next = l.at + int64(l.len)
		err := m.parse(string(text), &s)
		if err == nil {
			err = g.Add(&s)
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", m.path, l.line, err)
		}
	}
	return m.w.Put(&g)
}

// parse reads a line.
func (m *importer) parse(line string, s *Sample) error {
	*s = Sample{Score: results.NoScore, Coefs: s.Coefs[:0]}
	word := func() (w string) {
		line = strings.TrimLeft(line, " \t\r")
		if end := strings.IndexAny(line, " \t\r"); end >= 0 {
			w, line = line[:end], line[end:]
			return w
		}
		w, line = line, ""
		return w
	}
	switch result := word(); result {
	case "1", "1.0", "1-0":
		s.Result = 2
	case "0.5", ".5", "1/2-1/2":
		s.Result = 1
	case "0", "0.0", "0-1":
		s.Result = 0
	default:
		return fmt.Errorf("result %q, want 1, 0.5 or 0", result)
	}
	w := word()
	phase, err := finite(w)
	if err != nil || phase < 0 || phase > 1 {
		return fmt.Errorf("phase %q, want 0 (endgame) to 1 (middlegame)", w)
	}
	s.MG, s.EG = phase, 1-phase
	word() // the pair
	sorted := true
	for w := word(); w != ""; w = word() {
		if err := m.coef(w, s); err != nil {
			return err
		}
		n := len(s.Coefs)
		sorted = sorted && (n < 2 || s.Coefs[n-1].Index > s.Coefs[n-2].Index)
	}
	if !sorted {
		slices.SortFunc(s.Coefs, func(a, b Coef) int { return a.Index - b.Index })
	}
	return nil
}

// coef reads i:mg:eg, i:n or *:n.
func (m *importer) coef(w string, s *Sample) error {
	name, rest, ok := strings.Cut(w, ":")
	if !ok {
		return fmt.Errorf("feature %q, want i:mg:eg", w)
	}
	mg, eg, two := strings.Cut(rest, ":")
	if !two {
		eg = mg
	}
	var c Coef
	var err error
	if c.MG, err = finite(mg); err == nil {
		c.EG, err = finite(eg)
	}
	if err != nil {
		return fmt.Errorf("feature %q: %w", w, err)
	}
	if name == "*" {
		s.Offset += c.MG
		return nil
	}
	if c.Index, err = strconv.Atoi(name); err != nil || c.Index < 0 || c.Index >= m.names {
		return fmt.Errorf("feature %q: the names file has features 0 to %d", w, m.names-1)
	}
	if c.MG != 0 || c.EG != 0 {
		s.Coefs = append(s.Coefs, c)
	}
	return nil
}

// WriteFeatureWeights writes the weights of a fit of foreign features as a names file that
// a further fit can begin from, with what is known of each weight behind a #.
func WriteFeatureWeights(out io.Writer, provenance map[string]string, r *Result) error {
	b := bufio.NewWriter(out)
	for _, k := range slices.Sorted(maps.Keys(provenance)) {
		fmt.Fprintf(b, "# %s: %s\n", k, provenance[k])
	}
	fmt.Fprintln(b, "# name mg eg # standard errors, share of the prior, positions with the feature")
	for i := 0; i+1 < len(r.Weights); i += 2 {
		mg, eg := &r.Weights[i], &r.Weights[i+1]
		fmt.Fprintf(b, "%s %.2f %.2f # %.2f %.2f %.2f %.2f %d\n", mg.Name, mg.Value, eg.Value, mg.Error, eg.Error, mg.Prior, eg.Prior, mg.Count)
	}
	return b.Flush()
}
