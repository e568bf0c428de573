package results

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Dataset is a file of positions drawn from stored games, which lies beside the database
// under a name made of its hash. The row says what went in and what came out; the file may
// be missing, and is then made anew.
type Dataset struct {
	Hash      string // of everything that went in, hexadecimal
	Inputs    []byte // what that was, JSON
	Games     int
	Pairs     int // openings
	Positions int
	Bytes     int64
	Created   time.Time // set when stored
}

// PutDataset stores the row of a dataset; one that is stored already keeps its row.
func (s *Store) PutDataset(ctx context.Context, d Dataset) error {
	err := s.submit(ctx, false, func(w *writer) error {
		_, err := w.exec("INSERT INTO datasets (hash, inputs, games, pairs, positions, bytes, created) VALUES (?,?,?,?,?,?,?) ON CONFLICT (hash) DO NOTHING",
			d.Hash, string(d.Inputs), d.Games, d.Pairs, d.Positions, d.Bytes, time.Now().UnixMicro())
		return err
	})
	return s.fail("dataset "+d.Hash, err)
}

// Datasets returns the rows of all datasets, newest first.
func (s *Store) Datasets(ctx context.Context) ([]Dataset, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT hash, inputs, games, pairs, positions, bytes, created FROM datasets ORDER BY created DESC, hash")
	all, err := collect(rows, err, func(d *Dataset) []any {
		return []any{&d.Hash, (*bytesText)(&d.Inputs), &d.Games, &d.Pairs, &d.Positions, &d.Bytes, scanTime{&d.Created}}
	})
	return all, s.fail("datasets", err)
}

// Digest returns the number of games that a filter chooses and a hash over which they are,
// their moves and results: the same in every database that holds the same games.
func (s *Store) Digest(ctx context.Context, f Filter) (games int, hash string, err error) {
	const q = "SELECT pair, leg, attempt, result, g.hash, book FROM games g "
	fields := func(r *record) []any {
		return []any{&r.pair, &r.leg, &r.attempt, (*uint8)(&r.result), &r.hash, &r.book}
	}
	h := sha256.New()
	for r, err := range s.records(ctx, f, q, fields, func(*record) int { return 0 }) {
		if err != nil {
			return 0, "", err
		}
		fmt.Fprintf(h, "%s %d %d %d %d %x %d\n", r.run.uuid, r.pair, r.leg, r.attempt, r.result, uint64(r.hash), r.book)
		games++
	}
	return games, hex.EncodeToString(h.Sum(nil)), nil
}
