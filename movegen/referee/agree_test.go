package referee

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// statusWord is the corpus's word for a status.
var statusWord = map[Status]string{Ongoing: "none", Draw: "draw", BlackWins: "red_loses", RedWins: "black_loses"}

// randomPosition puts kings and up to 12 other pieces on squares where they can stand.
func randomPosition(rng *rand.Rand) *movegen.Position {
	for {
		var board [90]byte
		for _, k := range []struct {
			letter byte
			rank   int
		}{{'K', 0}, {'k', 7}} {
			board[(k.rank+rng.IntN(3))*9+3+rng.IntN(3)] = k.letter
		}
		for range 2 + rng.IntN(11) {
			if s := rng.IntN(90); board[s] == 0 {
				board[s] = "AABBNNRRCCPPaabbnnrrccpp"[rng.IntN(24)]
			}
		}
		if p, err := movegen.ParseFEN(boardFEN(board) + " " + []string{"w", "b"}[rng.IntN(2)]); err == nil {
			return p
		}
	}
}

func boardFEN(board [90]byte) string {
	var rows []string
	for r := 9; r >= 0; r-- {
		row := ""
		for f := range 9 {
			if c := board[r*9+f]; c != 0 {
				row += string(c)
			} else {
				row += "1"
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "/")
}

// randomCycle returns legal quiet moves that lead from p back to p, 2, 3 or 4 of each
// side, or nil. With 3 a piece goes a triangle, with 4 two pieces go there and back.
func randomCycle(rng *rand.Rand, p *movegen.Position) []movegen.Move {
	w := *p
	n := []int{2, 2, 2, 3, 4}[rng.IntN(5)]
	var moves []movegen.Move
	var paths [2][]movegen.Move
	for i := range 2 * n {
		own := paths[i%2]
		var m movegen.Move
		switch k := len(own); {
		case n == 4 && k >= 2:
			m = movegen.NewMove(own[k-2].To(), own[k-2].From())
		case k == n-1:
			m = movegen.NewMove(own[k-1].To(), own[0].From())
		case n == 3 && k == 1:
			m = randomQuiet(rng, &w, own[0].To())
		default:
			m = randomQuiet(rng, &w, movegen.NoSquare)
		}
		if m.From() == m.To() || w.At(m.To()) != movegen.NoPiece || !w.IsLegal(m) {
			return nil
		}
		var u movegen.Undo
		w.Make(m, &u)
		paths[i%2] = append(own, m)
		moves = append(moves, m)
	}
	if w.Key() != p.Key() {
		return nil
	}
	return moves
}

// randomQuiet returns a quiet move, from the square if it is one; NoMove if there is none.
func randomQuiet(rng *rand.Rand, p *movegen.Position, from movegen.Square) movegen.Move {
	var l movegen.MoveList
	p.Quiets(&l)
	for range 8 {
		if l.Len() == 0 {
			break
		}
		if m := l.At(rng.IntN(l.Len())); from == movegen.NoSquare || m.From() == from {
			return m
		}
	}
	return movegen.NoMove
}

// isEventful reports whether one side attacks something anew, or checks, with each of its
// moves of the cycle. Of other random cycles nearly all end in plain draws.
func isEventful(p *movegen.Position, cycle []movegen.Move) bool {
	w := *p
	eventful := [2]bool{true, true}
	for _, m := range cycle {
		var u movegen.Undo
		by := w.Side()
		old := attacked(&w, by)
		w.Make(m, &u)
		fresh := attacked(&w, by)
		if old.Has(m.From()) {
			old = old.With(m.To())
		}
		if fresh.AndNot(old).Empty() && !w.InCheck() {
			eventful[by] = false
		}
	}
	return eventful[0] || eventful[1]
}

// attacked returns the enemies other than the king that by attacks, those left out that
// are attacked by kings and soldiers alone. Protected ones, which rarely count, are in it
// only if they are rooks.
func attacked(p *movegen.Position, by movegen.Color) (s movegen.Set) {
	weak := p.Pieces(movegen.NewPiece(by, movegen.Pawn)).Or(p.Pieces(movegen.NewPiece(by, movegen.King)))
	for all := p.Color(by.Other()); !all.Empty(); {
		v := all.Pop()
		if t := p.At(v).Type(); t == movegen.King || t != movegen.Rook && p.Attacked(v, by.Other()) {
			continue
		}
		if !p.Attackers(v, by).AndNot(weak).Empty() {
			s = s.With(v)
		}
	}
	return s
}

func texts(moves []movegen.Move) (list []string) {
	for _, m := range moves {
		list = append(list, m.String())
	}
	return list
}

// repetitionOnly is the rule set without limit and material, which the slow referee does
// not know.
func repetitionOnly(t testing.TB, name string) *Rules {
	r, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	r.Limit, r.material = 0, nil
	return r
}

// TestSlowRefereeAgrees compares the referee with the slow one over random cycles, turned
// several times or mixed with another cycle through the same position, after an entry.
func TestSlowRefereeAgrees(t *testing.T) {
	cycles := 1000
	if testing.Short() {
		cycles = 200
	}
	rng := rand.New(rand.NewPCG(3, 14))
	seen := map[string]int{}
	for n := 0; n < cycles; {
		start := randomPosition(rng)
		p := *start
		line := entry(rng, &p)
		first := randomCycle(rng, &p)
		if first == nil || !isEventful(&p, first) && rng.IntN(50) > 0 {
			continue
		}
		second := first
		if other := randomCycle(rng, &p); other != nil && rng.IntN(3) == 0 {
			second = other
		}
		for _, part := range [][]movegen.Move{first, second, first, second[:rng.IntN(len(second))]}[:2+rng.IntN(3)] {
			line = append(line, part...)
		}
		n++
		for _, name := range Names() {
			want, ply := slowVerdict(start.FEN(), texts(line), name)
			got := play(t, NewGame(start, repetitionOnly(t, name)), texts(line)...)
			if got.Reason == Checkmate || got.Reason == Stalemate {
				t.Fatalf("%s %v: mate inside a line of legal moves", start.FEN(), texts(line))
			}
			if statusWord[got.Status] != want || got.Ply != ply {
				t.Fatalf("%s: %s moves %s: %s (%s) at ply %d, the slow referee says %s at %d", name, start.FEN(),
					strings.Join(texts(line), " "), got.Status, got.Reason, got.Ply, want, ply)
			}
			seen[name+" "+got.Status.String()+" "+got.Reason.String()]++
		}
	}
	for _, kind := range []string{"computer black_wins perpetual_check", "computer red_wins perpetual_chase", "computer black_wins perpetual_chase",
		"computer draw repetition", "axf red_wins perpetual_chase", "ucci-league red_wins perpetual_chase", "ucci-league ongoing ", "check-only red_wins perpetual_check"} {
		if !testing.Short() && seen[kind] < cycles/200 { // 200 cycles hold too few chases to ask for
			t.Errorf("%d of %d random cycles were %q: the comparison shows too little", seen[kind], cycles, kind)
		}
	}
	if testing.Verbose() {
		fmt.Println(seen)
	}
}

// entry plays up to three random moves in p and returns them.
func entry(rng *rand.Rand, p *movegen.Position) (moves []movegen.Move) {
	for range rng.IntN(4) {
		var l movegen.MoveList
		var u movegen.Undo
		if p.Legal(&l); l.Len() == 0 {
			break
		}
		m := l.At(rng.IntN(l.Len()))
		p.Make(m, &u)
		moves = append(moves, m)
	}
	return moves
}
