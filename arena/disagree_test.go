package arena

import (
	"testing"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// Which games are marked, by the last score of each side and the verdict.
func TestDisagree(t *testing.T) {
	const none = results.NoScore
	mate := results.MateScore - 5
	for _, row := range []struct {
		name       string
		result     results.Result
		reason     results.Reason
		first      movegen.Color
		book       int
		scores     []results.Score // from Red's view, one a ply
		red, black bool
	}{
		{"both agree", results.RedWins, results.Checkmate, movegen.Red, 0, []results.Score{500, 400, mate, mate}, false, false},
		{"the loser was ahead", results.BlackWins, results.PerpetualChase, movegen.Red, 0, []results.Score{250, 0, 300, 20}, true, false},
		{"the winner was behind", results.BlackWins, results.PerpetualCheck, movegen.Red, 0, []results.Score{0, 150}, false, true},
		{"Black moves first", results.BlackWins, results.PerpetualCheck, movegen.Black, 0, []results.Score{150, 0}, false, true},
		{"under the bound", results.BlackWins, results.PerpetualChase, movegen.Red, 0, []results.Score{99, 99}, false, false},
		{"the last known score counts", results.BlackWins, results.PerpetualChase, movegen.Red, 0, []results.Score{400, -9, none, -9}, true, false},
		{"no scores", results.BlackWins, results.PerpetualChase, movegen.Red, 0, []results.Score{none, none}, false, false},
		{"draw with a mate announced", results.Drawn, results.Repetition, movegen.Red, 0, []results.Score{10, -mate}, false, true},
		{"draw while ahead", results.Drawn, results.Repetition, movegen.Red, 0, []results.Score{900, 900}, false, false},
		{"not the referee's", results.BlackWins, results.TimeLoss, movegen.Red, 0, []results.Score{900, 900}, false, false},
		{"book moves do not count", results.BlackWins, results.PerpetualChase, movegen.Red, 2, []results.Score{900, 900}, false, false},
	} {
		g := &results.Game{Result: row.result, Reason: row.reason, Book: row.book}
		for _, s := range row.scores {
			g.Plies = append(g.Plies, results.Ply{Score: s})
		}
		if got := Disagree(g, row.first); got != [2]bool{row.red, row.black} {
			t.Errorf("%s: %v, want %v", row.name, got, [2]bool{row.red, row.black})
		}
	}
}
