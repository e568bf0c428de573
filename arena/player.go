package arena

import (
	"context"
	"fmt"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// Player plays one side of one game at a time. The built-in searcher and the client for
// external engines are Players.
type Player interface {
	// Name returns the configured name.
	Name() string
	// NewGame prepares for a game: hash and histories are cleared, a dead engine is
	// started again. Errors are *Failure.
	NewGame(ctx context.Context) error
	// Move thinks about the game's position under the clock and returns within an
	// absolute deadline. Errors are *Failure, or ctx's cause.
	Move(ctx context.Context, g *referee.Game, c Clock) (Reply, error)
	// Close ends the engine. It takes a bounded time.
	Close() error
}

// Witness is a Player that can prove what its engine said, for a game that the arena ends
// itself, as when the clock ran out within the absolute deadline.
type Witness interface {
	// Evidence describes the last move as JSON, like Failure.Evidence.
	Evidence(g *referee.Game, reason results.Reason, detail string, r Reply) []byte
}

// Hastener is a Player that can be told not to be patient in Close.
type Hastener interface{ Hasten() }

// Limits is what an engine may spend on its moves, as configured.
type Limits struct {
	Time     time.Duration // base time, 0 without a clock
	Inc      time.Duration
	MovesTo  int // moves per period, 0 for all
	MoveTime time.Duration
	Nodes    uint64
	Soft     uint64 // the built-in engine begins no further iteration after so many nodes
	Depth    int
	Margin   time.Duration // a clock overrun up to this is forgiven, and counted
}

// Timed reports whether time decides about the moves.
func (l Limits) Timed() bool { return l.Time > 0 || l.Inc > 0 || l.MoveTime > 0 }

// Scaled returns the limits with all times but the margin, which is the machine's, times f.
func (l Limits) Scaled(f float64) Limits {
	for _, t := range []*time.Duration{&l.Time, &l.Inc, &l.MoveTime} {
		if *t > 0 {
			*t = max(time.Duration(float64(*t)*f).Round(time.Microsecond), time.Microsecond)
		}
	}
	return l
}

// Clock is the state of both clocks before a move. The arrays are indexed by colour.
type Clock struct {
	Limits // of the side to move
	Left   [2]time.Duration
	Incs   [2]time.Duration
	ToGo   int // moves to the next period of the side to move, 0 for none
}

// Reply is a move and what the engine said of it.
type Reply struct {
	Move     movegen.Move
	Score    results.Score // from the mover's view
	Depth    int
	SelDepth int
	Nodes    uint64
	Hashfull int           // per mille, −1 when unknown
	Wall     time.Duration // go written to bestmove read
	CPU      time.Duration
	Delay    time.Duration
	Slept    time.Duration // this machine was suspended for so long during the move
	Resign   bool
	Draw     bool // offers or accepts a draw
}

// Failure is an engine's failure in a game: the verdict it deserves and the proof.
type Failure struct {
	Engine   string
	Reason   results.Reason // Crash, Hang, IllegalMove, StartFailed or TimeLoss
	Detail   string         // one line, quoting the engine's last line
	Text     string         // the move of an IllegalMove as the engine wrote it
	Wall     time.Duration  // time spent on the move
	CPU      time.Duration  // the engine's processor time in it, 0 when unknown
	Delay    time.Duration  // this machine's scheduling delay in it, 0 when unknown
	Slept    time.Duration  // this machine was suspended for so long during the move
	Killed   bool           // the process has ended or was killed; the next NewGame starts it again
	Evidence []byte         // JSON: last protocol lines with time stamps, stderr, exit code or signal
}

// Error returns one line.
func (f *Failure) Error() string {
	return fmt.Sprintf("engine %s: %s: %s", f.Engine, f.Reason, f.Detail)
}
