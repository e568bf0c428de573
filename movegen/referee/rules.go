package referee

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// Rules is a rule set. Named makes one; of the fields only Limit is meant to be changed.
type Rules struct {
	Name        string // as stored with every game
	Summary     string // one line for people: whose rule it is and since when
	Occurrences int    // a repetition is judged when a position occurs for this time
	Limit       int    // plies without a capture that draw; 0 or less: none

	countedChecks int32                             // checks of a side since the last capture that count towards Limit with their answers; −1: none
	checkEndsIt   bool                              // a cycle with a check that is no perpetual check is a draw, chases or not
	chase         *chaseRule                        // nil: chases are not judged
	material      func(*movegen.Position) materials // nil: material is not judged
}

// DefaultRules is the name of the rule set in use where nothing is said.
const DefaultRules = "computer"

// NoLimit, given to WithLimit, is no move limit.
const NoLimit = -1

// WithLimit returns the rules with another move limit in plies: 0 keeps the rule set's
// own, a negative number (NoLimit) is none.
func (r *Rules) WithLimit(plies int) *Rules {
	s := *r
	if plies != 0 {
		s.Limit = plies
	}
	return &s
}

// ErrUnknownRules is wrapped by Named.
var ErrUnknownRules = errors.New("unknown rule set")

// Named returns a rule set by its name or an alias (asian for axf). Rules.Name is then
// the name, not the alias.
func Named(name string) (*Rules, error) {
	plain := strings.ToLower(name)
	if plain == "asian" {
		plain = "axf"
	}
	for _, r := range ruleSets() {
		if r.Name == plain {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w %q, want %s", ErrUnknownRules, clip(name), strings.Join(Names(), ", "))
}

// Names returns the names of the rule sets, the default first, aliases not included.
func Names() []string {
	var names []string
	for _, r := range ruleSets() {
		names = append(names, r.Name)
	}
	return names
}

const allChecks = math.MaxInt32

// ruleSets makes the rule sets. Where they come from: `computer` is what Pikafish's source
// has had since 2024-04-20, `axf` its version of 2023-12-03, which is said to cover the
// diagrams of the WXF manual, `ucci-league` is ElephantEye's reading of xqbase's league
// rules of 2007, `check-only` is Fairy-Stockfish's before it knew chases, and many sites'.
// No code of theirs is used.
func ruleSets() []*Rules {
	return []*Rules{
		{
			Name: "computer", Summary: "Pikafish's computer rule of 2024-04-20: checks and chases never combine",
			Occurrences: 3, Limit: 120, countedChecks: 10, checkEndsIt: true,
			chase:    &chaseRule{worth: threats(true), captors: profitable, fresh: true},
			material: canAnyoneWin,
		}, {
			Name: "axf", Summary: "the Asian (AXF) model that covers the WXF manual's diagrams, as chessdb judges",
			Occurrences: 3, Limit: 120, countedChecks: 10,
			chase:    &chaseRule{worth: threats(false), captors: profitable, fresh: true, graver: pinnedByHorse},
			material: hasPieceThatAttacks,
		}, {
			Name: "ucci-league", Summary: "xqbase's UCCI league and ElephantEye: judged at the fourth occurrence",
			Occurrences: 4, Limit: 100, countedChecks: -1,
			chase:    &chaseRule{worth: leagueThreats(), captors: byMovedPiece},
			material: hasPieceThatAttacks,
		}, {
			Name: "check-only", Summary: "perpetual check loses, any other repetition is a draw",
			Occurrences: 3, Limit: 100, countedChecks: allChecks,
		},
	}
}

// threats is what counts as a threat in computer and axf. Kings and soldiers never chase.
// Horse and cannon chase even a protected rook; so do, in computer alone, advisor and
// elephant a rook, horse or cannon.
func threats(byDefenders bool) (w worthTable) {
	for _, a := range []movegen.PieceType{movegen.Advisor, movegen.Elephant, movegen.Horse, movegen.Rook, movegen.Cannon} {
		for v := movegen.Advisor; v < movegen.PieceTypes; v++ {
			w[a][v] = ifUnprotected
		}
	}
	w[movegen.Horse][movegen.Rook], w[movegen.Cannon][movegen.Rook] = always, always
	if byDefenders {
		for _, a := range []movegen.PieceType{movegen.Advisor, movegen.Elephant} {
			w[a][movegen.Rook], w[a][movegen.Horse], w[a][movegen.Cannon] = always, always, always
		}
	}
	return w
}

// leagueThreats is the league's short list.
func leagueThreats() (w worthTable) {
	w[movegen.Horse] = [movegen.PieceTypes]worth{movegen.Rook: always, movegen.Cannon: ifUnprotected, movegen.Pawn: ifUnprotected}
	w[movegen.Cannon] = [movegen.PieceTypes]worth{movegen.Rook: always, movegen.Horse: ifUnprotected, movegen.Pawn: ifUnprotected}
	w[movegen.Rook] = [movegen.PieceTypes]worth{movegen.Horse: ifUnprotected, movegen.Cannon: ifUnprotected, movegen.Pawn: ifUnprotected}
	return w
}

// clip shortens text from outside for an error line.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
