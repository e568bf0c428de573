package tuner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/results"
)

// A dataset file, little endian:
//
//	8 bytes magic, u32 format, u32 0, u64 place of the description, u64 its length
//	blocks, each of whole games of one set: runs of f32 MG, f32 EG, u32 number of
//	records, and the records with these factors, in ascending order of the factors' bits
//	the description as JSON, u32 its CRC-32C
const (
	magic       = "XQLBdata"
	formatData  = 3
	runHead     = factorBytes + 4
	fileHead    = 32
	blockTarget = 8192      // positions in a block, or a little more
	gameLimit   = 1_000_000 // positions of one game
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDataset is wrapped by Open and Verify for a file that is not as a Writer left it.
var ErrDataset = errors.New("damaged or foreign dataset")

// Info describes a dataset.
type Info struct {
	Key      string          `json:"key"`      // hash of everything that went in
	Inputs   json.RawMessage `json:"inputs"`   // what went in: games, filter, evaluation
	Features []string        `json:"features"` // names in the order of the indexes
	Sets     [Sets]Counts    `json:"sets"`
	Bytes    int64           `json:"bytes"` // of records

	blocks [Sets][]block
}

// Counts is how much a set holds.
type Counts struct {
	Positions int    `json:"positions"`
	Games     int    `json:"games"`
	Pairs     int    `json:"pairs"`
	Results   [3]int `json:"results"` // positions by half points of Red
	Scored    int    `json:"scored"`  // positions with a score
	With      []int  `json:"with"`    // positions that have each feature
}

// Positions returns the positions of all sets.
func (i *Info) Positions() int {
	return i.Sets[Train].Positions + i.Sets[Validation].Positions + i.Sets[Test].Positions
}

// Games returns the games of all sets.
func (i *Info) Games() int {
	return i.Sets[Train].Games + i.Sets[Validation].Games + i.Sets[Test].Games
}

// Pairs returns the openings of all sets.
func (i *Info) Pairs() int {
	return i.Sets[Train].Pairs + i.Sets[Validation].Pairs + i.Sets[Test].Pairs
}

// block is a run of records in the file; it is also the unit of work, so that sums come
// out the same however many threads there are.
type block struct {
	At    int64  `json:"at"`
	Len   int    `json:"len"`
	N     int    `json:"n"`
	CRC   uint32 `json:"crc"`
	data  []byte // in the map, when open
	index int    // in its set
}

// description is the JSON of a file.
type description struct {
	Info
	Blocks [Sets][]block `json:"blocks"`
}

// Writer writes a dataset. What it writes takes its name only when Close has succeeded; a
// process that dies leaves a file that ends in .part.
type Writer struct {
	path   string
	file   *os.File
	at     int64
	err    error
	desc   description
	target int // positions in a block
	open   [Sets]struct {
		buf    []byte // of records
		pieces []piece
		pairs  map[string]struct{}
	}
	runs  map[uint64]int32 // by factors, of the block that is being written
	list  []run
	order []int32
	block []byte
}

// run is a run of records with the same factors in a block that is being written.
type run struct {
	factors uint64
	n, len  int // records, and their bytes
	at      int // where its next record goes
}

// Create begins a dataset at path. Key, Inputs and Features of the info are taken.
func Create(path string, info Info) (*Writer, error) {
	switch {
	case len(info.Features) == 0:
		return nil, fmt.Errorf("dataset %s: no features", path)
	case len(info.Features) > maxFeatures:
		return nil, fmt.Errorf("dataset %s: %d features, at most %d", path, len(info.Features), maxFeatures)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	w := &Writer{path: path, file: f, at: fileHead, target: blockTarget, runs: map[uint64]int32{}}
	w.desc.Info = Info{Key: info.Key, Inputs: info.Inputs, Features: info.Features}
	for s := range w.desc.Sets {
		w.desc.Sets[s].With = make([]int, len(info.Features))
		w.open[s].pairs = map[string]struct{}{}
	}
	if _, err := f.Write(make([]byte, fileHead)); err != nil {
		return nil, errors.Join(w.fail(err), w.Abort())
	}
	return w, nil
}

func (w *Writer) fail(err error) error {
	switch {
	case w.err != nil || err == nil:
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		w.err = fmt.Errorf("dataset %s: %w: make room and try again; what was written is removed (%w)", w.path, results.ErrFull, err)
	default:
		w.err = fmt.Errorf("dataset %s: %w", w.path, err)
	}
	return w.err
}

// Put appends a game. Games are stored in the order they come, set by set.
func (w *Writer) Put(g *Game) error {
	n := g.Len()
	if w.err != nil || n == 0 {
		return w.err
	}
	o, c := &w.open[g.set], &w.desc.Sets[g.set]
	switch {
	case n > gameLimit:
		return w.fail(fmt.Errorf("%d positions of one game, at most %d", n, gameLimit))
	case len(g.tally.With) > len(c.With):
		return w.fail(fmt.Errorf("feature %d of a position, the dataset has %d", len(g.tally.With)-1, len(c.With)))
	}
	c.add(&g.tally)
	c.Games++
	if _, known := o.pairs[g.pair]; !known {
		o.pairs[g.pair] = struct{}{}
		c.Pairs++
	}
	o.buf, o.pieces = append(o.buf, g.buf...), append(o.pieces, g.pieces...)
	if len(o.pieces) >= w.target {
		return w.flush(g.set)
	}
	return nil
}

// add adds the positions of a game.
func (c *Counts) add(g *Counts) {
	c.Positions += g.Positions
	c.Scored += g.Scored
	for i, n := range g.Results {
		c.Results[i] += n
	}
	for i, n := range g.With {
		c.With[i] += n
	}
}

// flush writes the open block of a set.
func (w *Writer) flush(s Set) error {
	o := &w.open[s]
	n := len(o.pieces)
	if n == 0 {
		return nil
	}
	data := w.gather(o.buf, o.pieces)
	if _, err := w.file.Write(data); err != nil {
		return w.fail(err)
	}
	w.desc.Blocks[s] = append(w.desc.Blocks[s], block{At: w.at, Len: len(data), N: n, CRC: crc32.Checksum(data, castagnoli)})
	w.at += int64(len(data))
	w.desc.Bytes += int64(len(data))
	o.buf, o.pieces = o.buf[:0], o.pieces[:0]
	return nil
}

// gather numbers records and puts those with the same factors together, in their order.
func (w *Writer) gather(buf []byte, pieces []piece) []byte {
	le := binary.LittleEndian
	clear(w.runs)
	w.list, w.order = w.list[:0], w.order[:0]
	for i := range pieces {
		p := &pieces[i]
		k, known := w.runs[p.factors]
		if !known {
			k = int32(len(w.list))
			w.runs[p.factors] = k
			w.list, w.order = append(w.list, run{factors: p.factors}), append(w.order, k)
		}
		p.run = k
		w.list[k].n++
		w.list[k].len += int(p.len)
	}
	slices.SortFunc(w.order, func(a, b int32) int { return cmp.Compare(w.list[a].factors, w.list[b].factors) })
	size := len(buf) + runHead*len(w.list)
	out, at := slices.Grow(w.block[:0], size)[:size], 0
	for _, k := range w.order {
		r := &w.list[k]
		le.PutUint64(out[at:], r.factors)
		le.PutUint32(out[at+factorBytes:], uint32(r.n))
		r.at = at + runHead
		at = r.at + r.len
	}
	for i := range pieces {
		p := &pieces[i]
		data, r := buf[:p.len], &w.list[p.run]
		buf = buf[p.len:]
		le.PutUint32(data, le.Uint32(data)&flagFirst|uint32(i))
		r.at += copy(out[r.at:], data)
	}
	w.block = out
	return out
}

// Close finishes the file and gives it its name.
func (w *Writer) Close() error {
	for s := range Sets {
		if w.err == nil {
			_ = w.flush(s) // kept in w.err
		}
	}
	if w.err == nil {
		_ = w.fail(w.describe())
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	name := w.file.Name()
	if err := errors.Join(w.file.Chmod(0o644), w.file.Sync(), w.file.Close()); err != nil {
		os.Remove(name)
		return w.fail(err)
	}
	return w.fail(os.Rename(name, w.path))
}

// describe writes the description and the head that points to it.
func (w *Writer) describe() error {
	text, err := json.Marshal(&w.desc)
	if err != nil {
		return err
	}
	tail := binary.LittleEndian.AppendUint32(slices.Clone(text), crc32.Checksum(text, castagnoli))
	if _, err := w.file.Write(tail); err != nil {
		return err
	}
	head := append(make([]byte, 0, fileHead), magic...)
	head = binary.LittleEndian.AppendUint64(head, formatData)
	head = binary.LittleEndian.AppendUint64(head, uint64(w.at))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(text)))
	_, err = w.file.WriteAt(head, 0)
	return err
}

// Abort gives up and leaves nothing. After Close it does nothing.
func (w *Writer) Abort() error {
	if w.err == nil {
		w.err = fmt.Errorf("dataset %s: %w", w.path, os.ErrClosed)
	}
	_ = w.file.Close()
	if err := os.Remove(w.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Dataset is a dataset in memory, as far as the system keeps it there.
type Dataset struct {
	Info
	path  string
	unmap func() error
}

// Open maps a dataset. Only its description is read; Verify reads the rest.
func Open(path string) (*Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	d := &Dataset{path: path}
	desc, err := readDescription(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", path, err)
	}
	data, unmap, err := mapFile(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("dataset %s: mapping: %w", path, err)
	}
	d.Info, d.unmap = desc.Info, unmap
	for s := range d.blocks {
		d.blocks[s] = desc.Blocks[s]
		for i := range d.blocks[s] {
			b := &d.blocks[s][i]
			b.data, b.index = data[b.At:b.At+int64(b.Len)], i
		}
	}
	return d, nil
}

// readDescription reads and checks all of a file but its records.
func readDescription(f io.ReaderAt, size int64) (*description, error) {
	head := make([]byte, fileHead)
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte(magic)) {
		return nil, fmt.Errorf("%w: it does not begin with %s", ErrDataset, magic)
	}
	le := binary.LittleEndian
	if v := le.Uint64(head[8:]); v != formatData {
		return nil, fmt.Errorf("%w: format %d, this xqlab reads %d; remove it and it is made anew", ErrDataset, v, formatData)
	}
	at, n := le.Uint64(head[16:]), le.Uint64(head[24:])
	if at < fileHead || at > uint64(size) || n > uint64(size)-at || uint64(size)-at-n != 4 {
		return nil, fmt.Errorf("%w: it has %d bytes, its head says %d", ErrDataset, size, at+n+4)
	}
	text := make([]byte, n+4)
	if _, err := f.ReadAt(text, int64(at)); err != nil {
		return nil, err
	}
	sum := le.Uint32(text[n:])
	if text = text[:n]; crc32.Checksum(text, castagnoli) != sum {
		return nil, fmt.Errorf("%w: the checksum of its description is wrong", ErrDataset)
	}
	d := &description{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDataset, err)
	}
	for s := range d.Blocks {
		if len(d.Sets[s].With) != len(d.Features) {
			return nil, fmt.Errorf("%w: counts of %d features of %d", ErrDataset, len(d.Sets[s].With), len(d.Features))
		}
		for _, b := range d.Blocks[s] {
			if b.At < fileHead || b.Len < 0 || b.At > int64(at)-int64(b.Len) {
				return nil, fmt.Errorf("%w: a block is out of place", ErrDataset)
			}
		}
	}
	return d, nil
}

// Path returns where the file is.
func (d *Dataset) Path() string { return d.path }

// Close unmaps the file; nothing of the dataset may be used afterwards.
func (d *Dataset) Close() error { return d.unmap() }

// Verify reads all records once, by several threads, and reports the first block that is
// not as it was written. A fit that has verified cannot stumble over the file later.
func (d *Dataset) Verify(ctx context.Context, threads int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(threads, 1))
	for s := range Sets {
		for i := range d.blocks[s] {
			b := &d.blocks[s][i]
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				if crc32.Checksum(b.data, castagnoli) != b.CRC {
					return fmt.Errorf("dataset %s: %w: block %d of %s has a wrong checksum; remove the file and it is made anew", d.path, ErrDataset, i, s)
				}
				return nil
			})
		}
	}
	return g.Wait()
}

// records goes through the records of a block, run by run.
type records struct {
	data []byte
	left int // of the run
}

// next reads the next record into r and reports whether there was one.
func (it *records) next(r *record) bool {
	if it.left == 0 {
		if len(it.data) == 0 {
			return false
		}
		r.factors(it.data)
		it.left = int(binary.LittleEndian.Uint32(it.data[factorBytes:]))
		it.data = it.data[runHead:]
	}
	it.data = r.next(it.data)
	it.left--
	return true
}

// inOrder calls f with the records of a block in the order they were written, game by
// game, until it returns false.
func (b *block) inOrder(r *record, f func() bool) bool {
	type place struct{ run, at int }
	le := binary.LittleEndian
	places := make([]place, b.N)
	run, at := 0, 0
	for it := (records{data: b.data}); ; {
		if it.left == 0 {
			run = len(b.data) - len(it.data)
			at = run + runHead
		}
		if !it.next(r) {
			break
		}
		places[le.Uint32(b.data[at:])&^flagFirst] = place{run, at}
		at = len(b.data) - len(it.data)
	}
	for _, p := range places {
		r.factors(b.data[p.run:])
		r.next(b.data[p.at:])
		if !f() {
			return false
		}
	}
	return true
}

// each calls f with every record of a set in order, until it returns false.
func (d *Dataset) each(s Set, f func(*record) bool) {
	var r record
	for i := range d.blocks[s] {
		if !d.blocks[s][i].inOrder(&r, func() bool { return f(&r) }) {
			return
		}
	}
}

// Samples calls f with every sample of a set in order, the coefficients ascending, until it
// returns false. The sample is overwritten by the next; first says that it begins a game.
func (d *Dataset) Samples(s Set, f func(x *Sample, first bool) bool) {
	var x Sample
	d.each(s, func(r *record) bool {
		x = Sample{Result: r.result, Score: r.score, MG: r.mg, EG: r.eg, Offset: r.offset, Class: r.class, Coefs: r.coefs(x.Coefs[:0])}
		return f(&x, r.first)
	})
}
