package results

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
)

// terminations are the words of other tools for how a game ended; the others are normal.
var terminations = map[Reason]string{
	TimeLoss: "time forfeit", Crash: "abandoned", Hang: "stalled connection", StartFailed: "abandoned", IllegalMove: "illegal move",
	AdjResign: "adjudication", AdjDraw: "adjudication", MaxPlies: "adjudication",
	SetAside: "unterminated", HostVoid: "unterminated", Stopped: "unterminated",
}

// PGN returns the game of a run as a file holds it, with what the engines said of each
// move. An imported game has the tags it came with and no others.
func (g *Game) PGN(r *Run) *pgn.Game {
	out := &pgn.Game{FEN: g.Opening, Result: pgn.Result(g.Result.String())}
	if g.imported() {
		out.Tags = g.fileTags()
	} else {
		out.Tags = g.runTags(r)
	}
	first, err := firstSide(g.Opening)
	if err != nil {
		first = movegen.Red // the writer will refuse the position
	}
	for i, p := range g.Plies {
		c := movegen.Color((int(first) + i) & 1)
		out.Moves = append(out.Moves, p.Move)
		out.Notes = append(out.Notes, pgn.Note{Eval: p.eval(c, i < g.Book)})
	}
	return out
}

// imported reports whether no engine of the run played.
func (g *Game) imported() bool { return g.Red < 0 && g.Black < 0 }

// tagOrder are the tags that come first, as PGN files have them.
var tagOrder = []string{"Event", "Site", "Date", "Round", "Red", "White", "Black", "Result"}

// fileTags returns the tags of an imported game: the usual ones first, then by name.
func (g *Game) fileTags() pgn.Tags {
	place := func(name string) int {
		if i := slices.Index(tagOrder, name); i >= 0 {
			return i
		}
		return len(tagOrder)
	}
	names := slices.SortedFunc(maps.Keys(g.Tags), func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	tags := make(pgn.Tags, 0, len(names))
	for _, name := range names {
		tags = append(tags, pgn.Tag{Name: name, Value: g.Tags[name]})
	}
	return tags
}

// runTags returns the tags of a game that engines of the run played.
func (g *Game) runTags(r *Run) (tags pgn.Tags) {
	set := func(name, value string) {
		if value != "" {
			tags.Set(name, value)
		}
	}
	stamp := func(t time.Time, layout string) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(layout)
	}
	set("Event", orText(r.Name, "xqlab "+r.ID))
	set("Date", stamp(g.Started, "2006.01.02"))
	set("Round", fmt.Sprintf("%d.%d", g.Pair+1, g.Leg+1))
	set("Red", r.engineName(g.Red))
	set("Black", r.engineName(g.Black))
	set("Variant", "xiangqi")
	set("Rules", r.Rules)
	set("PlyCount", strconv.Itoa(len(g.Plies)))
	set("GameStartTime", stamp(g.Started, time.RFC3339))
	set("GameEndTime", stamp(g.Ended, time.RFC3339))
	set("Termination", orText(terminations[g.Reason], "normal"))
	set("Reason", string(g.Reason))
	set("Detail", g.Detail)
	return tags
}

// players returns the names of an imported game's players, by colour.
func (g *Game) players() [2]string {
	if !g.imported() {
		return [2]string{}
	}
	return [2]string{orText(g.Tags["Red"], g.Tags["White"]), g.Tags["Black"]}
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (r *Run) engineName(i int) string {
	if i < 0 || i >= len(r.Engines) {
		return ""
	}
	return r.Engines[i].Name
}

// eval returns what the engine of colour c said of its move.
func (p *Ply) eval(c movegen.Color, book bool) pgn.Eval {
	e := pgn.Eval{Book: book, Depth: p.Depth, Nodes: p.Nodes, Time: p.Wall, CPU: p.CPU, Delay: p.Delay}
	s := p.Score.For(c)
	if !s.Known() {
		return e
	}
	e.Scored = true
	switch n, mate := s.Mate(); {
	case !mate:
		e.Score = int(s)
	case s > 0:
		e.Mate = max(n, 1) // "mate 0" would have no sign
	default:
		e.Mate = min(n, -1)
	}
	return e
}

// FromPGN returns a game of a file as a record of no run yet. The tags, the moves of the
// main line and what engines said of them are kept; comments and variations are not.
func FromPGN(in *pgn.Game) (*Game, error) {
	first, err := firstSide(in.FEN)
	if err != nil {
		return nil, err
	}
	g := &Game{Red: -1, Black: -1, Opening: in.FEN, Reason: Unknown, Tags: map[string]string{}}
	for _, t := range in.Tags {
		g.Tags[t.Name] = t.Value
	}
	switch in.Result {
	case pgn.RedWins:
		g.Result = RedWins
	case pgn.BlackWins:
		g.Result = BlackWins
	case pgn.Drawn:
		g.Result = Drawn
	}
	g.Started, _ = time.Parse("2006.01.02", in.Tags.Get("Date"))
	g.Ended = g.Started
	for i, m := range in.Moves {
		p := Ply{Move: m, Score: NoScore}
		if in.Notes != nil {
			e := in.Notes[i].Eval
			p.Depth, p.Nodes, p.Wall, p.CPU, p.Delay = e.Depth, e.Nodes, e.Time, e.CPU, e.Delay
			p.Score = scoreOf(e).For(movegen.Color((int(first) + i) & 1))
			if e.Book && i == g.Book {
				g.Book++
			}
		}
		g.Plies = append(g.Plies, p)
	}
	return g, nil
}

// maxMate is the longest mate that Score can say, in plies.
const maxMate = int(MateScore-MaxScore) - 1

// scoreOf returns an engine's score from its view.
func scoreOf(e pgn.Eval) Score {
	switch {
	case !e.Scored:
		return NoScore
	case e.Mate > 0:
		return MateScore - Score(min(e.Mate, maxMate))
	case e.Mate < 0:
		return -MateScore - Score(max(e.Mate, -maxMate))
	}
	return Score(max(-int(MaxScore), min(e.Score, int(MaxScore))))
}
