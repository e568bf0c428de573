package results

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/movegen"
)

func drawPly(t *rapid.T) Ply {
	us := func(name string) time.Duration {
		return time.Duration(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, math.MaxInt64/1000)).Draw(t, name)) * time.Microsecond
	}
	square := rapid.IntRange(0, movegen.Squares-1)
	return Ply{
		Move:  movegen.NewMove(movegen.Square(square.Draw(t, "from")), movegen.Square(square.Draw(t, "to"))),
		Score: Score(rapid.Int16().Draw(t, "score")), Depth: rapid.OneOf(rapid.Just(0), rapid.IntRange(0, math.MaxInt32)).Draw(t, "depth"),
		Nodes: rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "nodes"), Wall: us("wall"), CPU: us("cpu"), Delay: us("delay"),
		Late: rapid.Bool().Draw(t, "late"),
	}
}

func TestPliesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plies := rapid.SliceOfN(rapid.Custom(drawPly), 0, 40).Draw(t, "plies")
		data, err := AppendPlies([]byte("before"), plies)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodePlies(data[len("before"):])
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(plies) || len(plies) > 0 && !reflect.DeepEqual(got, plies) {
			t.Fatalf("got %v\nwant %v", got, plies)
		}
		again, err := AppendPlies(nil, got)
		if err != nil || string(again) != string(data[len("before"):]) {
			t.Fatalf("encoded again it differs: %v", err)
		}
	})
}

// What is not worth storing is cut, never an error: a game is too dear to lose.
func TestPliesAreCut(t *testing.T) {
	m := movegen.NewMove(1, 20)
	data, err := AppendPlies(nil, []Ply{{Move: m, Score: NoScore, Depth: -3, Wall: -time.Second, CPU: 1999 * time.Nanosecond, Delay: -1}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodePlies(data)
	if want := []Ply{{Move: m, Score: NoScore, CPU: time.Microsecond}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPliesRefused(t *testing.T) {
	for name, plies := range map[string][]Ply{
		"from off the board": {{Move: movegen.NewMove(90, 3)}},
		"to off the board":   {{Move: movegen.NewMove(3, 127)}},
		"spare bits":         {{Move: 1 << 14}},
		"too many":           make([]Ply, PlyLimit+1),
	} {
		if buf, err := AppendPlies([]byte{7}, plies); err == nil || len(buf) != 1 {
			t.Errorf("%s: %d bytes, error %v", name, len(buf), err)
		}
	}
}

// seal sets the checksum, so that damage reaches what lies behind it.
func seal(data []byte) []byte {
	if len(data) >= 4 {
		end := len(data) - 4
		binary.LittleEndian.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
	}
	return data
}

func TestDamagedPlies(t *testing.T) {
	whole, err := AppendPlies(nil, benchPlies(9))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for bit := range 8 {
			bad := append([]byte(nil), whole...)
			bad[i] ^= 1 << bit
			if _, err := DecodePlies(bad); !errors.Is(err, ErrBlob) {
				t.Fatalf("bit %d of byte %d flipped: error %v", bit, i, err)
			}
		}
		if _, err := DecodePlies(whole[:i]); !errors.Is(err, ErrBlob) {
			t.Fatalf("cut at %d: error %v", i, err)
		}
		if _, err := DecodePlies(seal(append([]byte(nil), whole[:i]...))); !errors.Is(err, ErrBlob) {
			t.Fatalf("cut at %d and sealed: error %v", i, err)
		}
	}
	long := binary.AppendUvarint([]byte{codecFormat, 0}, 1<<40)
	for name, data := range map[string][]byte{
		"nothing": nil, "format 2": seal([]byte{2, 0, 0, 0, 0, 0, 0}), "unknown column": seal([]byte{1, 64, 0, 0, 0, 0, 0}),
		"2^40 plies": seal(append(long, 0, 0, 0, 0)), "bytes too many": seal([]byte{1, 0, 0, 9, 0, 0, 0, 0}),
		"spare bit": seal([]byte{1, 0, 1, 0, 0x80, 0, 0, 0, 0}),
	} {
		if _, err := DecodePlies(data); !errors.Is(err, ErrBlob) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzDecodePlies(f *testing.F) {
	for _, n := range []int{0, 1, 9} {
		data, err := AppendPlies(nil, benchPlies(n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = seal(append([]byte(nil), data...))
		}
		plies, err := DecodePlies(data)
		if err != nil {
			return
		}
		if len(plies) > len(data)/2 {
			t.Fatalf("%d plies from %d bytes", len(plies), len(data))
		}
		again, err := AppendPlies(nil, plies)
		if err != nil {
			t.Fatalf("what was decoded cannot be encoded: %v", err)
		}
		if got, err := DecodePlies(again); err != nil || len(plies) > 0 && !reflect.DeepEqual(got, plies) {
			t.Fatalf("decoded again: %v, %v, want %v", got, err, plies)
		}
	})
}

// benchPlies returns plies with numbers as engines give them.
func benchPlies(n int) []Ply {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	plies := make([]Ply, n)
	for i := range plies {
		wall := time.Duration(r.IntN(200_000)) * time.Microsecond
		plies[i] = Ply{Move: movegen.NewMove(movegen.Square(r.IntN(90)), movegen.Square(r.IntN(90))), Score: Score(r.IntN(2000) - 1000),
			Depth: 5 + r.IntN(20), Nodes: uint64(r.IntN(300_000)), Wall: wall, CPU: wall - wall/20, Delay: time.Duration(r.IntN(300)) * time.Microsecond}
	}
	return plies
}

func BenchmarkEncodePlies(b *testing.B) {
	plies := benchPlies(150)
	buf := make([]byte, 0, 1<<14)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := AppendPlies(buf, plies); err != nil {
			b.Fatal(err)
		}
	}
	perPly(b, len(plies))
}

func BenchmarkDecodePlies(b *testing.B) {
	data, err := AppendPlies(nil, benchPlies(150))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodePlies(data); err != nil {
			b.Fatal(err)
		}
	}
	perPly(b, 150)
	b.ReportMetric(float64(len(data))/150, "B/ply")
}

func perPly(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "plies/s")
}
