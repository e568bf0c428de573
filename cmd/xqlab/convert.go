package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/movegen/notation"
	"github.com/xqlab/xqlab/movegen/pgn"
)

func convertCommand(con *console) *cobra.Command {
	var from, to, encoding, ranks, out string
	var sink pgn.SinkOptions
	cmd := &cobra.Command{
		Use:   "convert --to FORMAT FILE…",
		Short: "Games from one notation or file format to another",
		Long: `Formats: ` + strings.Join(pgn.Written, ", ") + `; and only read: ` + strings.Join(pgn.ReadOnly, ", ") + ` (XQStudio's files, those
of CCBridge and its libraries, and dpxq.com's DhtmlXQ text). The format, notation and
encoding (UTF-8, UTF-16, GB18030, Big5) of the input are found out; .gz is read too.
Comments, engines' data and variations go from PGN and those formats to PGN; jsonl and epd
have no place for them. A file that cannot be read whole gives one line, the others are
still converted.`,
		Example: `  xqlab convert --to jsonl games/*.pgn -o games.jsonl
  xqlab convert --to pgn-chinese games.jsonl -o games.pgn`,
		Args: rangeArgs(1, 1<<30),
		RunE: func(_ *cobra.Command, files []string) error {
			c, err := conversion(from, to, encoding, ranks)
			if err != nil {
				return usageError{err}
			}
			c.Sink = sink
			return convert(con, c, files, out)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&from, "from", "", "format of the input, if it shall not be found out")
	fl.StringVar(&to, "to", "", "format of the output")
	fl.StringVar(&encoding, "encoding", "", "encoding of the input: utf-8, gb18030 or big5")
	fl.StringVar(&ranks, "ranks", "auto", "number of Red's first rank in coordinates: 0, 1 or auto")
	fl.BoolVar(&sink.Traditional, "traditional", false, "pgn-chinese in traditional characters")
	fl.BoolVar(&sink.WideDigits, "wide-digits", false, "pgn-chinese with full-width digits for Black")
	fl.StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	return cmd
}

func conversion(from, to, encoding, ranks string) (c pgn.Conversion, err error) {
	if c.From, err = pgn.ParseFormat(from); err != nil {
		return c, err
	}
	if to == "" {
		return c, fmt.Errorf("--to FORMAT is missing, one of %s", strings.Join(pgn.Written, ", "))
	}
	if c.To, err = writtenFormat("to", to); err != nil {
		return c, err
	}
	if c.Read.Encoding, err = pgn.ParseEncoding(encoding); err != nil {
		return c, err
	}
	switch ranks {
	case "auto":
	case "0":
		c.Read.Ranks = notation.FromZero
	case "1":
		c.Read.Ranks = notation.FromOne
	default:
		err = fmt.Errorf("--ranks %q, want 0, 1 or auto", ranks)
	}
	return c, err
}

// writtenFormat reads a flag that names a format to write.
func writtenFormat(flag, name string) (pgn.Format, error) {
	f, err := pgn.ParseFormat(name)
	if err != nil || !slices.Contains(pgn.Written, f.String()) {
		return f, usagef("--%s %q, want one of %s", flag, name, strings.Join(pgn.Written, ", "))
	}
	return f, nil
}

func convert(con *console, c pgn.Conversion, files []string, path string) error {
	failed := &faults{con: con}
	var count pgn.Count
	err := toFile(con, "--output", path, func(w io.Writer) (err error) {
		count, err = c.Run(w, files, failed.tell)
		failed.end()
		return err
	})
	if err != nil {
		return err
	}
	con.notef("%d games written, %d could not be read", count.Games, count.Bad)
	if failed.n > 0 {
		return errReported
	}
	return nil
}
