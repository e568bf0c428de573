package eval

import "github.com/xqlab/xqlab/movegen"

// PhaseMax is the phase of a middlegame with all rooks, horses and cannons; ScaleMax is
// the scale at which a score counts in full.
const (
	PhaseMax = 16
	ScaleMax = 64
)

// phaseOf is what a piece adds to the phase.
var phaseOf = [movegen.PieceTypes]int32{movegen.Horse: 1, movegen.Cannon: 1, movegen.Rook: 2}

// Evaluator evaluates positions with one set of weights. It is not changed by use, so
// threads may share it.
type Evaluator struct {
	weights [weightRoom]Score
	square  [movegen.Pieces][128]Accumulator // material and piece-square value, Red's view
	army    [armyRoom]Score                  // by armyIndex: what armyFeatures counts, for the attacker
	threat  [movegen.PieceTypes][threatRoom]Score
	checks  [checkRoom]Score
	ending  [Endings]uint8 // scales by class
}

// Accumulator holds what the search keeps up from move to move: Red's material and
// piece-square values less Black's, and the phase.
type Accumulator struct {
	Score Score
	Phase int32
}

// New returns an evaluator with a copy of the weights.
func New(w *Weights) *Evaluator {
	e := &Evaluator{}
	for i, v := range w.Values {
		e.weights[i] = MakeScore(v.MG, v.EG)
	}
	for _, c := range [...]movegen.Color{movegen.Red, movegen.Black} {
		for t := movegen.King; t < movegen.PieceTypes; t++ {
			for s := movegen.Square(0); s < movegen.Squares; s++ {
				e.square[movegen.NewPiece(c, t)][s] = e.pieceValue(movegen.NewPiece(c, t), s)
			}
		}
	}
	for i, v := range w.Ending {
		e.ending[i] = uint8(v)
	}
	e.sumTables()
	return e
}

// sumTables adds up the weights of features that always come together.
func (e *Evaluator) sumTables() {
	for i := range armySize {
		armyFeatures(i, func(owner bool, feature, n int) {
			if owner {
				n = -n
			}
			e.army[i] += e.weights[feature] * Score(n)
		})
	}
	for kinds := range checkRoom {
		checkFeatures(kinds, func(feature int) { e.checks[kinds] += e.weights[feature] })
	}
	for kind := movegen.Advisor; kind < movegen.PieceTypes; kind++ {
		for state := range threatRoom {
			threatFeatures(kind, state, func(owner bool, feature int) {
				if owner {
					e.threat[kind][state] -= e.weights[feature]
				} else {
					e.threat[kind][state] += e.weights[feature]
				}
			})
		}
	}
}

// pieceValue returns what a piece on a square adds to the accumulator.
func (e *Evaluator) pieceValue(pc movegen.Piece, s movegen.Square) Accumulator {
	v := e.weights[psqtIndex(pc, s)]
	if pc.Type() != movegen.King {
		v += e.weights[material+kindIndex(pc.Type())]
	}
	if pc.Color() == movegen.Black {
		v = -v
	}
	return Accumulator{v, phaseOf[pc.Type()]}
}

// Refresh computes the accumulator of a position.
func (e *Evaluator) Refresh(p *movegen.Position) Accumulator {
	var a Accumulator
	for all := p.Occupied(); !all.Empty(); {
		s := all.Pop()
		v := &e.square[p.At(s)&15][s&127]
		a.Score += v.Score
		a.Phase += v.Phase
	}
	return a
}

// Moved returns the accumulator after pc has gone from one square to another and taken
// captured, which may be NoPiece.
func (e *Evaluator) Moved(a Accumulator, pc, captured movegen.Piece, m movegen.Move) Accumulator {
	table := &e.square[pc&15]
	a.Score += table[m.To()&127].Score - table[m.From()&127].Score
	if captured != movegen.NoPiece {
		v := &e.square[captured&15][m.To()&127]
		a.Score -= v.Score
		a.Phase -= v.Phase
	}
	return a
}

// Evaluate returns the score of a position in centipawns from the side to move, and
// writes what it counted to t unless t is nil.
func (e *Evaluator) Evaluate(p *movegen.Position, t *Trace) int {
	return e.EvaluateWith(p, e.Refresh(p), t)
}

// EvaluateWith is Evaluate for a caller who has kept up the accumulator.
func (e *Evaluator) EvaluateWith(p *movegen.Position, a Accumulator, t *Trace) int {
	s := state{e: e, p: p, trace: t}
	phase := min(int(a.Phase), PhaseMax)
	if t != nil {
		*t = Trace{Phase: phase, sides: t.sides}
		s.tracePieces()
	}
	score := a.Score + s.terms()
	v := score.MG()*phase + score.EG()*(PhaseMax-phase)
	scale := s.scale(v)
	if t != nil {
		t.Scale = scale
	}
	v = v * scale / (PhaseMax * ScaleMax)
	if p.Side() == movegen.Black {
		return -v
	}
	return v
}

// weightRoom is Features rounded up to a power of two, for indexes without checks.
const weightRoom = 1024

// state is one evaluation under way.
type state struct {
	e     *Evaluator
	p     *movegen.Position
	trace *Trace

	occupied     movegen.Set
	attacks      [2][movegen.PieceTypes]movegen.Set // squares attacked, by piece type
	any          [2]movegen.Set                     // squares attacked
	cannonTo     [2]movegen.Set                     // squares that cannons can go to
	king         [2]movegen.Sight                   // what each king's square sees
	soldierFiles [2]uint64                          // files with a soldier
	attackers    [2]int                             // pieces that attack the enemy palace
	checks       [2]int                             // bits of the kinds that can check unharmed: rook, horse, cannon
}

// add counts feature i n times for side c and returns what that is worth.
func (s *state) add(c movegen.Color, i, n int) Score {
	if s.trace != nil {
		s.trace.add(c, i, n)
	}
	return s.e.weights[i&(weightRoom-1)] * Score(n)
}

// one counts feature i once for side c and returns what that is worth.
func (s *state) one(c movegen.Color, i int) Score {
	if s.trace != nil {
		s.trace.add(c, i, 1)
	}
	return s.e.weights[i&(weightRoom-1)]
}

// tracePieces writes down what the accumulator holds.
func (s *state) tracePieces() {
	for all := s.p.Occupied(); !all.Empty(); {
		sq := all.Pop()
		pc := s.p.At(sq)
		s.trace.add(pc.Color(), psqtIndex(pc, sq), 1)
		if pc.Type() != movegen.King {
			s.trace.add(pc.Color(), material+kindIndex(pc.Type()), 1)
		}
	}
}
