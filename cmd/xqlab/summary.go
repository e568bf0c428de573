package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/results/stats"
)

// summarize computes how a run stands from what is stored of it. Stopped is why it or the
// sitting ended, empty while it runs; test is the running test, nil to read the pairs anew.
func summarize(ctx context.Context, db *results.Store, run *results.Run, stopped string, test *stats.Sequential) (*report.Summary, error) {
	rows, err := db.Rows(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	in := report.Input{Run: *run, Rows: rows, StoppedBy: stopped, Elapsed: playing(rows), Sequential: test}
	if run.Kind == "match" {
		m, err := spec.ParseTOML("run "+run.ID, run.Config)
		if err != nil {
			return nil, err
		}
		in.Event, in.Conditions, in.Anchors, in.Clocks = m.Event, conditions(m), anchors(m), clocks(m)
		if in.Test, err = testOf(m); err != nil {
			return nil, err
		}
	}
	return report.Summarize(in)
}

// testOf returns the match's SPRT, nil without one.
func testOf(m *spec.Match) (*stats.SPRT, error) {
	if !m.SPRTSet {
		return nil, nil
	}
	test, err := stats.ParseSPRT(m.SPRT)
	return &test, err
}

// anchors returns the ratings that are given, by engine.
func anchors(m *spec.Match) map[int]float64 {
	given := map[int]float64{}
	for i := range m.Engines {
		if a := m.Engines[i].Anchor; a != nil {
			given[i] = *a
		}
	}
	return given
}

// clocks returns the engines' clocks that last the game, as far as they are those of the match.
func clocks(m *spec.Match) []report.Clock {
	all := make([]report.Clock, len(m.Engines))
	for i := range m.Engines {
		if l := m.Engines[i].Limits; l.MovesTo == 0 && m.ScaleTC == 0 {
			all[i] = report.Clock{Base: l.Time, Inc: l.Inc}
		}
	}
	return all
}

// conditions returns the limits and settings: one text if all engines have the same, each one's
// for two engines that differ, none for more.
func conditions(m *spec.Match) string {
	texts := make([]string, len(m.Engines))
	for i := range m.Engines {
		e := &m.Engines[i]
		texts[i] = fmt.Sprintf("%s threads=%d hash=%d%s", e.LimitText(), e.Threads, e.Hash, settingsText(e))
	}
	switch same := slices.Compact(slices.Clone(texts)); {
	case len(same) == 1:
		return same[0]
	case len(texts) == 2:
		return fmt.Sprintf("%s %s against %s %s", m.Engines[0].Name, texts[0], m.Engines[1].Name, texts[1])
	}
	return ""
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

// showSummary prints a summary in a format: text, json, openbench, fishtest or markdown.
func showSummary(con *console, sum *report.Summary, format string) error {
	text, err := "", error(nil)
	switch format {
	case "json":
		return printJSON(con, sum)
	case "text":
		text = sum.Text()
	case "openbench":
		text, err = sum.OpenBench()
	case "fishtest":
		text, err = sum.Fishtest()
	case "markdown":
		text = sum.Markdown()
	default:
		return usagef("--format %q, want text, openbench, fishtest or markdown", format)
	}
	if err == nil {
		_, err = fmt.Fprint(con.out, text)
	}
	return err
}
