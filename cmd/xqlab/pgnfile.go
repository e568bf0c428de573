package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/xqlab/xqlab/movegen/notation"
	"github.com/xqlab/xqlab/movegen/pgn"
	"github.com/xqlab/xqlab/results"
)

// pgnFile is the PGN file of a run, which holds each stored game of the run once.
type pgnFile struct {
	file   *os.File
	writer *pgn.Writer
}

// createPGN opens the file of --pgn. A new run must not overwrite a file, but for an empty
// one, as a kill before the run was stored may have left it; a resumed one writes its file
// anew, so that it has exactly the games that the database has.
func (s *sitting) createPGN(resumed bool) error {
	path := s.flags.pgn
	if path == "" {
		return nil
	}
	mode := os.O_EXCL
	if info, err := os.Stat(path); resumed || err == nil && info.Mode().IsRegular() && info.Size() == 0 { // an empty one is of a run that was killed as it began
		mode = os.O_TRUNC
	} else if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		mode = 0
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if errors.Is(err, os.ErrExist) {
		return usagef("--pgn %s: the file exists; name another, or remove it", path)
	}
	if err != nil {
		return fmt.Errorf("--pgn: %w", err)
	}
	s.pgn = &pgnFile{f, pgn.NewWriter(f, notation.ICCS)}
	return nil
}

// dropPGN removes the file of a run that could not be begun.
func (s *sitting) dropPGN(resumed bool) {
	if s.pgn != nil && !resumed {
		os.Remove(s.pgn.file.Name()) // an empty one is no loss if it stays
	}
}

// fillPGN writes the games that are stored already.
func (s *sitting) fillPGN(ctx context.Context) error {
	if s.pgn == nil {
		return nil
	}
	for g, err := range s.db.Games(ctx, results.Filter{Runs: []string{s.run.ID}}) {
		if err == nil {
			err = s.pgn.write(g, s.run)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write appends a game, which is in the file when it returns.
func (p *pgnFile) write(g *results.Game, r *results.Run) error {
	if g.Result == results.NotPlayed {
		return nil
	}
	if err := errors.Join(p.writer.Write(g.PGN(r)), p.writer.Flush()); err != nil {
		return fmt.Errorf("--pgn %s: game %d.%d: %w", p.file.Name(), g.Pair+1, g.Leg+1, err)
	}
	return nil
}
