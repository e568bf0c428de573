package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// benchReport is the JSON of bench.
type benchReport struct {
	Suite      string       `json:"suite"`
	Signature  string       `json:"signature"`
	NodesTotal uint64       `json:"nodes_total"`
	Threads    int          `json:"threads"`
	Samples    []uint64     `json:"samples"` // nodes/s of each run
	NPSMedian  uint64       `json:"nps_median"`
	NPSLow     uint64       `json:"nps_low"`
	NPSHigh    uint64       `json:"nps_high"`
	Host       results.Host `json:"host"`
	Version    string       `json:"version"`
}

func benchCommand(con *console) *cobra.Command {
	var threads, hash, runs int
	var quick, asJSON bool
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Nodes per second on this machine",
		Long:    "Searches a fixed suite of positions to fixed depths. On one thread the node count, and\nso the signature, are the same on every machine and change only with the search.",
		Example: "  xqlab bench\n  xqlab bench --json > ryzen.json",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if threads < 1 || threads > 1024 || hash < 1 || runs < 1 {
				return usagef("--threads %d --hash %d --runs %d: want 1 or more of each", threads, hash, runs)
			}
			if err := roomFor("--hash", hash); err != nil {
				return err
			}
			if quick {
				runs = 1
			}
			rep := benchReport{Host: results.HostFacts(), Version: version, Threads: threads}
			for range runs {
				r, err := search.Bench(cmd.Context(), eval.Default(), search.DefaultParams(), search.Options{HashMB: hash, Threads: threads})
				if err != nil {
					return stoppedError{err}
				}
				rep.add(r)
			}
			rep.finish()
			if asJSON {
				return printJSON(con, rep)
			}
			fmt.Fprintf(con.out, "suite %s  signature %s  %d nodes  %d thread(s)\nnodes/s %d (%d to %d over %d runs)  %s %s/%s\n",
				rep.Suite, rep.Signature, rep.NodesTotal, rep.Threads, rep.NPSMedian, rep.NPSLow, rep.NPSHigh, len(rep.Samples), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&threads, "threads", 1, "threads of the search")
	fl.IntVar(&hash, "hash", 16, "transposition table in MB")
	fl.IntVar(&runs, "runs", 5, "how often the suite is run")
	fl.BoolVar(&quick, "quick", false, "run the suite once")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// add takes in a run of the suite.
func (b *benchReport) add(r search.BenchResult) {
	b.Suite, b.Signature, b.NodesTotal = r.Suite, r.Signature, r.Nodes
	b.Samples = append(b.Samples, uint64(float64(r.Nodes)/r.Elapsed.Seconds()))
}

// finish computes the median and the range.
func (b *benchReport) finish() {
	s := sortedCopy(b.Samples)
	n := len(s)
	b.NPSMedian, b.NPSLow, b.NPSHigh = (s[(n-1)/2]+s[n/2])/2, s[0], s[n-1]
}
