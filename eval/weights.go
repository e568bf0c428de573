package eval

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the default weights
	"encoding/hex"
	"fmt"
)

// Pair is one weight in centipawns for the middlegame and the endgame.
type Pair struct {
	MG int `json:"mg"`
	EG int `json:"eg"`
}

// Confidence is what a fit knows of one weight: standard errors in centipawns and how
// many positions had the feature. The zero value says that nothing is known.
type Confidence struct {
	MG, EG float64
	Count  int
}

// Weights are the values of all features and the scales of endings. They are a value: two evaluators with
// different weights share nothing.
type Weights struct {
	Values     [Features]Pair
	Ending     [Endings]int      // scales of endings by class, 1 to MaxEnding
	Confidence []Confidence      // by feature, or nil for weights set by hand
	Provenance map[string]string // where they come from: author, run, data, k, losses …
}

//go:embed weights/default.toml
var defaultFile []byte

// Default returns a copy of the weights embedded in the program.
func Default() *Weights {
	w, err := Parse(bytes.NewReader(defaultFile))
	if err != nil {
		panic("eval: the embedded weights are not valid: " + err.Error())
	}
	return w
}

// Hash returns the SHA-256 of the names and values, without their provenance.
func (w *Weights) Hash() string {
	h := sha256.New()
	for _, g := range groups {
		fmt.Fprintln(h, g.Name, w.Values[g.First:g.First+g.Size])
	}
	fmt.Fprintln(h, endingName, w.Ending)
	return hex.EncodeToString(h.Sum(nil))
}
