package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

func benchTable(con *console) *cobra.Command {
	var markdown, asJSON bool
	var plot string
	cmd := &cobra.Command{
		Use:   "table FILE...",
		Short: "Tables of what bench --json wrote, on any machines; one for each suite and signature",
		Example: `  xqlab bench --json > ryzen.json
  xqlab bench table ryzen.json --markdown`,
		Args: rangeArgs(1, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPlot(plot); err != nil {
				return err
			}
			var all []*results.Bench
			for _, path := range args {
				list, err := readBenches(path)
				if err != nil {
					return err
				}
				all = append(all, list...)
			}
			return showBenches(con, all, plot, report.PlotScaling, func() (string, error) {
				switch {
				case asJSON:
					return jsonLines(all)
				case markdown:
					return report.SpeedMarkdown(all), nil
				}
				return report.SpeedText(all), nil
			})
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "as Markdown, for a forum")
	cmd.Flags().StringVar(&plot, "plot", "", "also draw speed by threads to `FILE`.svg or .html")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the objects again, a line each")
	return cmd
}

func benchHistory(con *console) *cobra.Command {
	var db, plot string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [WORDS...]",
		Short: "What bench --db stored, in order of time",
		Long:  "Lists stored speeds. " + selectorHelp,
		Example: `  xqlab bench --db speed.db
  xqlab bench history --db speed.db
  xqlab bench history --db speed.db suite=bench-1,threads=1 --plot speed.svg`,
		Args: rangeArgs(0, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPlot(plot); err != nil {
				return err
			}
			all, err := storedBenches(cmd.Context(), db)
			if err != nil {
				return err
			}
			for _, words := range args {
				if all, err = selectBenches(all, words); err != nil {
					return err
				}
			}
			return showBenches(con, all, plot, report.PlotHistory, func() (string, error) {
				if asJSON {
					return jsonLines(all)
				}
				return report.HistoryText(all), nil
			})
		},
	}
	cmd.Flags().StringVar(&db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	cmd.Flags().StringVar(&plot, "plot", "", "also draw it to `FILE`.svg or .html")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object for each, a line each")
	return cmd
}

const selectorHelp = `Words narrow them: suite=, signature=, version=, commit=,
host= (a part of the processor's name or of the machine's hash), label=, engine=,
threads=, processes=, id= (its end), joined by commas; a word without = is a label, a
version or an id.`

func benchCompare(con *console) *cobra.Command {
	var db, below string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare FIRST SECOND",
		Short: "Which of two measured things is faster: hosts, versions, settings; files or stored",
		Long: `Compares the speeds of two files of bench --json, or of two choices of what is stored, for
each suite, signature and setting that both have: faster, slower or no difference shown.
What did other work is never compared. ` + selectorHelp,
		Example: `  xqlab bench compare new.json old.json
  xqlab bench compare --db speed.db version=v2 version=v1 --fail-below -3%`,
		Args: exactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := parseBelow(below); err != nil {
				return err
			}
			var sides [2][]*results.Bench
			for i, words := range args {
				var err error
				if sides[i], err = chosenBenches(cmd.Context(), db, words); err != nil {
					return err
				}
			}
			list, err := report.Compare(sides[0], sides[1])
			if errors.Is(err, report.ErrIncomparable) {
				err = fmt.Errorf("%w (first: %s; second: %s)", err, worksOf(sides[0]), worksOf(sides[1]))
			}
			if err != nil {
				return err
			}
			for i, c := range list {
				if asJSON {
					err = printJSON(con, c)
				} else {
					_, err = fmt.Fprint(con.out, strings.Repeat("\n", min(i, 1))+c.Text())
				}
				if err != nil {
					return err
				}
			}
			return failBelow(list, below)
		},
	}
	cmd.Flags().StringVar(&db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	cmd.Flags().StringVar(&below, "fail-below", "", "fail when the first is shown slower by more than this, as -3%")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object for each comparison, a line each")
	return cmd
}

// worksOf names what measurements did.
func worksOf(list []*results.Bench) string {
	var names []string
	for _, b := range list {
		names = append(names, strings.TrimSpace(fmt.Sprintf("%s %s %s", b.Engine, b.Suite, orElse(b.Tree, b.Signature))))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// showBenches prints what text makes of measurements and draws them if asked.
func showBenches(con *console, list []*results.Bench, plot string, draw func(io.Writer, []*results.Bench) error, text func() (string, error)) error {
	if len(list) == 0 {
		return errors.New("no benchmark to show; measure one with: xqlab bench --db FILE")
	}
	if plot != "" {
		if err := plotTo(con, plot, func(w io.Writer) error { return draw(w, list) }); err != nil {
			return err
		}
	}
	out, err := text()
	if err == nil {
		_, err = io.WriteString(con.out, out)
	}
	return err
}

func jsonLines(list []*results.Bench) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, x := range list {
		if err := enc.Encode(x); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// readBenches reads a file of bench --json.
func readBenches(path string) (list []*results.Bench, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var b results.Bench
		err := d.Decode(&b)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = b.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: object %d: %w", path, len(list)+1, err)
		}
		list = append(list, &b)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is empty; want what xqlab bench --json wrote", path)
	}
	return list, nil
}

// storedBenches reads what a database has.
func storedBenches(ctx context.Context, db string) ([]*results.Bench, error) {
	s, err := results.OpenReadOnly(ctx, dbPath(db))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Benches(ctx)
}

// chosenBenches reads the file that words name, or chooses from the database.
func chosenBenches(ctx context.Context, db, words string) ([]*results.Bench, error) {
	if info, err := os.Stat(words); err == nil && info.Mode().IsRegular() {
		return readBenches(words)
	}
	all, err := storedBenches(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("%s is no file, and %w", words, err)
	}
	list, err := selectBenches(all, words)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: none of the %d stored is that; list them with bench history", words, len(all))
	}
	return list, err
}

// fields are what measurements can be chosen by.
var fields = map[string]func(b *results.Bench, value string) bool{
	"suite":     func(b *results.Bench, v string) bool { return b.Suite == v },
	"signature": func(b *results.Bench, v string) bool { return b.Signature == v || b.Tree == v },
	"version":   func(b *results.Bench, v string) bool { return b.Version == v },
	"commit":    func(b *results.Bench, v string) bool { return strings.HasPrefix(b.Commit, v) },
	"label":     func(b *results.Bench, v string) bool { return b.Label == v },
	"engine":    func(b *results.Bench, v string) bool { return b.Engine == v },
	"threads":   func(b *results.Bench, v string) bool { return strconv.Itoa(b.Threads) == v },
	"processes": func(b *results.Bench, v string) bool { return strconv.Itoa(b.Processes) == v },
	"id":        func(b *results.Bench, v string) bool { return strings.HasSuffix(b.ID, v) },
	"host": func(b *results.Bench, v string) bool {
		return strings.Contains(strings.ToLower(b.Host.CPU), strings.ToLower(v)) || b.Host.Machine != "" && strings.HasPrefix(b.Host.Machine, v)
	},
}

// selectBenches returns the measurements that words choose.
func selectBenches(list []*results.Bench, words string) ([]*results.Bench, error) {
	for word := range strings.SplitSeq(words, ",") {
		name, value, ok := strings.Cut(word, "=")
		has := fields[name]
		switch {
		case value == "" && ok || word == "":
			return nil, usagef("%q: the word %q has no value", words, word)
		case !ok:
			has = func(b *results.Bench, v string) bool {
				return fields["label"](b, v) || fields["version"](b, v) || len(v) > 3 && fields["id"](b, v)
			}
			value = word
		case has == nil:
			var names []string
			for n := range fields {
				names = append(names, n)
			}
			slices.Sort(names)
			return nil, usagef("%s: unknown word, did you mean %s=? (%s)", word, spec.Nearest(name, names), strings.Join(names, ", "))
		}
		var chosen []*results.Bench
		for _, b := range list {
			if has(b, value) {
				chosen = append(chosen, b)
			}
		}
		list = chosen
	}
	return list, nil
}
