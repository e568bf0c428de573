//go:build unix

package engine

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func keep(t *testing.T, dir, path string) (kept, sum string) {
	t.Helper()
	kept, sum, err := Keep(context.Background(), dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return kept, sum
}

// A kept program does not change with its original, finds its neighbours, is copied once,
// and is mended when it was damaged.
func TestKeep(t *testing.T) {
	src, dir := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	write(t, filepath.Join(src, "net.nnue"), "weights", 0o644)
	script := write(t, filepath.Join(src, "engine.sh"), "#!/bin/sh\ncat \"$(dirname \"$0\")/net.nnue\"; echo one\n", 0o755)
	kept, sum := keep(t, dir, script)
	if filepath.Dir(filepath.Dir(kept)) != dir || !strings.Contains(kept, sum) || filepath.Base(kept) != "engine.sh" {
		t.Errorf("kept as %s, sum %s", kept, sum)
	}
	write(t, script, "#!/bin/sh\necho two\n", 0o755)
	if out, err := exec.Command(kept).Output(); err != nil || string(out) != "weightsone\n" {
		t.Errorf("the copy printed %q, %v", out, err)
	}
	other, sum2 := keep(t, dir, script)
	if sum2 == sum || other == kept {
		t.Error("the new build has the old place")
	}
	again, _ := keep(t, dir, script)
	before, _ := os.Stat(other)
	if after, _ := os.Stat(again); again != other || !os.SameFile(before, after) {
		t.Error("copied twice")
	}
	os.Chmod(other, 0o755)
	write(t, other, "damaged", 0o755)
	if again, sum := keep(t, dir, script); sum != sum2 {
		t.Errorf("sum %s, want %s", sum, sum2)
	} else if text, _ := os.ReadFile(again); !bytes.Contains(text, []byte("two")) {
		t.Errorf("the damaged copy is used: %q", text)
	}
}

// A link is followed: the copy is of the file, its neighbours those of both folders.
func TestKeepLink(t *testing.T) {
	src, dir := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	real := write(t, filepath.Join(src, "lib", "engine-1.2"), "#!/bin/sh\ncat \"$(dirname \"$0\")/here\" \"$(dirname \"$0\")/there\"\n", 0o755)
	write(t, filepath.Join(src, "lib", "here"), "1", 0o644)
	write(t, filepath.Join(src, "bin", "there"), "2", 0o644)
	link := filepath.Join(src, "bin", "engine")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	kept, _ := keep(t, dir, link)
	if info, err := os.Lstat(kept); err != nil || !info.Mode().IsRegular() {
		t.Fatalf("%s is no file of its own", kept)
	}
	if out, err := exec.Command(kept).Output(); err != nil || string(out) != "12" {
		t.Errorf("printed %q, %v", out, err)
	}
}

// What cannot be kept is an error that names the file; nothing half-copied stays.
func TestKeepErrors(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"/nowhere/engine", dir, "no-such-program-anywhere"} {
		if _, _, err := Keep(context.Background(), dir, path); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	big := write(t, filepath.Join(t.TempDir(), "net"), strings.Repeat("x", 9<<20), 0o644)
	if _, _, err := Keep(ctx, dir, big); err == nil {
		t.Error("a cancelled copy succeeded")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The scripted engine plays from its copy.
func TestKeptEnginePlays(t *testing.T) {
	kept, _ := keep(t, filepath.Join(t.TempDir(), "kept"), scriptedPath)
	cfg := script()
	cfg.Cmd, cfg.Deadlines = kept, patient
	c := New(cfg)
	defer c.Close()
	if _, err := moveOnce(c, newGame(t), nodes); err != nil {
		t.Error(err)
	}
}

// An engine that looks for its network in the working folder, or beside itself, finds it from
// its copy too.
func TestKeptEngineFindsItsNetwork(t *testing.T) {
	src, work := t.TempDir(), t.TempDir()
	write(t, filepath.Join(work, "net"), "cwd", 0o644)
	write(t, filepath.Join(src, "data", "net"), "beside", 0o644)
	const script = `#!/bin/sh
echo "id name $(cat net) $(cat "$(dirname "$0")/data/net")"
while read l; do case "$l" in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done
`
	cmd := write(t, filepath.Join(src, "engine.sh"), script, 0o755)
	kept, _ := keep(t, filepath.Join(t.TempDir(), "kept"), cmd)
	id, err := Probe(context.Background(), Config{Cmd: cmd, Kept: kept, Dir: work, Proto: "uci", Ranks: "0", Deadlines: patient})
	if err != nil || id.ID != "cwd beside" {
		t.Errorf("it says %q, %v", id.ID, err)
	}
}
