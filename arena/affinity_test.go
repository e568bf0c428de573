package arena

import (
	"fmt"
	"testing"
)

func TestPlaces(t *testing.T) {
	cores := [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	for _, c := range []struct {
		games, threads int
		want           string
	}{
		{1, 1, "[[0]]"}, {4, 1, "[[0] [1] [2] [3]]"}, {2, 2, "[[0 1] [2 3]]"}, {1, 4, "[[0 1 2 3]]"}, {5, 1, ""}, {2, 3, ""},
	} {
		sets, err := Places(cores, c.games, c.threads)
		if c.want == "" && err == nil || c.want != "" && fmt.Sprint(sets) != c.want {
			t.Errorf("%d games of %d threads: %v, %v", c.games, c.threads, sets, err)
		}
	}
}

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string]string{"0": "[0]", "3,5,7-9": "[3 5 7 8 9]", "1,1-2": "[1 2]", " 4 ": "[4]", "": "", "a": "", "3-1": "", "-1": "", "1-": "", "0-5000": "", "1,,2": ""} {
		cpus, err := ParseCPUs(text)
		if want == "" && err == nil || want != "" && fmt.Sprint(cpus) != want {
			t.Errorf("%q: %v, %v", text, cpus, err)
		}
	}
}
