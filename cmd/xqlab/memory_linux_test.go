package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHashBeyondMemory: more hash than can be had is one line, not the end of the program,
// and leaves nothing behind.
func TestHashBeyondMemory(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	db := filepath.Join(dir, "h.db")
	for name, c := range map[string]struct{ line, want string }{
		"arena":  {"arena --db " + db + " --engine name=a,nodes=10,hash=30000 --engine name=b,nodes=10 --games 2", "xqlab: hash of the built-in engines"},
		"bench":  {"bench --hash 30000", "xqlab: --hash: 30000 MB wanted"},
		"perft":  {"perft 3 --hash 30000", "xqlab: --hash: 30000 MB wanted"},
		"engine": {"uci", "info string error: option Hash: hash: 30000 MB wanted"},
	} {
		cmd := exec.Command("sh", "-c", "ulimit -v 4000000; exec "+xqlab+" "+c.line)
		cmd.Stdin = strings.NewReader("setoption name Hash value 30000\nisready\nquit\n")
		out, err := cmd.CombinedOutput()
		if (err == nil) != (name == "engine") || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "goroutine") {
			t.Errorf("%s: %v\n%.400s", name, err, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
