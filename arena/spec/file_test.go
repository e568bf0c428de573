package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadFileIsBounded: a file that is no description is refused before it fills the
// memory.
func TestReadFileIsBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{large}
	if _, err := os.Stat("/dev/zero"); err == nil {
		paths = append(paths, "/dev/zero")
	}
	for _, path := range paths {
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), path+" is longer than") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.Truncate(large, maxFile); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(large); err != nil || len(data) != maxFile {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
