//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadersThatLeave: a match whose output and progress nobody reads is played to its end
// and finished.
func TestReadersThatLeave(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	for name, extra := range map[string][]string{"text": nil, "json": {"--json"}, "pilot": {"--pilot"}, "events": {"--events", "-"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		db := filepath.Join(dir, name+".db")
		cmd := exec.Command(xqlab, append([]string{"arena", "--db", db, "--name", "x", "--openings", "random,plies=4", "--games", "4", "--max-plies", "40", "--each", "nodes=50", "--engine", "name=a", "--engine", "name=b"}, extra...)...)
		cmd.Stdout, cmd.Stderr = w, w
		err = cmd.Run()
		w.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		out, err := exec.Command(xqlab, "arena", "status", "x", "--db", db).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "finished (games)") {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}
