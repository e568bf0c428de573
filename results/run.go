package results

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// Errors that callers tell apart with errors.Is.
var (
	ErrFull     = errors.New("disk full")
	ErrOwned    = errors.New("the run has another owner")
	ErrNoOwner  = errors.New("no living process has the run")
	ErrNotHeld  = errors.New("the run is not held by this process")
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrFinished = errors.New("the run is finished")
	ErrConflict = errors.New("stored already with other content")
	ErrBusy     = errors.New("the database is locked by another process")
	ErrDamaged  = errors.New("the database is damaged")
	ErrGone     = errors.New("the database's file is gone")
	ErrClosed   = errors.New("the database is closed")
)

// Run is whatever makes games or results: a match, self-play, an import, a tuning run.
type Run struct {
	ID         string // UUIDv7, made by CreateRun when empty
	Kind       string // one of Kinds
	Name       string // "" or unique among the runs that are made in one database
	Config     []byte // verbatim TOML
	Seed       uint64
	Rules      string // name of the rule set, "" for imported games of unknown rules
	MoveLimit  int    // plies without a capture, 0 for the rule set's own
	Book       string
	BookHash   string
	Pairs      int // planned, 0 for open-ended
	Created    time.Time
	Finished   time.Time // zero while unfinished
	Version    string    // of xqlab
	Host       Host      // CreateRun fills a zero one with HostFacts
	Engines    []Engine  // index i is at [i]
	StopReason string    // "" while unfinished
	Summary    []byte    // JSON: final figures, SPRT model, inputs, verdict
}

// Kinds are the kinds of runs.
func Kinds() []string { return []string{"match", "selfplay", "import", "tune", "spsa"} }

// Engine is one configuration that plays in a run.
type Engine struct {
	Index     int    // its place in Run.Engines, set when stored
	Name      string // as configured
	IDName    string // what it calls itself
	Cmd       string // "" for the built-in engine
	Proto     string
	Config    []byte // everything that was set, JSON
	SHA256    string // of the binary, hexadecimal
	NetSHA256 string // of the network or weights file
}

// Side is what one side's moves of a game add up to, the opening's moves left out.
type Side struct {
	Moves      int
	DepthSum   int // over the DepthMoves that had a depth
	DepthMoves int
	Nodes      uint64
	Wall       time.Duration
	CPU        time.Duration
	Delay      time.Duration
	Late       int // moves forgiven by the margin
}

// Row is a game without its moves: what standings and lists are computed from.
type Row struct {
	GameKey
	Red, Black int       // indexes of the run's engines, −1 for imported games
	Players    [2]string // of an imported game, by colour, from its tags; "" for others
	Result     Result
	Reason     Reason
	Detail     string
	Book       int // plies the opening gave
	Plies      int
	Started    time.Time
	Ended      time.Time
	Disagree   [2]bool
	Sides      [2]Side // by colour
}

// RowOf returns the row of a game, as Rows will after Put.
func RowOf(g *Game) (Row, error) {
	side, err := firstSide(g.Opening)
	if err != nil {
		return Row{}, fmt.Errorf("%s: %w", g.GameKey, err)
	}
	r := Row{GameKey: g.GameKey, Red: g.Red, Black: g.Black, Players: g.players(), Result: g.Result, Reason: g.Reason, Detail: g.Detail,
		Book: g.Book, Plies: len(g.Plies), Started: micro(g.Started), Ended: micro(g.Ended), Disagree: g.Disagree}
	for i := range g.Plies {
		if i >= g.Book {
			r.Sides[side].add(&g.Plies[i])
		}
		side = side.Other()
	}
	return r, nil
}

func (s *Side) add(p *Ply) {
	s.Moves++
	if p.Depth > 0 {
		s.DepthSum += p.Depth
		s.DepthMoves++
	}
	s.Nodes = min(s.Nodes+p.Nodes, math.MaxInt64) // as far as a column of the database goes
	s.Wall += time.Duration(micros(p.Wall)) * time.Microsecond
	s.CPU += time.Duration(micros(p.CPU)) * time.Microsecond
	s.Delay += time.Duration(micros(p.Delay)) * time.Microsecond
	if p.Late {
		s.Late++
	}
}

// firstSide returns the side to move of a FEN that a replay can begin from.
func firstSide(fen string) (movegen.Color, error) {
	if fen == movegen.StartFEN {
		return movegen.Red, nil
	}
	p, err := movegen.ParseFENLenient(fen)
	if err != nil {
		return 0, err
	}
	return p.Side(), nil
}

// String names the game as command lines do: RUN/PAIR.LEG, and .ATTEMPT of one that was
// played again, all counted from 1. The run's first eight characters would be the hour it
// was made, so the whole UUID stands there.
func (k GameKey) String() string {
	name := fmt.Sprintf("%s/%d.%d", k.Run, k.Pair+1, k.Leg+1)
	if k.Attempt > 0 {
		name += fmt.Sprintf(".%d", k.Attempt+1)
	}
	return name
}

// Hash tells games apart by their start (board and side to move) and moves alone: two
// records of one game have the same hash whatever else they say. It is the first eight
// bytes of SHA-256 over the FEN's first two fields with the space between and the moves as
// little-endian u16, and never changes.
func (g *Game) Hash() uint64 {
	board, rest, _ := strings.Cut(g.Opening, " ")
	side, _, _ := strings.Cut(rest, " ")
	buf := make([]byte, 0, 512)
	buf = append(append(append(buf, board...), ' '), side...)
	for i := range g.Plies {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(g.Plies[i].Move))
	}
	return shortHash(buf)
}

// shortHash returns the first eight bytes of SHA-256.
func shortHash(data []byte) uint64 {
	sum := sha256.Sum256(data)
	return binary.LittleEndian.Uint64(sum[:])
}

// micro cuts a time to what is stored: microseconds, UTC.
func micro(t time.Time) time.Time { return fromMicro(toMicro(t)) }

func toMicro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicro(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
