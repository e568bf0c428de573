package results

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCountList(t *testing.T) {
	for list, want := range map[string]int{"": 0, "0": 1, "0-3": 4, "0-3,8": 5, "4-5,8-15": 10, "x": 0, "3-x": 0, "3-1": 0} {
		if got := countList(list); got != want {
			t.Errorf("%q names %d, want %d", list, got, want)
		}
	}
}

func TestCPUQuota(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n", "c/cpu.max": "50000 100000"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for self, want := range map[string]float64{"0::/a/b\n": 1.5, "0::/c": 0.5, "0::/": 0, "": 0, "nonsense": 0, "0::/../../c": 0.5} {
		if got := cpuQuota(root, self); got != want {
			t.Errorf("%q: %v cores, want %v", self, got, want)
		}
	}
}
