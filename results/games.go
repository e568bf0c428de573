package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"
)

// record is a game as the database holds it.
type record struct {
	pair, leg, attempt, red, black int
	result                         Result
	reason                         Reason
	detail                         string
	book, plies                    int
	started, ended                 int64
	disagree                       int
	hash                           int64
	sides                          [2]sideColumns
	opening                        string
	data                           []byte
	evidence, tags                 string
	players                        [2]string // read by List alone
}

type sideColumns struct{ moves, depth, depths, nodes, wall, cpu, delay, late int64 }

// gameColumns are the columns of games that scanRow and the insert know, in order.
const gameColumns = `pair, leg, attempt, red, black, result, reason, detail, book, plies, started, ended, disagree, hash,
	red_moves, red_depth, red_depths, red_nodes, red_wall, red_cpu, red_delay, red_late,
	black_moves, black_depth, black_depths, black_nodes, black_wall, black_cpu, black_delay, black_late`

// light returns the places of gameColumns.
func (r *record) light() []any {
	p := []any{&r.pair, &r.leg, &r.attempt, &r.red, &r.black, (*uint8)(&r.result), (*string)(&r.reason), &r.detail, &r.book, &r.plies,
		&r.started, &r.ended, &r.disagree, &r.hash}
	for c := range r.sides {
		s := &r.sides[c]
		p = append(p, &s.moves, &s.depth, &s.depths, &s.nodes, &s.wall, &s.cpu, &s.delay, &s.late)
	}
	return p
}

// playerColumns are the names of the players of imported games; others cost nothing.
const playerColumns = `, CASE WHEN red < 0 AND black < 0 THEN coalesce((SELECT coalesce(nullif(data ->> 'Red', ''), data ->> 'White') FROM tags WHERE game = g.id), '') ELSE '' END,
	CASE WHEN red < 0 AND black < 0 THEN coalesce((SELECT data ->> 'Black' FROM tags WHERE game = g.id), '') ELSE '' END`

// listed returns the places of gameColumns and playerColumns.
func (r *record) listed() []any { return append(r.light(), &r.players[0], &r.players[1]) }

// values returns the values of gameColumns.
func (r *record) values() []any {
	v := []any{r.pair, r.leg, r.attempt, r.red, r.black, int(r.result), string(r.reason), r.detail, r.book, r.plies,
		r.started, r.ended, r.disagree, r.hash}
	for _, s := range r.sides {
		v = append(v, s.moves, s.depth, s.depths, s.nodes, s.wall, s.cpu, s.delay, s.late)
	}
	return v
}

// newRecord checks a game and turns it into what is stored.
func newRecord(g *Game) (*record, error) {
	switch {
	case g.Pair < 0 || g.Leg < 0 || g.Leg > 1 || g.Attempt < 0:
		return nil, errors.New("pair and attempt count from 0, leg is 0 or 1")
	case g.Result > NotPlayed:
		return nil, fmt.Errorf("%d is no result", g.Result)
	case g.Red < -1 || g.Black < -1:
		return nil, fmt.Errorf("engines %d and %d; an index counts from 0, -1 is none", g.Red, g.Black)
	case g.Book < 0 || g.Book > len(g.Plies):
		return nil, fmt.Errorf("%d plies of the opening in a game of %d", g.Book, len(g.Plies))
	}
	row, err := RowOf(g)
	if err != nil {
		return nil, err
	}
	r := &record{pair: g.Pair, leg: g.Leg, attempt: g.Attempt, red: g.Red, black: g.Black, result: g.Result, reason: g.Reason, detail: g.Detail,
		book: g.Book, plies: len(g.Plies), started: toMicro(g.Started), ended: toMicro(g.Ended), hash: int64(g.Hash()),
		opening: g.Opening, evidence: string(g.Evidence)}
	for c, s := range row.Sides {
		if g.Disagree[c] {
			r.disagree |= 1 << c
		}
		r.sides[c] = sideColumns{int64(s.Moves), int64(s.DepthSum), int64(s.DepthMoves), int64(s.Nodes),
			s.Wall.Microseconds(), s.CPU.Microseconds(), s.Delay.Microseconds(), int64(s.Late)}
	}
	if len(g.Tags) > 0 {
		text, err := json.Marshal(g.Tags)
		if err != nil {
			return nil, err
		}
		r.tags = string(text)
	}
	r.data, err = AppendPlies(make([]byte, 0, 16+12*len(g.Plies)), g.Plies)
	return r, err
}

// row returns the light row.
func (r *record) row(run string) Row {
	row := Row{GameKey: GameKey{run, r.pair, r.leg, r.attempt}, Red: r.red, Black: r.black, Players: r.players, Result: r.result, Reason: r.reason, Detail: r.detail,
		Book: r.book, Plies: r.plies, Started: fromMicro(r.started), Ended: fromMicro(r.ended), Disagree: [2]bool{r.disagree&1 != 0, r.disagree&2 != 0}}
	for c, s := range r.sides {
		row.Sides[c] = Side{int(s.moves), int(s.depth), int(s.depths), uint64(s.nodes), time.Duration(s.wall) * time.Microsecond,
			time.Duration(s.cpu) * time.Microsecond, time.Duration(s.delay) * time.Microsecond, int(s.late)}
	}
	return row
}

// game returns the whole game.
func (r *record) game(run string) (*Game, error) {
	g := &Game{GameKey: GameKey{run, r.pair, r.leg, r.attempt}, Red: r.red, Black: r.black, Opening: r.opening, Book: r.book, Result: r.result,
		Reason: r.reason, Detail: r.detail, Started: fromMicro(r.started), Ended: fromMicro(r.ended), Disagree: [2]bool{r.disagree&1 != 0, r.disagree&2 != 0}}
	if r.evidence != "" {
		g.Evidence = []byte(r.evidence)
	}
	if r.tags != "" {
		if err := json.Unmarshal([]byte(r.tags), &g.Tags); err != nil {
			return nil, fmt.Errorf("%s: tags: %w", g.GameKey, err)
		}
	}
	if len(r.data) == 0 || r.opening == "" {
		return nil, fmt.Errorf("%s: %w: its moves or its opening are gone", g.GameKey, ErrBlob)
	}
	var err error
	if g.Plies, err = DecodePlies(r.data); err != nil {
		return nil, fmt.Errorf("%s: %w", g.GameKey, err)
	}
	return g, nil
}

// Put stores a game and returns once it is committed: it survives the death of this
// process then. Callers at the same time share a transaction. The caller owns the run.
// Putting a game again does nothing; another game under the same key is ErrConflict, and
// so is a pair whose legs have different openings.
func (s *Store) Put(ctx context.Context, g *Game) error {
	l, err := s.lease(g.Run)
	if err != nil {
		return err
	}
	r, err := newRecord(g)
	if err != nil {
		return s.fail(g.GameKey.String(), err)
	}
	err = s.submit(ctx, false, func(w *writer) error {
		if err := l.check(w); err != nil {
			return err
		}
		return w.put(l.id, r)
	})
	return s.fail(g.GameKey.String(), err)
}

// put inserts a game or finds that it is there.
func (w *writer) put(run int64, r *record) error {
	if err := w.putPair(run, r); err != nil {
		return err
	}
	res, err := w.exec("INSERT INTO games (run, "+gameColumns+") VALUES (?"+strings.Repeat(",?", 30)+") ON CONFLICT (run, pair, leg, attempt) DO NOTHING",
		append([]any{run}, r.values()...)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return w.same(run, r)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return w.putParts(id, r)
}

// putParts inserts what lies apart from the row of a game.
func (w *writer) putParts(game int64, r *record) error {
	_, err := w.exec("INSERT INTO plies (game, data) VALUES (?, ?)", game, r.data)
	if err == nil && r.evidence != "" {
		_, err = w.exec("INSERT INTO evidence (game, data) VALUES (?, ?)", game, r.evidence)
	}
	if err == nil && r.tags != "" {
		_, err = w.exec("INSERT INTO tags (game, data) VALUES (?, ?)", game, r.tags)
	}
	return err
}

// putPair makes the pair of a game or checks that it has the game's opening.
func (w *writer) putPair(run int64, r *record) error {
	opening, err := w.openingID(r.opening)
	if err != nil {
		return err
	}
	made, err := w.changes("INSERT INTO pairs (run, pair, opening) VALUES (?,?,?) ON CONFLICT DO NOTHING", run, r.pair, opening)
	if made || err != nil {
		return err
	}
	var fen string
	err = w.scan([]any{&fen}, "SELECT fen FROM pairs JOIN openings ON id = opening WHERE run = ? AND pair = ?", run, r.pair)
	if err == nil && fen != r.opening {
		err = fmt.Errorf("%w: the pair's opening is %s, the game's %s", ErrConflict, fen, r.opening)
	}
	return err
}

// openingID returns the row of a start position, which is made if there is none.
func (w *writer) openingID(fen string) (id int64, err error) {
	if id, ok := w.openings[fen]; ok {
		return id, nil
	}
	key := int64(shortHash([]byte(fen)))
	err = w.scan([]any{&id}, "SELECT id FROM openings WHERE key = ? AND fen = ?", key, fen)
	if errors.Is(err, sql.ErrNoRows) {
		var res sql.Result
		if res, err = w.exec("INSERT INTO openings (key, fen) VALUES (?, ?)", key, fen); err == nil {
			id, err = res.LastInsertId()
		}
	}
	if err == nil {
		w.openings[fen] = id
	}
	return id, err
}

// wholeGame selects gameColumns and the rest of a record from wholeFrom. A game whose moves or
// opening are gone is read as one with none, which is damage and told as such.
const (
	wholeFrom = ` FROM games g LEFT JOIN plies ON plies.game = g.id LEFT JOIN pairs USING (run, pair) LEFT JOIN openings ON openings.id = pairs.opening
		LEFT JOIN evidence ON evidence.game = g.id LEFT JOIN tags ON tags.game = g.id `
	wholeRest = ", coalesce(fen, ''), coalesce(plies.data, x''), coalesce(evidence.data, ''), coalesce(tags.data, '')"
)

// wholeColumns are gameColumns as wholeFrom names them: plies is a table there too.
var wholeColumns = strings.Replace(gameColumns, "plies", "g.plies", 1)

func (r *record) whole() []any {
	return append(r.light(), &r.opening, &r.data, &r.evidence, &r.tags)
}

// weight is how much of a chunk the record takes.
func (r *record) weight() int { return r.plies }

// same reports that a game is stored with other content than r.
func (w *writer) same(run int64, r *record) error {
	var old record
	err := w.scan(old.whole(), "SELECT "+wholeColumns+wholeRest+wholeFrom+"WHERE g.run = ? AND g.pair = ? AND leg = ? AND attempt = ?", run, r.pair, r.leg, r.attempt)
	if err == nil && !reflect.DeepEqual(&old, r) {
		err = ErrConflict
	}
	return err
}

// Game returns one game, or ErrNotFound.
func (s *Store) Game(ctx context.Context, key GameKey) (*Game, error) {
	var r record
	err := s.read.QueryRowContext(ctx, "SELECT "+wholeColumns+wholeRest+wholeFrom+
		"WHERE g.run = (SELECT id FROM runs WHERE uuid = ?) AND g.pair = ? AND leg = ? AND attempt = ?", key.Run, key.Pair, key.Leg, key.Attempt).Scan(r.whole()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, s.fail(key.String(), err)
	}
	g, err := r.game(key.Run)
	return g, s.fail("reading", err)
}

// Rows returns the games of a run without their moves, in the order of pair, leg and
// attempt.
func (s *Store) Rows(ctx context.Context, runID string) ([]Row, error) {
	var all []Row
	for r, err := range s.List(ctx, Filter{Runs: []string{runID}}) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Filter chooses games; what is zero does not choose. Lists mean any of them.
type Filter struct {
	Runs     []string // UUIDs
	Kinds    []string // of the run
	Engines  []string // names: of either engine, or of a player of an imported game
	Results  []Result
	Reasons  []Reason
	MinPlies int
	MaxPlies int
	Since    time.Time // ended at or after
	Until    time.Time // ended before
	Disagree bool      // an engine's last score says the opposite of the result
	Evidence bool      // something went wrong and proof is stored
	Limit    int       // at most so many
}

// where returns the condition on games g for all but runs and kinds.
func (f *Filter) where() (string, []any) {
	var b strings.Builder
	var args []any
	list := func(format string, n int) {
		b.WriteString(" AND " + strings.ReplaceAll(format, "LIST", "("+strings.TrimPrefix(strings.Repeat(",?", n), ",")+")"))
	}
	if n := len(f.Results); n > 0 {
		list("g.result IN LIST", n)
		args = append(args, anys(f.Results)...)
	}
	if n := len(f.Reasons); n > 0 {
		list("g.reason IN LIST", n)
		args = append(args, anys(f.Reasons)...)
	}
	if n := len(f.Engines); n > 0 {
		list(`(EXISTS (SELECT 1 FROM engines e WHERE e.run = g.run AND e.idx IN (g.red, g.black) AND e.name IN LIST)
			OR EXISTS (SELECT 1 FROM tags t WHERE t.game = g.id AND (t.data ->> 'Red' IN LIST OR t.data ->> 'White' IN LIST OR t.data ->> 'Black' IN LIST)))`, n)
		for range 4 {
			args = append(args, anys(f.Engines)...)
		}
	}
	for _, c := range []struct {
		on   bool
		sql  string
		args []any
	}{
		{f.MinPlies > 0, "g.plies >= ?", []any{f.MinPlies}},
		{f.MaxPlies > 0, "g.plies <= ?", []any{f.MaxPlies}},
		{!f.Since.IsZero(), "g.ended >= ?", []any{toMicro(f.Since)}},
		{!f.Until.IsZero(), "g.ended < ?", []any{toMicro(f.Until)}},
		{f.Disagree, "g.disagree <> 0", nil},
		{f.Evidence, "EXISTS (SELECT 1 FROM evidence v WHERE v.game = g.id)", nil},
	} {
		if c.on {
			b.WriteString(" AND " + c.sql)
			args = append(args, c.args...)
		}
	}
	return b.String(), args
}

// anys returns the values as database/sql takes them.
func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		switch v := any(v).(type) {
		case Result:
			out[i] = int(v)
		case Reason:
			out[i] = string(v)
		default:
			out[i] = v
		}
	}
	return out
}

// runKey is a run that a filter chose.
type runKey struct {
	id   int64
	uuid string
}

// chosen returns the runs of a filter in the order they were made, which is the same in
// every database that holds them.
func (s *Store) chosen(ctx context.Context, f *Filter) ([]runKey, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, uuid, kind FROM runs ORDER BY created, uuid")
	type line struct {
		runKey
		kind string
	}
	lines, err := collect(rows, err, func(l *line) []any { return []any{&l.id, &l.uuid, &l.kind} })
	if err != nil {
		return nil, err
	}
	var keys []runKey
	for _, l := range lines {
		if (len(f.Runs) == 0 || slices.Contains(f.Runs, l.uuid)) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, l.kind)) {
			keys = append(keys, l.runKey)
		}
	}
	return keys, nil
}

// chunkPlies and chunkGames bound what is read in one go, so that no reader stands in
// the way of the write-ahead log for long and memory stays flat.
const (
	chunkGames = 1024
	chunkPlies = 1 << 16
)

// List goes through the games that a filter chooses without their moves, ordered by run
// (as they were made), pair, leg and attempt.
func (s *Store) List(ctx context.Context, f Filter) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		q := "SELECT " + gameColumns + playerColumns + " FROM games g "
		for r, err := range s.records(ctx, f, q, (*record).listed, func(*record) int { return 0 }) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			if !yield(r.row(r.run.uuid), nil) {
				return
			}
		}
	}
}

// Games goes through the whole games that a filter chooses, in List's order. It reads in
// short transactions: games that are stored meanwhile may come or not. A game that cannot
// be read is an error in its place, after which it goes on; other errors end it.
func (s *Store) Games(ctx context.Context, f Filter) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		q := "SELECT " + wholeColumns + wholeRest + wholeFrom
		for r, err := range s.records(ctx, f, q, (*record).whole, (*record).weight) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(r.game(r.run.uuid)) {
				return
			}
		}
	}
}

// found is a record with its run.
type found struct {
	record
	run runKey
}

// records goes through the records of a query on games g in chunks.
func (s *Store) records(ctx context.Context, f Filter, query string, fields func(*record) []any, weight func(*record) int) iter.Seq2[*found, error] {
	return func(yield func(*found, error) bool) {
		runs, err := s.chosen(ctx, &f)
		if err != nil {
			yield(nil, s.fail("runs", err))
			return
		}
		left := f.Limit
		for _, run := range runs {
			after := [3]int{-1, 0, 0}
			for {
				chunk, err := s.chunk(ctx, &f, query, run, after, fields, weight)
				if err != nil {
					yield(nil, s.fail("reading games of run "+run.uuid, err))
					return
				}
				if len(chunk) == 0 {
					break
				}
				for _, r := range chunk {
					after = [3]int{r.pair, r.leg, r.attempt}
					if !yield(&found{*r, run}, nil) {
						return
					}
					if left--; left == 0 {
						return
					}
				}
			}
		}
	}
}

// chunk reads games of a run after a key, as many as a chunk holds.
func (s *Store) chunk(ctx context.Context, f *Filter, query string, run runKey, after [3]int, fields func(*record) []any, weight func(*record) int) ([]*record, error) {
	where, args := f.where()
	rows, err := s.read.QueryContext(ctx, query+"WHERE g.run = ? AND (g.pair, g.leg, g.attempt) > (?, ?, ?)"+where+" ORDER BY g.pair, g.leg, g.attempt LIMIT ?",
		append(append([]any{run.id, after[0], after[1], after[2]}, args...), chunkGames)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var chunk []*record
	for total := 0; total < chunkPlies && rows.Next(); {
		r := new(record)
		if err := rows.Scan(fields(r)...); err != nil {
			return nil, err
		}
		chunk = append(chunk, r)
		total += weight(r)
	}
	return chunk, rows.Err()
}
