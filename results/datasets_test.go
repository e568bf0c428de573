//go:build cgo

package results

import (
	"path/filepath"
	"testing"
)

// TestDatasets keeps the first row of a hash.
func TestDatasets(t *testing.T) {
	s := openTest(t)
	d := Dataset{Hash: "aa", Inputs: []byte(`{"a":1}`), Games: 3, Pairs: 2, Positions: 70, Bytes: 9000}
	for _, x := range []Dataset{d, {Hash: "aa", Inputs: []byte("{}")}, {Hash: "bb", Inputs: []byte("{}")}} {
		if err := s.PutDataset(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Datasets(t.Context())
	if err != nil || len(all) != 2 || all[0].Hash != "bb" {
		t.Fatalf("%v %v", all, err)
	}
	got := all[1]
	if got.Created.IsZero() {
		t.Error("no time")
	}
	if got.Created = d.Created; string(got.Inputs) != string(d.Inputs) || got.Positions != 70 || got.Games != 3 || got.Pairs != 2 || got.Bytes != 9000 {
		t.Errorf("%+v, want %+v", got, d)
	}
}

// TestDigest is of the games, wherever they are, and of the filter's alone.
func TestDigest(t *testing.T) {
	s, r := filled(t, 4)
	n, all, err := s.Digest(t.Context(), Filter{})
	if err != nil || n != 8 {
		t.Fatalf("%d games, %v", n, err)
	}
	c := openAt(t, filepath.Join(t.TempDir(), "copy.db"))
	if _, err := c.Merge(t.Context(), s.Path()); err != nil {
		t.Fatal(err)
	}
	if m, copied, err := c.Digest(t.Context(), Filter{Runs: []string{r.ID}}); err != nil || m != n || copied != all {
		t.Errorf("a copy has another digest: %d games, %v", m, err)
	}
	if _, some, err := s.Digest(t.Context(), Filter{Limit: 7}); err != nil || some == all {
		t.Errorf("seven games have the digest of eight: %v", err)
	}
}
