package pgn

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadGzip: packed data that is cut anywhere, or damaged, is an error that says so, and
// what could be unpacked is read before it.
func TestBadGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(strings.Repeat("h2e2 h9g7\n", 20)))
	z.Close()
	whole := b.Bytes()
	read := func(data []byte) error {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.ReadAll(f)
		return err
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for n := 2; n < len(whole); n++ {
		if err := read(whole[:n]); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1
	if err := read(damaged); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("with a wrong checksum: %v", err)
	}
	if err := read(append(bytes.Clone(whole), "something else"...)); err == nil || !strings.Contains(err.Error(), "behind it") {
		t.Errorf("with something behind it: %v", err)
	}
}
