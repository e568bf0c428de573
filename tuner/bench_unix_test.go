//go:build unix

package tuner

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	benchSpeed  = flag.Bool("speed", false, "measure the tuner's speed")
	benchPeer   = flag.String("texel", "", "folder of texel-tuner's sources, to measure it in turn")
	benchRounds = flag.Int("rounds", 7, "passes")
	benchSize   = flag.Int("positions", 1_000_000, "positions of the measurement")
	benchLarge  = flag.Bool("large", false, "fit to a set of -positions that does not fit into memory")
)

// cpu returns the processor time of this process.
func cpu(t testing.TB) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// quickSample fills s with 36 features of 700. As with the built-in evaluation in games, 91
// in a hundred are 1 or −1 and 7 are 2 or −2.
func quickSample(rng *rand.Rand, s *Sample) {
	*s = Sample{Result: rng.IntN(3), Score: -32768, MG: float64(rng.IntN(25)) / 24, Coefs: s.Coefs[:0]}
	s.EG = 1 - s.MG
	at := -1
	for range 36 {
		at += 1 + rng.IntN(37)
		if at >= 700 {
			break
		}
		n := float64(1 - 2*rng.IntN(2))
		switch rng.IntN(55) {
		case 0:
			n *= float64(3 + rng.IntN(3))
		case 1, 2, 3, 4:
			n *= 2
		}
		s.Coefs = append(s.Coefs, Coef{at, n, n})
	}
}

// TestSpeed measures passes, one thread, in positions per second of processor time: make
// bench-tuner.
func TestSpeed(t *testing.T) {
	if !*benchSpeed {
		t.Skip("a measurement; run by make bench-tuner")
	}
	const features = 700
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	peer := newPeer(t, dir, features)
	var s Sample
	coefs := 0
	w, err := Create(filepath.Join(dir, "set"), Info{Key: "speed", Features: names(features)})
	if err != nil {
		t.Fatal(err)
	}
	var g Game
	for i := 0; i < *benchSize; {
		g.Reset("opening 1") // of the training set
		for range 40 {
			quickSample(rng, &s)
			coefs += len(s.Coefs)
			if err := g.Add(&s); err != nil {
				t.Fatal(err)
			}
			peer.add(&s)
			i++
		}
		if err := w.Put(&g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(filepath.Join(dir, "set"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := float64(d.Positions())
	t.Logf("%.0f positions, %.1f coefficients and %.1f bytes each", n, float64(coefs)/n, float64(d.Bytes)/n)
	f := &fitting{Options: Options{Threads: 1}, ctx: t.Context(), data: d, model: model{loss: Squared, k: 2.4 / 400, lambda: 1}}
	f.Loss = Squared
	var own, others []float64
	peer.start(t)
	for round := range *benchRounds {
		began := cpu(t)
		slope, err := f.gradient(Train, peer.weights)
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, n/(cpu(t)-began).Seconds()/1e6)
		if peer.run != "" {
			speed, first := peer.pass(t)
			others = append(others, speed*n/1e6)
			if math.Abs(first-slope.grad[0][0]) > 1e-9 {
				t.Errorf("round %d: the derivative by the first weight is %v here, %v there", round, slope.grad[0][0], first)
			}
		}
	}
	slices.Sort(own)
	t.Logf("gradient: %.2f million positions per CPU-second (median of %.2f)", own[len(own)/2], own)
	if len(others) > 0 {
		slices.Sort(others)
		t.Logf("texel-tuner, measured in turn: %.2f (median of %.2f); ratio %.2f", others[len(others)/2], others, own[len(own)/2]/others[len(others)/2])
	}
	began := cpu(t)
	if _, err := f.curvature(peer.weights); err != nil {
		t.Fatal(err)
	}
	t.Logf("normal equations: %.2f million positions per CPU-second", n/(cpu(t)-began).Seconds()/1e6)
}

// TestLarge writes a set as large as asked, with results by hidden weights, and fits to it
// as tune does by default but for the prior, which is given. It tells times and memory, and
// fails where the weights found are not the hidden ones: make bench-tuner-large.
func TestLarge(t *testing.T) {
	if !*benchLarge {
		t.Skip("a measurement; run by make bench-tuner-large")
	}
	const features, each = 700, 40
	path := filepath.Join(t.TempDir(), "large")
	truth := newTruth(3, features, 60)
	w, err := Create(path, Info{Key: "large", Features: names(features)})
	if err != nil {
		t.Fatal(err)
	}
	memory := watchMemory(t)
	begun, used := time.Now(), cpu(t)
	told := func(what string) {
		t.Logf("%-28s %8.0f s, %8.0f CPU-s; %s", what, time.Since(begun).Seconds(), (cpu(t) - used).Seconds(), memory())
		begun, used = time.Now(), cpu(t)
	}
	var s Sample
	var g Game
	for i := 0; i < *benchSize; i += each {
		g.Reset(fmt.Sprint("opening ", i))
		for range each {
			quickSample(truth.rng, &s)
			score := 0.0
			for _, c := range s.Coefs {
				score += s.MG*c.MG*truth.weights[c.Index][0] + s.EG*c.EG*truth.weights[c.Index][1]
			}
			s.Result = truth.outcome(sigmoid(truth.k * score))
			if err := g.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Put(&g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	told(fmt.Sprintf("written, %d × %.1f bytes", d.Positions(), float64(d.Bytes)/float64(d.Positions())))
	o := Options{Start: make([][2]float64, features), K: truth.k, Prior: 256}
	o.Save = func(s Step, _ []byte) error {
		told(fmt.Sprintf("step %d, validation %.6f", s.Number, s.Validation))
		return nil
	}
	r, err := Fit(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	told("errors, test, calibration")
	var off, far float64
	for _, w := range r.Weights {
		z := (w.Value - truth.weights[w.Feature][w.Phase]) / w.Error
		off += z * z / float64(len(r.Weights))
		far = max(far, math.Abs(z))
	}
	t.Logf("loss %.6f before, %.6f after; the weights are %.2f standard errors from the hidden ones (root mean square; 1 is right), at most %.1f", r.Start.Test, r.End.Test, math.Sqrt(off), far)
	if off > 2 {
		t.Error("the weights found are not the hidden ones")
	}
}

// watchMemory returns a function that tells the most memory that the process has had of its own, and
// with the pages of the file that the system kept for it, since it was called last.
func watchMemory(t *testing.T) func() string {
	var anon, all atomic.Int64 // KiB
	go func() {
		for t.Context().Err() == nil {
			status, _ := os.ReadFile("/proc/self/status") // where there is none, 0 is told
			kb := map[string]int64{}
			for line := range strings.Lines(string(status)) {
				if name, rest, ok := strings.Cut(line, ":"); ok {
					var n int64
					if _, err := fmt.Sscan(rest, &n); err == nil {
						kb[name] = n
					}
				}
			}
			anon.Store(max(anon.Load(), kb["RssAnon"]))
			all.Store(max(all.Load(), kb["VmRSS"]))
			time.Sleep(time.Second)
		}
	}()
	return func() string {
		return fmt.Sprintf("%d MB own, %d MB resident at most", anon.Swap(0)>>10, all.Swap(0)>>10)
	}
}

// peer is another tuner measured on the same set.
type peer struct {
	weights vector
	run     string // the program, "" without one
	file    *os.File
	out     *bufio.Writer
}

func newPeer(t *testing.T, dir string, features int) *peer {
	p := &peer{weights: newTruth(3, features, 60).weights}
	if *benchPeer == "" {
		return p
	}
	p.run = filepath.Join(dir, "peer")
	src := filepath.Join(*benchPeer, "src")
	build := exec.Command("g++", "-std=c++20", "-O3", "-march=native", "-ffast-math", "-w", "-pthread", "-DTAPERED=1", "-I", src, "-o", p.run,
		"testdata/peer.cpp", filepath.Join(src, "threadpool.cpp"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var err error
	if p.file, err = os.Create(filepath.Join(dir, "peer.set")); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewWriterSize(p.file, 1<<20)
	p.write(uint32((*benchSize+39)/40*40), uint32(features))
	for _, w := range p.weights {
		p.write(w[0], w[1])
	}
	return p
}

func (p *peer) write(values ...any) {
	for _, v := range values {
		if err := binary.Write(p.out, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func (p *peer) add(s *Sample) {
	if p.run == "" {
		return
	}
	b := make([]byte, 0, 6+4*len(s.Coefs))
	b = binary.LittleEndian.AppendUint16(b, uint16(s.Result))
	b = binary.LittleEndian.AppendUint16(b, uint16(math.Round(24*s.MG)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s.Coefs)))
	for _, c := range s.Coefs {
		b = binary.LittleEndian.AppendUint16(b, uint16(c.Index))
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(c.MG)))
	}
	if _, err := p.out.Write(b); err != nil {
		panic(err)
	}
}

func (p *peer) start(t *testing.T) {
	if p.run == "" {
		return
	}
	if err := p.out.Flush(); err != nil {
		t.Fatal(err)
	}
	p.file.Close()
}

// pass runs the other tuner for two passes, of which the second counts, and returns
// passes per CPU-second and its derivative by the first weight.
func (p *peer) pass(t *testing.T) (speed, first float64) {
	out, err := exec.Command(p.run, p.file.Name(), "2").Output()
	if err != nil {
		t.Fatal(err)
	}
	var a, b, seconds float64
	if _, err := fmt.Sscan(string(out), &a, &b, &seconds, &first); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return 1 / seconds, first
}
