package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/movegen"
)

type perftFlags struct {
	fen, method, batch string
	threads, hash      int
	divide, lenient    bool
	asJSON             bool
}

func perftCommand(con *console) *cobra.Command {
	f := perftFlags{}
	cmd := &cobra.Command{
		Use:   "perft DEPTH",
		Short: "Count move paths: check and time the move generator",
		Long: `Counts the paths of legal moves of a length in plies. The methods give the same counts:
count takes the last two plies from sets in one node, list lists the legal moves of the
last ply, play makes and takes back every move.`,
		Example: `  xqlab perft 5
  xqlab perft 3 --fen "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w" --divide
  xqlab perft --batch cases.tsv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.batch != "" {
				return exactArgs(0)(cmd, args)
			}
			return exactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.batch != "" {
				return f.runBatch(cmd.Context(), con)
			}
			return f.run(cmd.Context(), con, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.fen, "fen", movegen.StartFEN, "position")
	fl.BoolVar(&f.lenient, "lenient", false, "allow advisors, elephants and soldiers where they can never stand")
	fl.StringVar(&f.method, "method", "count", "count, list or play")
	fl.StringVar(&f.batch, "batch", "", "check the lines `FILE.tsv` (FEN, depth, nodes) by all methods")
	fl.IntVar(&f.threads, "threads", 1, "threads")
	fl.IntVar(&f.hash, "hash", 0, "table of counts in MB")
	fl.BoolVar(&f.divide, "divide", false, "a count for each move")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object")
	return cmd
}

// perftReport is the JSON of perft.
type perftReport struct {
	FEN     string            `json:"fen"`
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     uint64            `json:"nps"`
	Threads int               `json:"threads"`
	Moves   map[string]uint64 `json:"moves,omitempty"`
}

func (f *perftFlags) options(depth int) (movegen.PerftOptions, error) {
	method, err := movegen.ParseMethod(f.method)
	if err != nil {
		return movegen.PerftOptions{}, usagef("--%v", err)
	}
	if f.threads < 1 || f.threads > 1024 || f.hash < 0 {
		return movegen.PerftOptions{}, usagef("--threads %d --hash %d: want 1 to 1024 threads and 0 or more MB", f.threads, f.hash)
	}
	if err := roomFor("--hash", f.hash); err != nil && f.hash > 0 {
		return movegen.PerftOptions{}, err
	}
	return movegen.PerftOptions{Depth: depth, Threads: f.threads, HashMB: f.hash, Method: method}, nil
}

// position reads the FEN of a command.
func position(fen string, lenient bool) (*movegen.Position, error) {
	parse := movegen.ParseFEN
	if lenient {
		parse = movegen.ParseFENLenient
	}
	p, err := parse(fen)
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

func (f *perftFlags) run(ctx context.Context, con *console, word string) error {
	depth, err := strconv.Atoi(word)
	if err != nil || depth < 0 || depth > movegen.MaxPerftDepth {
		return usagef("depth %q, want a number from 0 to %d", word, movegen.MaxPerftDepth)
	}
	p, err := position(f.fen, f.lenient)
	if err != nil {
		return err
	}
	o, err := f.options(depth)
	if err != nil {
		return err
	}
	start := time.Now()
	r, err := movegen.RunPerft(ctx, p, o)
	if err != nil {
		return usageError{err} // or a signal, which the program tells apart
	}
	took := time.Since(start).Seconds()
	rep := perftReport{FEN: p.FEN(), Depth: depth, Nodes: r.Nodes, Seconds: took, Threads: f.threads}
	if took > 0 {
		rep.NPS = uint64(float64(r.Nodes) / took)
	}
	return f.print(con, rep, r.Moves)
}

func (f *perftFlags) print(con *console, rep perftReport, moves []movegen.MoveCount) error {
	if f.asJSON {
		if f.divide {
			rep.Moves = map[string]uint64{}
			for _, m := range moves {
				rep.Moves[m.Move.String()] = m.Nodes
			}
		}
		return printJSON(con, rep)
	}
	if f.divide {
		for _, m := range moves {
			fmt.Fprintf(con.out, "%s: %d\n", m.Move, m.Nodes)
		}
	}
	fmt.Fprintf(con.out, "depth %d: %d paths, %.3f s, %.1f million/s, %s\n", rep.Depth, rep.Nodes, rep.Seconds, float64(rep.NPS)/1e6, counted(rep.Threads, "thread"))
	return nil
}

// runBatch checks each line of a file by every method.
func (f *perftFlags) runBatch(ctx context.Context, con *console) error {
	in, err := os.Open(f.batch)
	if err != nil {
		return err
	}
	defer in.Close()
	cases, unread := movegen.ReadPerftCases(in, f.batch)
	told := &faults{con: con}
	if list, ok := unread.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			told.tell(err)
		}
		told.end()
	} else if unread != nil {
		return unread
	}
	bad := 0
	for _, c := range cases {
		n, err := f.check(ctx, con, c)
		if err != nil {
			return err
		}
		bad += n
	}
	switch {
	case told.n > 0 && bad > 0:
		return fmt.Errorf("%s: %d of %d counts are wrong, and %d lines could not be read", f.batch, bad, 3*len(cases), told.n)
	case told.n > 0:
		return fmt.Errorf("%s: %d lines could not be read; want FEN<TAB>depth<TAB>nodes", f.batch, told.n)
	case bad > 0:
		return fmt.Errorf("%s: %d of %d counts are wrong", f.batch, bad, 3*len(cases))
	}
	if len(cases) == 0 {
		return fmt.Errorf("%s: no case; want lines FEN<TAB>depth<TAB>nodes", f.batch)
	}
	fmt.Fprintf(con.out, "%d cases right by all methods\n", len(cases))
	return nil
}

// check counts a case by every method and prints the counts that are wrong.
func (f *perftFlags) check(ctx context.Context, con *console, c movegen.PerftCase) (bad int, err error) {
	for _, method := range []movegen.Method{movegen.Count, movegen.List, movegen.Play} {
		p, err := position(c.FEN, f.lenient)
		if err != nil {
			return bad, fmt.Errorf("%s:%d: %w", f.batch, c.Line, errors.Unwrap(err))
		}
		o := movegen.PerftOptions{Depth: c.Depth, Threads: f.threads, HashMB: f.hash, Method: method}
		r, err := movegen.RunPerft(ctx, p, o)
		if err != nil {
			return bad, stoppedError{err}
		}
		if r.Nodes != c.Nodes {
			bad++
			fmt.Fprintf(con.out, "%s:%d: %s depth %d by %s: %d, want %d\n", f.batch, c.Line, c.FEN, c.Depth, method, r.Nodes, c.Nodes)
		}
	}
	return bad, nil
}
