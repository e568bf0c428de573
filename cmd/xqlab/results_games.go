package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
	"github.com/xqlab/xqlab/movegen/pgn"
	"github.com/xqlab/xqlab/results"
)

// gameFilter are the flags that choose games.
type gameFilter struct {
	runs, engines, results, reasons, kinds []string
	minPlies, maxPlies, limit              int
	disagree, evidence                     bool
}

func (f *gameFilter) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.runs, "run", nil, "runs: name or beginning of the id")
	fl.StringSliceVar(&f.kinds, "kind", nil, "kinds of run: "+wordList(results.Kinds()))
	fl.StringSliceVar(&f.engines, "engine", nil, "games of these engines or players")
	fl.StringSliceVar(&f.results, "result", nil, "1-0, 0-1, 1/2-1/2 or none (not played)")
	fl.StringSliceVar(&f.reasons, "reason", nil, "how they ended: "+wordList(results.Reasons()))
	fl.IntVar(&f.minPlies, "min-plies", 0, "at least so many plies")
	fl.IntVar(&f.maxPlies, "max-plies", 0, "at most so many plies")
	fl.IntVar(&f.limit, "limit", 0, "at most so many games")
	fl.BoolVar(&f.disagree, "disagree", false, "games in which an engine's last score says the opposite of the verdict")
	fl.BoolVar(&f.evidence, "evidence", false, "games that went wrong, with stored proof")
}

// filter resolves the flags.
func (f *gameFilter) filter(ctx context.Context, s *results.Store) (results.Filter, error) {
	out := results.Filter{Kinds: f.kinds, Engines: f.engines, MinPlies: f.minPlies, MaxPlies: f.maxPlies, Limit: f.limit, Disagree: f.disagree, Evidence: f.evidence}
	for _, ref := range f.runs {
		run, err := s.Run(ctx, ref)
		if err != nil {
			return out, err
		}
		out.Runs = append(out.Runs, run.ID)
	}
	for _, r := range f.reasons {
		if !slices.Contains(results.Reasons(), results.Reason(r)) {
			return out, usagef("--reason %q, want %s", r, wordList(results.Reasons()))
		}
		out.Reasons = append(out.Reasons, results.Reason(r))
	}
	for _, k := range f.kinds {
		if !slices.Contains(results.Kinds(), k) {
			return out, usagef("--kind %q, want %s", k, wordList(results.Kinds()))
		}
	}
	if f.minPlies < 0 || f.maxPlies < 0 || f.limit < 0 {
		return out, usagef("--min-plies %d --max-plies %d --limit %d: want no negative number", f.minPlies, f.maxPlies, f.limit)
	}
	words := map[string]results.Result{"1-0": results.RedWins, "0-1": results.BlackWins, "1/2-1/2": results.Drawn, "draw": results.Drawn, "none": results.NotPlayed}
	for _, w := range f.results {
		r, ok := words[w]
		if !ok {
			return out, usagef("--result %q, want 1-0, 0-1, 1/2-1/2 or none", w)
		}
		out.Results = append(out.Results, r)
	}
	return out, nil
}

// wordList writes the values that a flag takes.
func wordList[T ~string](words []T) string {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = string(w)
	}
	return strings.Join(text, ", ")
}

func resultsGames(con *console, db *string) *cobra.Command {
	var f gameFilter
	var asJSON bool
	var ply int
	cmd := &cobra.Command{
		Use:   "games [GAME]",
		Short: "The games stored; or one game with board and moves",
		Long:  "A game is RUN/PAIR.LEG, as the list shows it; RUN may be a name or the beginning of an id.",
		Example: `  xqlab results games --reason perpetual_chase
  xqlab results games lmr-test/12.1`,
		Args: rangeArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return reading(ctx, *db, func(s *results.Store) error {
				if len(args) == 1 {
					return showGame(ctx, con, s, args[0], ply, asJSON)
				}
				filter, err := f.filter(ctx, s)
				if err != nil {
					return err
				}
				return listGames(ctx, con, s, filter, asJSON)
			})
		},
	}
	f.flags(cmd)
	cmd.Flags().IntVar(&ply, "ply", -1, "show the board after this ply (default the last)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON lines, one game a line")
	return cmd
}

// gameLine is a game in the JSON of results games.
type gameLine struct {
	Game   string   `json:"game"`
	Red    string   `json:"red"`
	Black  string   `json:"black"`
	Result string   `json:"result"`
	Reason string   `json:"reason"`
	Detail string   `json:"detail,omitempty"`
	Plies  int      `json:"plies"`
	FEN    string   `json:"fen,omitempty"`
	Moves  []string `json:"moves,omitempty"`
}

func listGames(ctx context.Context, con *console, s *results.Store, f results.Filter, asJSON bool) error {
	names, err := playerNames(ctx, s)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(w, "game\tred\tblack\tresult\treason\tplies\tdetail")
	}
	n := 0
	for r, err := range s.List(ctx, f) {
		if err != nil {
			return err
		}
		l := gameLine{Game: r.GameKey.String(), Red: names(&r, movegen.Red), Black: names(&r, movegen.Black), Result: r.Result.String(),
			Reason: string(r.Reason), Detail: r.Detail, Plies: r.Plies}
		if asJSON {
			if err := encodeLine(con, l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", l.Game, l.Red, l.Black, l.Result, l.Reason, l.Plies, l.Detail)
		if n++; n%1000 == 0 {
			w.Flush()
		}
	}
	return w.Flush()
}

// playerNames returns a function that names the players of games.
func playerNames(ctx context.Context, s *results.Store) (func(*results.Row, movegen.Color) string, error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]*results.Run{}
	for _, r := range runs {
		byID[r.ID] = r
	}
	return func(row *results.Row, c movegen.Color) string {
		engine := [...]int{movegen.Red: row.Red, movegen.Black: row.Black}[c]
		if r := byID[row.Run]; r != nil && engine >= 0 && engine < len(r.Engines) {
			return r.Engines[engine].Name
		}
		return cmp.Or(row.Players[c], "-")
	}, nil
}

// parseGame reads RUN/PAIR.LEG[.ATTEMPT], counted from 1.
func parseGame(ctx context.Context, s *results.Store, text string) (results.GameKey, *results.Run, error) {
	bad := usagef("game %q, want RUN/PAIR.LEG such as lmr-test/12.1 (results games lists them)", text)
	i := strings.LastIndexByte(text, '/')
	if i < 0 {
		return results.GameKey{}, nil, bad
	}
	parts := strings.Split(text[i+1:], ".")
	if len(parts) < 2 || len(parts) > 3 {
		return results.GameKey{}, nil, bad
	}
	numbers := [3]int{1, 1, 1}
	for j, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 {
			return results.GameKey{}, nil, bad
		}
		numbers[j] = n
	}
	run, err := s.Run(ctx, text[:i])
	if err != nil {
		return results.GameKey{}, nil, err
	}
	return results.GameKey{Run: run.ID, Pair: numbers[0] - 1, Leg: numbers[1] - 1, Attempt: numbers[2] - 1}, run, nil
}

func showGame(ctx context.Context, con *console, s *results.Store, text string, ply int, asJSON bool) error {
	key, run, err := parseGame(ctx, s, text)
	if err != nil {
		return err
	}
	g, err := s.Game(ctx, key)
	if err != nil {
		return err
	}
	p := g.PGN(run)
	if asJSON {
		l := gameLine{Game: key.String(), Red: p.Tags.Player(movegen.Red), Black: p.Tags.Player(movegen.Black), Result: g.Result.String(), Reason: string(g.Reason), Detail: g.Detail, Plies: len(g.Plies), FEN: g.Opening}
		for _, m := range p.Moves {
			l.Moves = append(l.Moves, m.String())
		}
		return encodeLine(con, l)
	}
	w := pgn.NewWriter(con.out, notation.WXF)
	if err := errors.Join(w.Write(p), w.Flush()); err != nil {
		return err
	}
	if ply < 0 || ply > len(p.Moves) {
		ply = len(p.Moves)
	}
	pos, err := p.Start()
	if err != nil {
		return err
	}
	var u movegen.Undo
	for _, m := range p.Moves[:ply] {
		pos.Make(m, &u)
	}
	fmt.Fprintf(con.out, "\n%s\nafter ply %d: %s\n%s by %s%s\n", pos, ply, pos.FEN(), g.Result, g.Reason, prefixed(": ", g.Detail))
	if len(g.Evidence) > 0 {
		fmt.Fprintf(con.out, "evidence: %s\n", g.Evidence)
	}
	return nil
}

func resultsExport(con *console, db *string) *cobra.Command {
	var f gameFilter
	var p results.PositionFilter
	var positions bool
	var format, out string
	var score int
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Games as PGN, JSON lines or EPD, or positions for tuning",
		Example: `  xqlab results export --run lmr-test -o games.pgn
  xqlab results export --positions --min-ply 16 --quiet --not-in-check --per-game 10 -o positions.jsonl`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return reading(ctx, *db, func(s *results.Store) error {
				filter, err := f.filter(ctx, s)
				if err != nil {
					return err
				}
				n, what := 0, "games"
				err = toFile(con, "--output", out, func(w io.Writer) (err error) {
					if positions {
						what, p.Filter, p.ScoreLimit = "positions", filter, results.Score(score)
						n, err = exportPositions(ctx, s, p, w)
					} else {
						n, err = exportGames(ctx, s, filter, format, w)
					}
					return err
				})
				if err == nil {
					con.notef("%d %s written", n, what)
				}
				return err
			})
		},
	}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&format, "format", "pgn-iccs", wordList(pgn.Written))
	fl.StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	fl.BoolVar(&positions, "positions", false, "positions instead of games: fen, result, score, ply, pair, game as JSON lines")
	fl.IntVar(&p.MinPly, "min-ply", 0, "positions from this ply on")
	fl.IntVar(&p.MaxPly, "max-ply", 0, "positions up to this ply")
	fl.BoolVar(&p.AfterBook, "after-book", false, "not those of the opening")
	fl.IntVar(&score, "score-limit", 0, "scores within ± so many centipawns")
	fl.BoolVar(&p.NotInCheck, "not-in-check", false, "the side to move is not in check")
	fl.BoolVar(&p.QuietMove, "quiet", false, "the move played captures nothing")
	fl.BoolVar(&p.NoRepetition, "no-repetition", false, "not inside a repetition")
	fl.IntVar(&p.MaxHalfMoves, "max-halfmoves", 0, "plies since the last capture")
	fl.IntVar(&p.PerGame, "per-game", 0, "at most so many of a game, drawn by --seed")
	fl.Uint64Var(&p.Seed, "seed", 0, "seed of the drawing")
	fl.BoolVar(&p.Distinct, "distinct", false, "each position once")
	return cmd
}

// exportGames writes the games that a filter chooses and returns their number.
func exportGames(ctx context.Context, s *results.Store, f results.Filter, format string, w io.Writer) (n int, err error) {
	form, err := writtenFormat("format", format)
	if err != nil {
		return 0, err
	}
	sink, err := pgn.NewSink(w, form, pgn.SinkOptions{})
	if err != nil {
		return 0, err
	}
	runs := map[string]*results.Run{}
	for g, err := range s.Games(ctx, f) {
		if err != nil {
			return n, err
		}
		if runs[g.Run] == nil {
			if runs[g.Run], err = s.Run(ctx, g.Run); err != nil {
				return n, err
			}
		}
		if err := sink.Write(g.PGN(runs[g.Run])); err != nil {
			return n, err
		}
		n++
	}
	return n, sink.Flush()
}

// positionLine is a position in the JSON of results export --positions.
type positionLine struct {
	FEN    string `json:"fen"`
	Result string `json:"result"`
	Score  *int   `json:"score"` // centipawns from Red's view, mates as ±(32000 − plies); null when unknown
	Ply    int    `json:"ply"`
	Pair   int    `json:"pair"`
	Game   string `json:"game"`
}

// exportPositions writes the positions that a filter chooses and returns their number.
func exportPositions(ctx context.Context, s *results.Store, f results.PositionFilter, w io.Writer) (n int, err error) {
	enc := json.NewEncoder(w)
	for p, err := range s.Positions(ctx, f) {
		if err != nil {
			return n, err
		}
		l := positionLine{FEN: p.Position.FEN(), Result: p.Game.Result.String(), Ply: p.Ply, Pair: p.Game.Pair, Game: p.Game.GameKey.String()}
		if sc := p.Score(); sc.Known() {
			score := int(sc)
			l.Score = &score
		}
		if err := enc.Encode(l); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
