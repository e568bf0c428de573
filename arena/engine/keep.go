package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Keep copies a program (or a network file) into a folder named by its SHA-256 within dir
// and returns the path of the copy, so that a new build does not change an engine under
// test. A file that is there already is checked, not copied again.
//
// A program's neighbours are linked, not copied, into the same folder: what it finds
// beside itself (libraries by $ORIGIN, a network, what a script names by dirname "$0") it
// finds there too, in whatever state that is. Paths relative to the working folder are not
// touched: run the copy with the same Config.Dir.
func Keep(ctx context.Context, dir, path string) (kept, sum string, err error) {
	given := path
	if path, err = filepath.Abs(Path(path)); err != nil {
		return "", "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", given, bare(err))
	}
	if kept, sum, err = keepFile(ctx, dir, real, filepath.Base(path)); err != nil {
		return "", "", fmt.Errorf("keeping a copy of %s in %s: %w", given, dir, err)
	}
	if info, err := os.Stat(real); err == nil && isProgram(info) {
		linkNeighbours(filepath.Dir(real), filepath.Dir(kept))
		linkNeighbours(filepath.Dir(path), filepath.Dir(kept))
	}
	return kept, sum, nil
}

// Kept returns the path of the copy that Keep made of a file when its SHA-256 was sum, and
// whether it is there and whole.
func Kept(ctx context.Context, dir, sum, path string) (string, bool) {
	kept, err := filepath.Abs(filepath.Join(dir, sum, filepath.Base(path)))
	if err != nil {
		return "", false
	}
	has, err := Sum(ctx, kept)
	return kept, err == nil && has == sum
}

// Path returns where a program is: in $PATH if it is a name alone and found there.
func Path(name string) string {
	if !strings.ContainsAny(name, `/\`) {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return name
}

// Sum returns the SHA-256 of a file in hexadecimal.
func Sum(ctx context.Context, path string) (string, error) {
	return sumInto(ctx, io.Discard, path)
}

func isProgram(info os.FileInfo) bool {
	switch strings.ToLower(filepath.Ext(info.Name())) {
	case ".exe", ".bat", ".cmd":
		return true
	}
	return info.Mode()&0o111 != 0
}

// keepFile copies a file and gives the copy its place when it is whole.
func keepFile(ctx context.Context, dir, from, name string) (kept, sum string, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", errors.New("it is no regular file")
	}
	if sum, err = Sum(ctx, from); err != nil {
		return "", "", err
	}
	kept = filepath.Join(dir, sum, name)
	if has, err := Sum(ctx, kept); err == nil && has == sum {
		return kept, sum, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", "", err
	}
	tmp, err := os.CreateTemp(filepath.Dir(kept), ".copying-*")
	if err != nil {
		return "", "", err
	}
	defer os.Remove(tmp.Name())
	copied, err := sumInto(ctx, tmp, from)
	err = errors.Join(err, tmp.Sync(), tmp.Chmod(info.Mode().Perm()&0o555|0o400), tmp.Close())
	if err != nil {
		return "", "", err
	}
	if copied != sum {
		return "", "", errors.New("it changed while it was copied")
	}
	return kept, sum, os.Rename(tmp.Name(), kept)
}

// sumInto copies a file and returns the SHA-256 of what was copied.
func sumInto(ctx context.Context, w io.Writer, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for {
		const chunk = 4 << 20
		_, err := io.CopyN(io.MultiWriter(h, w), f, chunk)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
}

// linkNeighbours links what lies in one folder into another, where nothing of that name is
// yet. Of a folder with a great many files only libraries are taken: it is a system's, not
// an engine's. What cannot be linked is left out; the engine then says what it misses.
func linkNeighbours(from, to string) {
	entries, err := os.ReadDir(from)
	if err != nil || from == to {
		return
	}
	const many = 500
	for _, e := range entries {
		if len(entries) > many && !isLibrary(e.Name()) {
			continue
		}
		old, link := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if _, err := os.Lstat(link); err == nil || old == filepath.Dir(to) {
			continue
		}
		if os.Symlink(old, link) != nil && !e.IsDir() {
			os.Link(old, link)
		}
	}
}

func isLibrary(name string) bool {
	return strings.Contains(name, ".so") || strings.HasSuffix(name, ".dll") || strings.HasSuffix(name, ".dylib")
}
