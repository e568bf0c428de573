package main

import (
	"fmt"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

type summary struct {
	Run       string `json:"run"`
	Games     int `json:"games"`
	StoppedBy string `json:"stopped_by"`
	Elo stats.Elo `json:"x"`
	Penta     stats.Penta `json:"penta"`
	Engines   []map[string]any `json:"engines"`
}

func (s *sitting) summary(rows []results.Row, stopped string) (*summary, error) {
	sum := &summary{Run: s.run.ID, StoppedBy: stopped}
	x := scoreboard{s: s, legs: map[int][2]results.Result{}}
	for _, r := range rows { x.count(r); if r.Result != results.NotPlayed { sum.Games++ } }
	sum.Penta = x.penta
	sum.Elo = x.penta.Elo()
	for i := range s.run.Engines {
		m := map[string]any{"name": s.run.Engines[i].Name}
		w, d, l := 0,0,0
		for _, r := range rows {
			switch {
			case r.Red != i && r.Black != i || r.Result == results.NotPlayed:
			case r.Result == results.Drawn: d++
			case (r.Result == results.RedWins) == (r.Red == i): w++
			default: l++
			}
		}
		m["wins"], m["draws"], m["losses"] = w, d, l
		sum.Engines = append(sum.Engines, m)
	}
	return sum, nil
}

func (s *sitting) show(sum *summary, rows []results.Row) error {
	if s.flags.asJSON { return printJSON(s.con, sum) }
	reasons := map[results.Reason]int{}
	for _, r := range rows { reasons[r.Reason]++ }
	fmt.Fprintln(s.con.out, sum.Engines, sum.Penta, reasons)
	fmt.Fprintf(s.con.out, "%+v\n", sum.Elo)
	return nil
}
