package results

import (
	"fmt"
	"strconv"
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
// move.
func (g *Game) PGN(r *Run) *pgn.Game {
	out := &pgn.Game{FEN: g.Opening, Result: pgn.Result(g.Result.String())}
	set := func(name, value string) {
		if value != "" {
			out.Tags.Set(name, value)
		}
	}
	set("Event", orText(r.Name, "xqlab "+r.ID))
	set("Date", g.Started.Format("2006.01.02"))
	set("Round", fmt.Sprintf("%d.%d", g.Pair+1, g.Leg+1))
	set("Red", orText(r.engineName(g.Red), g.Tags["Red"]))
	set("Black", orText(r.engineName(g.Black), g.Tags["Black"]))
	set("Variant", "xiangqi")
	set("Rules", r.Rules)
	set("PlyCount", strconv.Itoa(len(g.Plies)))
	set("GameStartTime", g.Started.Format(time.RFC3339))
	set("GameEndTime", g.Ended.Format(time.RFC3339))
	set("Termination", orText(terminations[g.Reason], "normal"))
	set("Reason", string(g.Reason))
	set("Detail", g.Detail)
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
	if n, mate := s.Mate(); mate {
		e.Mate = n
	} else {
		e.Score = int(s)
	}
	return e
}

// FromPGN returns a game of a file as a record of no run yet.
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

// scoreOf returns an engine's score from its view.
func scoreOf(e pgn.Eval) Score {
	switch {
	case !e.Scored:
		return NoScore
	case e.Mate > 0:
		return MateScore - Score(min(e.Mate, 1000))
	case e.Mate < 0:
		return -MateScore - Score(max(e.Mate, -1000))
	}
	return Score(max(-int(MaxScore), min(e.Score, int(MaxScore))))
}
