package tuner

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bin is a group of positions: what was predicted for them and what came.
type Bin struct {
	Name      string  `json:"name"`
	From      float64 `json:"from"` // of what the bins divide
	To        float64 `json:"to"`
	Positions int     `json:"positions"`
	Games     int     `json:"games"`
	Predicted float64 `json:"predicted"` // mean points of Red
	Actual    float64 `json:"actual"`
	Error     float64 `json:"error"` // standard error of Actual − Predicted, by game
}

// Residual returns by how much Red made more points than predicted.
func (b *Bin) Residual() float64 { return b.Actual - b.Predicted }

// Calibration is how the rounded weights predict.
type Calibration struct {
	Predicted []Bin `json:"predicted"` // positions of the test set by what is predicted for Red
	Phase     []Bin `json:"phase"`     // all positions by phase, seen from the side with the better score
	Material  []Bin `json:"material"`  // all positions by what one side has more, seen from that side; the surest faults first
}

// Bins by prediction and by phase; how many kinds of material are reported and what they
// need.
const (
	predictedBins = 20
	phaseBins     = 16
	materialShown = 30
	materialGames = 20
)

// tally adds up one bin.
type tally struct {
	n, games          int
	predicted, actual float64
	squares           float64 // of the games' residuals
	game              float64 // residual of the game under way
	open              bool
}

func (t *tally) add(predicted, actual float64) {
	t.n++
	t.predicted += predicted
	t.actual += actual
	t.game += actual - predicted
	t.open = true
}

// close ends a game.
func (t *tally) close() {
	if t.open {
		t.games++
		t.squares += t.game * t.game
		t.game, t.open = 0, false
	}
}

func (t *tally) bin(name string, from, to float64) Bin {
	n := float64(max(t.n, 1))
	return Bin{name, from, to, t.n, t.games, t.predicted / n, t.actual / n, math.Sqrt(t.squares) / n}
}

// calibrator tallies in one goroutine, in the order of the file.
type calibrator struct {
	f                *fitting
	w                vector
	material         map[int]string // features that count pieces, and the piece's name
	predicted, phase []tally
	kinds            map[string]*kind // by the bytes of key
	touched          []*tally
	coefs            []Coef
	key              []difference
	text             []byte
}

// difference is how many more of a piece one side has.
type difference struct{ feature, n int }

// kind is a difference of material.
type kind struct {
	name string
	tally
}

// calibrate measures the predictions of the weights.
func (f *fitting) calibrate(w vector) (Calibration, error) {
	c := calibrator{f: f, w: w, material: map[int]string{}, kinds: map[string]*kind{},
		predicted: make([]tally, predictedBins), phase: make([]tally, phaseBins+1)}
	for i, n := range f.data.Features {
		if piece, ok := strings.CutPrefix(n, "material."); ok {
			c.material[i] = piece
		}
	}
	for s := range Sets {
		f.data.each(s, func(r *record) bool {
			if r.first {
				c.close()
				if f.ctx.Err() != nil {
					return false
				}
			}
			c.add(s, r)
			return true
		})
		c.close()
	}
	var out Calibration
	for i := range c.predicted {
		from, to := float64(i)/predictedBins, float64(i+1)/predictedBins
		out.Predicted = append(out.Predicted, c.predicted[i].bin(fmt.Sprintf("%.0f–%.0f %%", 100*from, 100*to), from, to))
	}
	for i := range c.phase {
		x := float64(i) / phaseBins
		out.Phase = append(out.Phase, c.phase[i].bin(fmt.Sprintf("%d/%d", i, phaseBins), x, x))
	}
	out.Material = c.materials()
	return out, f.ctx.Err()
}

func (c *calibrator) add(s Set, r *record) {
	score := r.dot(c.w)
	p, actual := c.f.model.expect(score), float64(r.result)/2
	if s == Test {
		c.touch(&c.predicted[min(int(p*predictedBins), predictedBins-1)]).add(p, actual)
	}
	phase := 0.0
	if all := r.mg + r.eg; all > 0 {
		phase = min(max(r.mg/all, 0), 1)
	}
	t := c.touch(&c.phase[int(math.Round(phase*phaseBins))])
	if score >= 0 {
		t.add(p, actual)
	} else {
		t.add(1-p, 1-actual)
	}
	if len(c.material) > 0 {
		c.addMaterial(r, p, actual)
	}
}

func (c *calibrator) touch(t *tally) *tally {
	if !t.open {
		c.touched = append(c.touched, t)
	}
	return t
}

// addMaterial tallies by the difference of the pieces.
func (c *calibrator) addMaterial(r *record, p, actual float64) {
	c.key = c.key[:0]
	c.coefs = r.raw(c.coefs[:0])
	for _, x := range c.coefs {
		n := int(math.Round(x.MG))
		if n == 0 || c.material[x.Index] == "" {
			continue
		}
		if i := slices.IndexFunc(c.key, func(d difference) bool { return d.feature == x.Index }); i >= 0 {
			c.key[i].n += n
			continue
		}
		c.key = append(c.key, difference{x.Index, n})
	}
	if len(c.key) == 0 {
		return
	}
	if c.turn() {
		p, actual = 1-p, 1-actual
	}
	c.text = c.text[:0]
	for _, d := range c.key {
		c.text = binary.LittleEndian.AppendUint32(c.text, uint32(d.feature))
		c.text = binary.LittleEndian.AppendUint32(c.text, uint32(int32(d.n)))
	}
	t := c.kinds[string(c.text)]
	if t == nil {
		t = &kind{name: c.name()}
		c.kinds[string(c.text)] = t
	}
	c.touch(&t.tally).add(p, actual)
}

// turn orders the key and gives it to the side that has more pieces, in equal numbers the
// first piece of the list; it reports whether that is not the first player.
func (c *calibrator) turn() bool {
	slices.SortFunc(c.key, func(a, b difference) int { return a.feature - b.feature })
	sum := 0
	for _, d := range c.key {
		sum += d.n
	}
	if sum > 0 || sum == 0 && c.key[0].n > 0 {
		return false
	}
	for i := range c.key {
		c.key[i].n = -c.key[i].n
	}
	return true
}

// name returns what the key says, such as "2 horses for rook".
func (c *calibrator) name() string {
	var more, less []string
	for _, d := range c.key {
		n, piece, list := d.n, c.material[d.feature], &more
		if n < 0 {
			n, list = -n, &less
		}
		if n > 1 {
			piece = fmt.Sprint(n, " ", piece, "s")
		}
		*list = append(*list, piece)
	}
	name := strings.Join(more, " + ")
	if len(less) > 0 {
		name += " for " + strings.Join(less, " + ")
	}
	return name
}

func (c *calibrator) close() {
	for _, t := range c.touched {
		t.close()
	}
	c.touched = c.touched[:0]
}

// materials returns the kinds of material with the surest faults.
func (c *calibrator) materials() []Bin {
	var out []Bin
	for _, t := range c.kinds {
		if t.games >= materialGames {
			out = append(out, t.bin(t.name, 0, 0))
		}
	}
	sure := func(b *Bin) float64 { return math.Abs(b.Residual()) / max(b.Error, 1e-9) }
	slices.SortFunc(out, func(a, b Bin) int { return cmp.Or(cmp.Compare(sure(&b), sure(&a)), cmp.Compare(a.Name, b.Name)) })
	return out[:min(len(out), materialShown)]
}
