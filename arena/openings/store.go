package openings

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"hash"
	"io"
	"sync"
)

// blockRecords is the number of records compressed together: an opening costs one block's
// unpacking (some 20 kB) unless its neighbour was asked for last.
const blockRecords = 256

// store keeps records (lines of text) compressed and gives any of them back.
type store struct {
	n      int
	blocks [][]byte
	tail   []byte // records not yet compressed
	hash   hash.Hash
	packer *flate.Writer // reused: it is large

	mu     sync.Mutex
	cached int // number of the block in lines, −1 for none
	lines  [][]byte
}

func newStore() *store {
	packer, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic("openings: flate refuses its own level: " + err.Error())
	}
	return &store{hash: sha256.New(), packer: packer, cached: -1}
}

// add appends a record, which has no line end in it. Its id is no part of the hash, since
// it may hold the file's name.
func (s *store) add(record []byte) {
	s.hash.Write(record[:bytes.LastIndexByte(record, '\t')+1])
	s.tail = append(append(s.tail, record...), '\n')
	if s.n++; s.n%blockRecords == 0 {
		s.flush()
	}
}

// flush compresses the tail into a block.
func (s *store) flush() {
	if len(s.tail) == 0 {
		return
	}
	var b bytes.Buffer
	s.packer.Reset(&b)
	s.packer.Write(s.tail) // a bytes.Buffer does not fail
	s.packer.Close()
	s.blocks = append(s.blocks, bytes.Clone(b.Bytes()))
	s.tail = s.tail[:0]
}

// finish ends adding.
func (s *store) finish() {
	s.flush()
	s.tail, s.packer = nil, nil
}

// get returns record i, to be read only.
func (s *store) get(i int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if block := i / blockRecords; block != s.cached {
		raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(s.blocks[block])))
		if err != nil {
			panic("openings: a block of the book does not unpack: " + err.Error())
		}
		s.cached, s.lines = block, bytes.Split(raw, []byte{'\n'})
	}
	return s.lines[i%blockRecords]
}
