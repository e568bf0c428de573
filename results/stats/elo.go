package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Z95 is the normal quantile of a two-sided interval of 95 %.
const Z95 = 1.959963984540054

// NEloPerSigma is the normalized Elo of a mean score one standard deviation of a game
// above ½: 800/ln 10, so that it equals Elo in the limit of small differences without draws.
const NEloPerSigma = 347.43558552260146

// MaxElo is the Elo of a score of 0.999, the largest that is printed: a clean score says no
// more than that the difference is large.
const MaxElo = 1199.826195290393

// MaxNElo is the normalized Elo of an engine that wins all games but one in 500, which it draws
// (score 0.999), and the largest that is printed.
const MaxNElo = 7761

// maxLead is the score over ½ at which Elo is cut off.
const maxLead = 0.499

// Elo is what a match says of the first engine's strength against the second's. Every number is
// finite for any counts. Elo and nElo may be added to nothing: they describe this pairing.
type Elo struct {
	// Games counts single games.
	Games int `json:"games"`
	// Score is the mean score of a game, from 0 to 1; ½ without games.
	Score float64 `json:"score"`
	// Elo is −400·log10(1/score−1), within ±MaxElo.
	Elo float64 `json:"elo"`
	// EloError is half the width of the interval of 95 %: the Elo of score ± Z95 standard
	// errors, at most MaxElo (also without games).
	EloError float64 `json:"elo_error"`
	// NElo is the normalized Elo, within ±MaxNElo: NEloPerSigma·(score−½)/σ, σ the standard deviation of a
	// game (of a pair times √2).
	NElo float64 `json:"nelo"`
	// NEloError is half the width of its interval of 95 %, Z95·NEloPerSigma/√games,
	// at most MaxNElo.
	NEloError float64 `json:"nelo_error"`
	// LOS is the likelihood of superiority, from 0 to 1: the normal probability that the
	// true score is above ½. Draws count as what they are, evidence of equality.
	LOS float64 `json:"los"`
	// DrawRate is the share of games drawn. Counts of pairs only bound it, since a level pair may be
	// two draws or two decided games: then it is the middle of the bounds.
	DrawRate float64 `json:"draw_rate"`
	// DrawnPairs is the share of pairs that ended level; 0 without pairs.
	DrawnPairs float64 `json:"drawn_pairs"`
	// PairsRatio is pairs won by pairs lost, at most MaxPairsRatio. With no pair lost, half a
	// one is assumed; it is 1 when none was won either, and 0 without pairs.
	PairsRatio float64 `json:"pairs_ratio"`
	// Confidence is that of the intervals, 0.95.
	Confidence float64 `json:"confidence"`
}

// MaxPairsRatio bounds Elo.PairsRatio.
const MaxPairsRatio = 1e5

// Elo returns the strength shown by the pairs.
func (p Penta) Elo() Elo {
	e := p.cells().elo(float64(p.Pairs()))
	e.Games = 2 * p.Pairs()
	if e.Games == 0 {
		return e
	}
	n := float64(p.Pairs())
	e.Score = (float64(p[1]) + 2*float64(p[2]) + 3*float64(p[3]) + 4*float64(p[4])) / (4 * n)
	e.DrawnPairs = float64(p[2]) / n
	e.DrawRate = (float64(p[1]) + float64(p[2]) + float64(p[3])) / (2 * n)
	e.PairsRatio = ratio(float64(p[3])+float64(p[4]), float64(p[0])+float64(p[1]))
	return e
}

// Elo returns the strength shown by the games, taken as independent. Of games that were
// played in pairs it gives too large an error; use Penta there.
func (w WDL) Elo() Elo {
	e := w.cells().elo(float64(w.Games()))
	e.Games = w.Games()
	if e.Games > 0 {
		e.Score = (float64(w.W) + float64(w.D)/2) / float64(e.Games)
		e.DrawRate = float64(w.D) / float64(e.Games)
	}
	return e
}

func ratio(won, lost float64) float64 {
	if won == 0 && lost == 0 {
		return 1
	}
	return math.Min(won/math.Max(lost, 0.5), MaxPairsRatio)
}

// elo computes what follows from mean and variance; observed is the number of observations.
func (c cells) elo(observed float64) Elo {
	e := Elo{Score: 0.5, EloError: MaxElo, NEloError: MaxNElo, LOS: 0.5, Confidence: 0.95}
	if observed == 0 {
		return e
	}
	lead, variance := c.moments()
	se := math.Sqrt(variance / c.n)
	e.Elo = eloOfLead(lead)
	e.EloError = (eloOfLead(lead+Z95*se) - eloOfLead(lead-Z95*se)) / 2
	e.NElo = clamp(NEloPerSigma*lead/c.gameSigma(variance), -MaxNElo, MaxNElo)
	e.NEloError = Z95 * NEloPerSigma / math.Sqrt(c.perGame*observed)
	e.LOS = distuv.UnitNormal.CDF(lead / se)
	return e
}

// EloOfScore returns the logistic Elo difference of a mean score, within ±MaxElo.
func EloOfScore(score float64) float64 { return eloOfLead(score - 0.5) }

// eloOfLead returns the Elo of a score of ½+lead.
func eloOfLead(lead float64) float64 {
	lead = clamp(lead, -maxLead, maxLead)
	return 400 / math.Ln10 * (math.Log1p(2*lead) - math.Log1p(-2*lead))
}

// ScoreOfElo returns the expected score at a logistic Elo difference: 1/(1+10^(−elo/400)).
func ScoreOfElo(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// leadOfElo returns ScoreOfElo less ½, with all digits for small differences.
func leadOfElo(elo float64) float64 { return math.Tanh(elo*math.Ln10/800) / 2 }

func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
