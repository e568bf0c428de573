package stats

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSPRT(t *testing.T) {
	for text, want := range map[string]SPRT{
		"":                    {Normalized, 0, 5, 0.05, 0.05},
		"gain":                {Normalized, 0, 5, 0.05, 0.05},
		"fast":                {Normalized, 0, 10, 0.05, 0.05},
		"strict":              {Normalized, 0, 3, 0.05, 0.05},
		"simplify":            {Normalized, -5, 0, 0.05, 0.05},
		"0,5":                 {Normalized, 0, 5, 0.05, 0.05},
		"[-1.5, 2]":           {Normalized, -1.5, 2, 0.05, 0.05},
		"0,20,model=logistic": {Logistic, 0, 20, 0.05, 0.05},
		"strict,alpha=.01":    {Normalized, 0, 3, 0.01, 0.05},
		"alpha=0.1":           {Normalized, 0, 5, 0.1, 0.05},
		"elo0=-3,elo1=1,alpha=.05,beta=.1,model=logistic": {Logistic, -3, 1, 0.05, 0.1},
		"elo0=0 elo1=5 alpha=0.05 beta=0.05":              {Normalized, 0, 5, 0.05, 0.05}, // fastchess's words
	} {
		if got, err := ParseSPRT(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseSPRTErrors(t *testing.T) {
	for text, want := range map[string]string{
		"quick":                  `sprt "quick": must be gain, fast, strict, simplify`,
		"0":                      "two, as 0,5",
		"0,5,7":                  "name=value",
		"5,0":                    "elo1 0: must be above elo0",
		"0,0":                    "elo1 0: must be above elo0",
		"elo0=0":                 "given both",
		"elo2=5":                 `"elo2": no such field; there are elo0, elo1, alpha, beta, model`,
		"elo0=0,elo1=x":          `elo1 "x": must be a number`,
		"0,5,elo1=7":             "given twice",
		"gain,elo0=1,elo1=2":     "given twice",
		"gain fast":              "a preset comes first",
		"0,5,gain":               "a preset comes first",
		"alpha=.05,alpha=.05":    "alpha: given twice",
		"alpha=0":                "alpha 0: must be from",
		"alpha=1":                "alpha 1: must be from",
		"beta=NaN":               "beta NaN: must be from",
		"alpha=.6,beta=.5":       "their sum must be under 1",
		"model=normal":           `model "normal": must be normalized`,
		"model=bayesian":         "must be normalized or logistic",
		"NaN,5":                  "elo0 NaN: must be from",
		"0,Inf":                  "elo1 +Inf: must be from",
		"elo0=0,elo1=5,0":        "name=value",
		"model=logistic,simplfy": "name=value",
	} {
		got, err := ParseSPRT(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestParseSPRTReadsString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTest(t, Normalized, Logistic)
		if got, err := ParseSPRT(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	})
}

func FuzzParseSPRT(f *testing.F) {
	for _, s := range []string{"", "gain", "[0,5]", "elo0=0,elo1=5,alpha=.05,beta=.05,model=logistic", "0,,5=", "1e400,2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSPRT(text)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%q gives %v, which is not valid: %v", text, s, err)
		}
		if _, err := NewSequential(s); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
