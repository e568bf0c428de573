package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

// summary computes how the run stands from its rows.
func (s *sitting) summary(rows []results.Row, stopped string) (*report.Summary, error) {
	return report.Summarize(report.Input{
		Run: *s.run, Rows: rows, Test: s.sprt, Conditions: s.conditions(), StoppedBy: stopped, Elapsed: playing(rows),
	})
}

// conditions returns the limits if all engines have the same.
func (s *sitting) conditions() string {
	text := ""
	for i := range s.m.Engines {
		e := &s.m.Engines[i]
		c := fmt.Sprintf("%s threads=%d hash=%d", e.LimitText(), e.Threads, e.Hash)
		if i > 0 && c != text {
			return ""
		}
		text = c
	}
	return text
}

// playing returns how long at least one of the games was being played.
func playing(rows []results.Row) time.Duration {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b results.Row) int { return a.Started.Compare(b.Started) })
	var total time.Duration
	var until time.Time
	for _, r := range rows {
		from := r.Started
		if from.Before(until) {
			from = until
		}
		if r.Ended.After(from) {
			total += r.Ended.Sub(from)
			until = r.Ended
		}
	}
	return total
}

// show prints the result.
func (s *sitting) show(sum *report.Summary) error {
	if s.flags.asJSON {
		return printJSON(s.con, sum)
	}
	_, err := fmt.Fprint(s.con.out, sum.Text())
	return err
}
