package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// SpeedText returns measured speeds as tables for a terminal, one for each suite and
// signature: what did other work stands in another table.
func SpeedText(list []*results.Bench) string {
	var b strings.Builder
	for i, group := range speedGroups(list) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(speedTitle(group[0]) + "\n\n" + speedTable(group).text())
		if note := busyNote(group); note != "" {
			b.WriteString("\n" + note + "\n")
		}
	}
	return b.String()
}

// SpeedMarkdown returns measured speeds as Markdown tables, one for each suite and
// signature.
func SpeedMarkdown(list []*results.Bench) string {
	var b strings.Builder
	for i, group := range speedGroups(list) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("**" + speedTitle(group[0]) + "**\n\n" + speedTable(group).markdown())
		if note := busyNote(group); note != "" {
			b.WriteString("\n" + note + "\n")
		}
	}
	return b.String()
}

// SpeedRows returns a row of a Markdown table for each speed, to put under others. The
// suite and signature stand in the row.
func SpeedRows(list []*results.Bench) string {
	t := &table{head: append([]string{"suite"}, speedHead...)}
	for _, b := range list {
		t.add(append([]string{printable(b.Suite) + " " + cmp.Or(b.Tree, b.Signature)}, speedCells(b)...)...)
	}
	_, rows, _ := strings.Cut(t.markdown(), "|\n|---")
	_, rows, _ = strings.Cut(rows, "\n")
	return rows
}

// speedGroups parts speeds by what may stand in one table, and orders each part: what
// was set alike together, the fastest first.
func speedGroups(list []*results.Bench) (groups [][]*results.Bench) {
	at := map[string]int{}
	for _, b := range list {
		i, ok := at[b.Key()]
		if !ok {
			i = len(groups)
			at[b.Key()], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], b)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *results.Bench) int {
			return cmp.Or(cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.Processes, b.Processes), cmp.Compare(coreOf(a), coreOf(b)), cmp.Compare(b.Median, a.Median))
		})
	}
	return groups
}

func coreOf(b *results.Bench) int {
	if b.Core == nil {
		return -1
	}
	return *b.Core
}

func speedTitle(b *results.Bench) string {
	who := ""
	if b.Engine != "" {
		who = printable(b.Engine) + ", "
	}
	return fmt.Sprintf("%ssuite %s, signature %s, %s a second", who, printable(b.Suite), printable(cmp.Or(b.Tree, b.Signature)), printable(b.Unit))
}

var speedHead = []string{"machine", "processor", "cores", "system", "build", "threads", "processes", "median", "95 %", "runs", "clock", "of a core", "efficiency"}

// speedWords are those of its columns that hold words.
var speedWords = []string{"processor", "system", "build", "clock"}

func speedTable(list []*results.Bench) *table {
	t := &table{head: speedHead, words: speedWords}
	for _, b := range list {
		t.add(speedCells(b)...)
	}
	t.dropEmpty()
	return t
}

// dropEmpty leaves columns out in which there is nothing but –.
func (t *table) dropEmpty() {
	for i := len(t.head) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "–" }) {
			continue
		}
		t.head = slices.Delete(slices.Clone(t.head), i, i+1)
		for r := range t.rows {
			t.rows[r] = slices.Delete(t.rows[r], i, i+1)
		}
	}
}

func speedCells(b *results.Bench) []string {
	h := &b.Host
	interval := "–"
	if len(b.Samples) > 1 {
		interval = speed(b.Low) + " to " + speed(b.High)
	}
	threads := strconv.Itoa(b.Threads)
	if b.Core != nil {
		threads += " on core " + strconv.Itoa(*b.Core)
	}
	efficiency := "–"
	switch {
	case b.Efficiency > 0:
		efficiency = percent(b.Efficiency) + " %"
	case b.Sustained > 0:
		efficiency = percent(b.Sustained) + " % at the end"
	}
	return []string{dash(b.Label), dash(h.CPU), coresText(h), dash(systemText(h)), buildText(b), threads, strconv.Itoa(b.Processes),
		speed(b.Median), interval, strconv.Itoa(len(b.Samples)), b.Clock, shareText(b), efficiency}
}

func dash(s string) string { return cmp.Or(strings.TrimSpace(s), "–") }

// speed writes a speed with no more digits than it has.
func speed(x float64) string {
	if x < 10000 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return grouped(x)
}

func coresText(h *results.Host) string {
	text := strconv.Itoa(h.LogicalCores)
	if h.PhysicalCores > 0 && h.PhysicalCores != h.LogicalCores {
		text = fmt.Sprintf("%d (%d threads)", h.PhysicalCores, h.LogicalCores)
	}
	if h.SlowCores > 0 {
		text += fmt.Sprintf(", %d fast and %d slow", h.FastCores, h.SlowCores)
	}
	if h.CPUQuota > 0 {
		text += ", of which " + strconv.FormatFloat(h.CPUQuota, 'f', -1, 64) + " allowed"
	}
	return text
}

func systemText(h *results.Host) string {
	text := h.OS + "/" + h.Arch
	if h.Virtual != "" {
		text += ", virtual (" + h.Virtual + ")"
	}
	return text
}

func buildText(b *results.Bench) string {
	if b.Engine != "" {
		return dash(b.Version)
	}
	text := strings.TrimSpace(b.Version + " " + b.Host.Go)
	if b.Host.GOAMD64 != "" {
		text += " " + b.Host.GOAMD64
	}
	if b.PGO {
		text += " pgo"
	}
	return text
}

// share returns the share of its cores that a measurement had, 0 when that is unknown.
func share(b *results.Bench) float64 {
	var cpu, wall float64
	for _, r := range b.Repetitions {
		cpu += r.CPU
		wall += r.Seconds * float64(b.Threads*b.Processes)
	}
	return cpu / wall
}

func shareText(b *results.Bench) string {
	if s := share(b); s > 0 {
		return percent(s) + " %"
	}
	return "–"
}

// quiet is the share of a core from which on a machine was free for the measurement.
const quiet = 0.95

// busyNote warns of measurements on a busy machine.
func busyNote(list []*results.Bench) string {
	if slices.ContainsFunc(list, func(b *results.Bench) bool { s := share(b); return s > 0 && s < quiet }) {
		return "Where a measurement had less of its cores than all (column \"of a core\") the machine was busy with other work: these speeds say little."
	}
	return ""
}

// Comparison is how fast one thing is compared with another that did the same work.
type Comparison struct {
	Suite     string             `json:"suite"`
	Signature string             `json:"signature"`
	Unit      string             `json:"unit"`
	Threads   int                `json:"threads"`
	Processes int                `json:"processes"`
	Ratio     stats.Interval     `json:"ratio"` // speed of the first by that of the second
	Level     float64            `json:"level"` // confidence of the interval
	Verdict   stats.SpeedVerdict `json:"verdict"`
	Paired    bool               `json:"paired"`               // measured in turn
	Logs      []float64          `json:"log_ratios,omitempty"` // of each round, when paired
	Note      string             `json:"note,omitempty"`
	First     []*results.Bench   `json:"first"`
	Second    []*results.Bench   `json:"second"`
}

// Rounds that a verdict needs, paired, and measurements on each side otherwise: below
// that even the same thing measured twice would too often seem to differ.
const (
	minRounds  = 8
	minSamples = 5
)

// Paired compares two things that were measured in turn; logs are the natural logarithms
// of the first's speed by the second's in each round.
func Paired(first, second *results.Bench, logs []float64) Comparison {
	c := newComparison([]*results.Bench{first}, []*results.Bench{second})
	c.Paired, c.Logs = true, logs
	c.Ratio = stats.PairedRatio(logs, stats.SpeedLevel)
	if c.Verdict = c.Ratio.Verdict(); len(logs) < minRounds {
		c.Verdict = stats.NoDifference
		c.Note = fmt.Sprintf("%d rounds are too few to tell, want %d: give it more time with --for", len(logs), minRounds)
	}
	return c
}

func newComparison(first, second []*results.Bench) Comparison {
	b := first[0]
	return Comparison{Suite: b.Suite, Signature: cmp.Or(b.Tree, b.Signature), Unit: b.Unit, Threads: b.Threads, Processes: b.Processes,
		Level: stats.SpeedLevel, First: first, Second: second}
}

// ErrIncomparable is returned when nothing on one side did the same work as anything on
// the other.
var ErrIncomparable = errors.New("nothing to compare: no suite, signature and setting that both have")

// Compare compares measurements made at different times: for each suite, signature and
// setting that both sides have, the medians. On the same machines machine by machine;
// otherwise each side has to be of one machine.
func Compare(first, second []*results.Bench) ([]Comparison, error) {
	a, b := byWork(first, false), byWork(second, false)
	if am, bm := machines(first), machines(second); slices.Equal(am, bm) {
		a, b = byWork(first, true), byWork(second, true)
	} else if len(am) > 1 || len(bm) > 1 {
		return nil, fmt.Errorf("%d machines on one side, %d on the other: name one on each with host=…", len(am), len(bm))
	}
	var list []Comparison
	for _, key := range slices.Sorted(keysOf(a)) {
		if len(b[key]) == 0 {
			continue
		}
		c := newComparison(a[key], b[key])
		x, y := samples(a[key]), samples(b[key])
		c.Ratio = stats.RatioInterval(x, y, stats.SpeedLevel)
		c.Verdict = c.Ratio.Verdict()
		switch {
		case len(x) < minSamples || len(y) < minSamples:
			c.Verdict = stats.NoDifference
			c.Note = fmt.Sprintf("%d and %d runs are too few to tell, want %d of each", len(x), len(y), minSamples)
		case len(a[key]) == 1 || len(b[key]) == 1:
			c.Note = "measured on one occasion: what differs from hour to hour is not in the interval; for two builds on one machine see bench --against"
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, ErrIncomparable
	}
	return list, nil
}

func keysOf(m map[string][]*results.Bench) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// byWork parts measurements by what may be compared.
func byWork(list []*results.Bench, byMachine bool) map[string][]*results.Bench {
	m := map[string][]*results.Bench{}
	for _, b := range list {
		key := fmt.Sprintf("%s\x00%d\x00%d\x00%d\x00%s\x00%d", b.Key(), b.Threads, b.Processes, b.HashMB, b.Clock, coreOf(b))
		if byMachine {
			key += "\x00" + machineOf(b)
		}
		m[key] = append(m[key], b)
	}
	return m
}

// machineOf names a machine by its hash, one without by its processor.
func machineOf(b *results.Bench) string { return cmp.Or(b.Host.Machine, b.Host.CPU) }

func machines(list []*results.Bench) (names []string) {
	for _, b := range list {
		names = append(names, machineOf(b))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// samples returns what a median is to be taken of: the medians of many occasions, or the
// runs of a few.
func samples(list []*results.Bench) (all []float64) {
	for _, b := range list {
		if len(list) >= minSamples {
			all = append(all, b.Median)
		} else {
			all = append(all, b.Samples...)
		}
	}
	return all
}

// Text returns the comparison in a few lines.
func (c Comparison) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "suite %s, signature %s, %s thread(s), %d process(es)\n", printable(c.Suite), printable(c.Signature), strconv.Itoa(c.Threads), c.Processes)
	t := &table{head: []string{"", "machine", "build", c.Unit + "/s", "runs", "of a core"}}
	for i, side := range [][]*results.Bench{c.First, c.Second} {
		x := samples(side)
		t.add([]string{"first", "second"}[i], dash(cmp.Or(side[0].Label, side[0].Host.CPU)), dash(cmp.Or(side[0].Engine, buildText(side[0]))), speed(stats.Median(x)), strconv.Itoa(len(x)), shareText(side[0]))
	}
	b.WriteString(t.text())
	how := "measured apart"
	if c.Paired {
		how = fmt.Sprintf("%d rounds in turn, by %s time", len(c.Logs), map[string]string{results.CPUClock: "processor", results.WallClock: "wall"}[c.First[0].Clock])
	}
	fmt.Fprintf(&b, "first against second: %s (%s, %s %% interval %s to %s; %s)\n", c.Verdict, change(c.Ratio.Value), strconv.FormatFloat(100*c.Level, 'f', -1, 64), change(c.Ratio.Low), change(c.Ratio.High), how)
	if c.Note != "" {
		b.WriteString(c.Note + "\n")
	}
	return b.String()
}

// change writes a ratio as a change in per cent.
func change(ratio float64) string {
	if math.IsNaN(ratio) {
		return "–"
	}
	return fmt.Sprintf("%+.2f %%", 100*(ratio-1))
}

// HistoryText returns speeds in order of time, one table for each suite and signature.
func HistoryText(list []*results.Bench) string {
	var b strings.Builder
	for i, group := range speedGroups(list) {
		slices.SortStableFunc(group, func(x, y *results.Bench) int { return x.Created.Compare(y.Created) })
		if i > 0 {
			b.WriteByte('\n')
		}
		t := &table{head: []string{"when", "id", "machine", "build", "threads", "processes", "median", "95 %", "runs", "of a core"}}
		for _, x := range group {
			c := speedCells(x)
			t.add(x.Created.UTC().Format("2006-01-02 15:04"), idEnd(x.ID), dash(cmp.Or(x.Label, x.Host.CPU)), c[4], c[5], c[6], c[7], c[8], c[9], c[11])
		}
		b.WriteString(speedTitle(group[0]) + "\n\n" + t.text())
	}
	return b.String()
}

// idEnd returns the end of a UUIDv7, whose beginning is the time.
func idEnd(id string) string { return id[max(len(id)-12, 0):] }
