package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"arena -engine cmd=./a name=a tc=10+0.1 -engine cmd=./b name=b -each option.Hash=16 -rounds 50 -games 2 -repeat -recover -concurrency 2",
			"arena --engine cmd=./a,name=a,tc=10+0.1 --engine cmd=./b,name=b --each option.Hash=16 --concurrency=2 --pairs 50"},
		{"arena --engine name=a,nodes=5 --games 4", "arena --engine name=a,nodes=5 --games 4"},
		{"arena -engine cmd=/a,b/x name=q", `arena --engine cmd=/a\,b/x,name=q`},
		{"arena -sprt elo0=-5 elo1=0 alpha=0.05 beta=0.05", "arena --sprt=elo0=-5,elo1=0,alpha=0.05,beta=0.05"},
		{"arena -sprt -concurrency -2", "arena --sprt --concurrency=-2"},
		{"arena --sprt --db x", "arena --sprt --db x"},
		{"arena -openings file=x.epd format=epd order=random plies=4 -srand 3 -maxmoves 100", "arena --openings x.epd,order=random,plies=4 --seed=3 --max-plies 200"},
		{"arena -pgnout file=x.pgn min=true -games 6 -h", "arena --pgn x.pgn -h --games 6"},
		{"arena -variant xiangqi -ratinginterval 10 -resign movecount=3 score=600", "arena --resign=movecount=3,score=600"},
		{"arena -use-affinity 0,2 -games 2", "arena --affinity=0,2 --games 2"},
		{"arena --affinity --db x.db", "arena --affinity --db x.db"},
		{"arena -db x.db -json", "arena --db x.db --json"},
		{"perft -fen x", "perft -fen x"},
	} {
		got, _, err := translate(strings.Fields(c.line))
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s\n  %s\nwant\n  %s (%v)", c.line, strings.Join(got, " "), c.want, err)
		}
	}
	for _, line := range []string{"arena -rounds x", "arena -rounds", "arena -engine", "arena -rounds 5 -games 1", "arena -openings a b"} {
		if _, _, err := translate(strings.Fields(line)); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}
