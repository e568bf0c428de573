package pgn

import (
	"errors"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
)

// resolver finds the moves that a draft's texts mean.
//
// Most texts mean one move. Where a text means several, the likeliest is played, and when
// the game does not go on from there, the next: the rest of a game is what tells the
// dialect of its writer. A game that goes on after each of several equally likely moves
// is ambiguous, which is an error.
type resolver struct {
	text   []byte
	tokens []token
	ranks  []notation.Ranks // to try in this order
	used   int              // index in ranks of the reading found

	coordinates bool  // some text depends on the ranks
	main        []int // tokens of the main line's moves
	moves       []movegen.Move
	choices     []choice
}

// choice is a ply whose text means several moves.
type choice struct {
	ply, taken, ties, n int
}

// fault is a text that is not a move.
type fault struct {
	ply       int // from 1
	line      int32
	err       error
	ambiguous bool // the moves fit, in more than one way
}

// maxReadings bounds how often a game is read again after a wrong choice.
const maxReadings = 200

func (r *resolver) word(i int) string {
	return string(r.text[r.tokens[i].begin:r.tokens[i].end])
}

// mainLine resolves the main line with each way of counting ranks until one fits. If none
// does, the fault is that of the reading that got furthest.
func (r *resolver) mainLine(start *movegen.Position) *fault {
	depth := 0
	for i, t := range r.tokens {
		switch t.kind {
		case openToken:
			depth++
		case closeToken:
			depth--
		case moveToken:
			if depth == 0 {
				r.main = append(r.main, i)
			}
		}
	}
	r.moves = make([]movegen.Move, 0, len(r.main))
	var worst *fault
	var most []movegen.Move
	for i, ranks := range r.ranks {
		f := r.line(start, r.main, ranks)
		if f == nil {
			r.used = i
			return nil
		}
		if worst == nil || f.ply > worst.ply {
			worst, most = f, append([]movegen.Move(nil), r.moves...)
		}
		if !r.coordinates || f.ambiguous {
			break
		}
	}
	r.moves = most
	return worst
}

// line resolves the moves of the tokens into r.moves.
func (r *resolver) line(start *movegen.Position, tokens []int, ranks notation.Ranks) *fault {
	r.choices = r.choices[:0]
	first := r.play(start, tokens, ranks)
	if len(r.choices) == 0 {
		return first // nothing to choose: the common case
	}
	f := first
	for n := 0; f != nil; n++ {
		if n == maxReadings || !r.choose(false) {
			r.choices = r.choices[:0]
			again := r.play(start, tokens, ranks) // for the moves up to the fault
			return again
		}
		f = r.play(start, tokens, ranks)
	}
	return r.checkUnique(start, tokens, ranks)
}

// choose goes to the next reading in the last choice that has one. With tiesOnly it does
// so only among equally likely moves.
func (r *resolver) choose(tiesOnly bool) bool {
	for len(r.choices) > 0 {
		c := &r.choices[len(r.choices)-1]
		limit := c.n
		if tiesOnly {
			limit = c.ties
		}
		if c.taken+1 < limit {
			c.taken++
			return true
		}
		r.choices = r.choices[:len(r.choices)-1]
	}
	return false
}

// checkUnique looks for a second reading among equally likely ones.
func (r *resolver) checkUnique(start *movegen.Position, tokens []int, ranks notation.Ranks) *fault {
	found := append([]movegen.Move(nil), r.moves...)
	for n := 0; n < maxReadings && r.choose(true); n++ {
		ply := r.choices[len(r.choices)-1].ply
		if r.play(start, tokens, ranks) == nil {
			r.moves = append(r.moves[:0], found[:ply]...)
			p := *start
			for _, m := range r.moves {
				var u movegen.Undo
				p.Make(m, &u)
			}
			f := r.fault(&p, tokens, ply, ranks)
			f.ambiguous = true
			return f
		}
	}
	r.moves = append(r.moves[:0], found...)
	return nil
}

// play resolves the tokens with the choices made so far and adds those that turn up.
func (r *resolver) play(start *movegen.Position, tokens []int, ranks notation.Ranks) *fault {
	p := *start
	r.moves = r.moves[:0]
	made := 0
	var u movegen.Undo
	for ply, i := range tokens {
		t := &r.tokens[i]
		text := r.text[t.begin:t.end]
		m, plain := plainMove(text, ranks)
		if plain {
			r.coordinates = true
			if !p.IsLegal(m) {
				return r.fault(&p, tokens, ply, ranks)
			}
		} else {
			word := string(text)
			c := notation.Find(&p, word, ranks)
			taken := 0
			switch {
			case c.Len() == 0:
				r.coordinates = r.coordinates || notation.HasRanks(word)
				return r.fault(&p, tokens, ply, ranks)
			case c.Len() > 1 && made < len(r.choices) && r.choices[made].ply == ply:
				taken = r.choices[made].taken
				made++
			case c.Len() > 1:
				r.choices = append(r.choices, choice{ply, 0, c.Ties(), c.Len()})
				made++
			}
			m = c.At(taken)
			r.coordinates = r.coordinates || notation.HasRanks(word)
		}
		p.Make(m, &u)
		r.moves = append(r.moves, m)
	}
	return nil
}

// plainMove reads the common forms of coordinates without further ado.
func plainMove(w []byte, ranks notation.Ranks) (movegen.Move, bool) {
	if ranks == notation.AnyRanks || len(w) < 4 || len(w) > 5 || len(w) == 5 && w[2] != '-' {
		return movegen.NoMove, false
	}
	low := byte('0')
	if ranks == notation.FromOne {
		low = '1'
	}
	f1, r1 := w[0]|0x20-'a', w[1]-low
	f2, r2 := w[len(w)-2]|0x20-'a', w[len(w)-1]-low
	if f1 >= movegen.Files || f2 >= movegen.Files || r1 > 9 || r2 > 9 {
		return movegen.NoMove, false
	}
	return movegen.NewMove(movegen.SquareAt(int(f1), int(r1)), movegen.SquareAt(int(f2), int(r2))), true
}

func (r *resolver) fault(p *movegen.Position, tokens []int, ply int, ranks notation.Ranks) *fault {
	t := r.tokens[tokens[ply]]
	word := r.word(tokens[ply])
	err := notation.Diagnose(p, word, ranks)
	if c := notation.Find(p, word, ranks); err == nil || c.Ties() == 1 {
		err = errors.New("the moves that follow fit no reading of " + word)
	}
	return &fault{ply: ply + 1, line: t.line, err: err}
}

// annotate puts comments, NAGs and variations where they belong.
func (r *resolver) annotate(g *Game, start *movegen.Position) {
	if len(r.tokens) == len(r.main) {
		return
	}
	n := &annotator{r: r, ranks: r.ranks[r.used]}
	line := n.line(start, r.moves)
	g.Comment, g.Notes = line.Comment, line.Notes
}

// annotator walks the tokens once more. at is the next token.
type annotator struct {
	r     *resolver
	ranks notation.Ranks
	at    int
}

// line reads tokens up to the end of a line whose moves are known.
func (n *annotator) line(start *movegen.Position, moves []movegen.Move) Line {
	l := Line{Moves: moves}
	game := Game{Moves: moves}
	p, before := *start, *start // after and before the last move
	done := 0
	for n.at < len(n.r.tokens) {
		t := n.r.tokens[n.at]
		n.at++
		switch t.kind {
		case moveToken:
			if done < len(moves) {
				var u movegen.Undo
				before = p
				p.Make(moves[done], &u)
				done++
			}
		case commentToken:
			text := strings.TrimSpace(n.r.word(n.at - 1))
			if done == 0 {
				l.Comment = join(l.Comment, text)
			} else {
				game.note(done - 1).addComment(text)
			}
		case nagToken:
			if done > 0 {
				game.note(done - 1).addNAG(uint8(t.begin))
			}
		case openToken:
			if done == 0 { // there is no move that it could replace
				l.Comment = join(l.Comment, n.raw())
			} else {
				v, ok := n.variation(&before)
				game.note(done-1).addVariation(v, ok)
			}
		case closeToken:
			l.Notes = game.Notes
			return l
		}
	}
	l.Notes = game.Notes
	return l
}

// variation reads a variation in the place of the move that follows before. One that
// cannot be read becomes a comment with its text.
func (n *annotator) variation(before *movegen.Position) (Line, bool) {
	begin := n.at
	var tokens []int
	depth := 0
	for i := begin; i < len(n.r.tokens) && depth >= 0; i++ {
		switch n.r.tokens[i].kind {
		case openToken:
			depth++
		case closeToken:
			depth--
		case moveToken:
			if depth == 0 {
				tokens = append(tokens, i)
			}
		}
	}
	sub := resolver{text: n.r.text, tokens: n.r.tokens}
	if f := sub.line(before, tokens, n.ranks); f != nil || len(tokens) == 0 {
		return Line{Comment: n.raw()}, false
	}
	return n.line(before, sub.moves), true
}

// raw returns the text of a variation and goes behind it.
func (n *annotator) raw() string {
	var words []string
	for depth := 0; n.at < len(n.r.tokens) && depth >= 0; n.at++ {
		switch n.r.tokens[n.at].kind {
		case openToken:
			depth++
			words = append(words, "(")
		case closeToken:
			if depth--; depth >= 0 {
				words = append(words, ")")
			}
		case moveToken, commentToken:
			words = append(words, strings.TrimSpace(n.r.word(n.at)))
		}
	}
	return strings.Join(words, " ")
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func (n *Note) addNAG(nag uint8) { n.NAGs = append(n.NAGs, nag) }

// addVariation adds a variation, or the text of one that could not be read.
func (n *Note) addVariation(v Line, read bool) {
	if read {
		n.Variations = append(n.Variations, v)
	} else {
		n.Comment = join(n.Comment, v.Comment)
	}
}

// addComment adds a comment, from which an engine's data are taken.
func (n *Note) addComment(text string) {
	if n.Eval == (Eval{}) {
		n.Eval, text = parseEval(text)
	}
	n.Comment = join(n.Comment, text)
}
