//go:build cgo

package results

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

var makeDump = flag.Bool("make-dump", false, "keep a database of the newest schema in testdata, for the versions to come")

func dumpName(version int) string { return fmt.Sprintf("testdata/schema-%d.db.gz", version) }

// keepDump is run by hand once for each version of the schema.
func keepDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.db")
	s := openAt(t, path)
	r := testRun("kept")
	r.ID, r.Created, r.Host = "01990000-0000-7000-8000-00000000abcd", time.Unix(1_700_000_000, 0), Host{CPU: "a processor", LogicalCores: 2}
	mustCreate(t, s, r)
	mustPut(t, s, testGame(r.ID, 0, 0), testGame(r.ID, 0, 1))
	if err := s.Event(t.Context(), r.ID, "note", "kept"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tell(t.Context(), r.ID, Command{Verb: SetConcurrency, Value: 3}); err != nil {
		t.Fatal(err)
	}
	mustEnqueue(t, s, &Queued{Name: "kept", Kind: "match", Priority: 3, Config: []byte("games = 9\n"), Budget: time.Hour, Games: 9})
	if err := s.Finish(t.Context(), r.ID, "games", []byte(`{"games":2}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	_, err = z.Write(data)
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = os.WriteFile(dumpName(newest()), buf.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A database of every version there has been opens, has the schema of a new one then,
// and holds what was put in.
func TestOlderDatabases(t *testing.T) {
	if *makeDump {
		keepDump(t)
	}
	fresh := schemaOf(t, openTest(t))
	for v := 1; v <= newest(); v++ {
		path := filepath.Join(t.TempDir(), "old.db")
		unpack(t, dumpName(v), path)
		s := openAt(t, path)
		if got := schemaOf(t, s); !reflect.DeepEqual(got, fresh) {
			t.Errorf("version %d: schema\n%v\nof a new database\n%v", v, got, fresh)
		}
		r, err := s.Run(t.Context(), "kept")
		if err != nil || r.Seed != 1<<63+5 || r.StopReason != "games" || r.Host.CPU != "a processor" || len(r.Engines) != 2 || r.Engines[0].SHA256 != "d1" {
			t.Errorf("version %d: run %+v, %v", v, r, err)
		}
		rows, err := s.Rows(t.Context(), r.ID)
		if err != nil || len(rows) != 2 || rows[1].Leg != 1 || rows[1].Reason != Checkmate || rows[1].Sides[0].Nodes != 2000 {
			t.Errorf("version %d: rows %+v, %v", v, rows, err)
		}
		g, err := s.Game(t.Context(), GameKey{r.ID, 0, 1, 0})
		if err != nil || g.Plies[4].Move.String() != "i0h0" || g.Plies[4].CPU != 4*time.Millisecond || string(g.Evidence) != `{"exit":1}` || g.Hash() != 0x9c869eb8d61d835 {
			t.Errorf("version %d: game %+v, %v", v, g, err)
		}
		if queue, err := s.Queue(t.Context()); err != nil || v > 1 && (len(queue) != 1 || queue[0].Games != 9 || queue[0].Budget != time.Hour || queue[0].State != Waiting) {
			t.Errorf("version %d: queue %+v, %v", v, queue, err)
		}
		if err := s.Put(t.Context(), testGame(r.ID, 1, 0)); err == nil {
			t.Error("put into a finished run that is not held")
		}
		checkSound(t, s)
	}
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatalf("%v; keep one by go test ./results -run TestOlderDatabases -make-dump", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func schemaOf(t *testing.T, s *Store) []string {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), "SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
	all, err := collect(rows, err, func(a *string) []any { return []any{a} })
	if err != nil || len(all) < 20 {
		t.Fatal(all, err)
	}
	return all
}
