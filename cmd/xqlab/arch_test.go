package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/xqlab/xqlab/"

// arrows lists what each package may import of this module; "cmd/…" may import all.
var arrows = map[string][]string{
	"movegen":          {},
	"movegen/referee":  {"movegen"},
	"movegen/notation": {"movegen"},
	"movegen/pgn":      {"movegen", "movegen/notation"},
	"eval":             {"movegen"},
	"search":           {"movegen", "movegen/referee", "eval"},
	"search/uci":       {"movegen", "movegen/referee", "eval", "search"},
	"results/stats":    {},
	"results":          {"movegen", "movegen/referee", "movegen/notation", "movegen/pgn", "results/stats"},
	"results/report":   {"movegen", "results", "results/stats"},
	"arena":            {"movegen", "movegen/referee", "eval", "search", "results", "results/stats"},
	"arena/openings":   {"movegen", "movegen/referee", "movegen/notation", "movegen/pgn"},
	"arena/spec":       {"arena"},
	"arena/engine":     {"movegen", "movegen/referee", "arena", "arena/spec", "results"},
	"tuner/report":     {"tuner"},
	"tuner":            {"movegen", "movegen/referee", "eval", "search", "results", "results/stats"},
}

// only lists packages of the standard library and elsewhere that few may import.
var only = map[string][]string{
	"database/sql":                {"results"},
	"github.com/mattn/go-sqlite3": {"results"},
	"os/exec":                     {"arena/engine", "cmd/xqlab"},
	"net":                         {"cmd/xqlab"},
	"net/http":                    {"cmd/xqlab"},
}

// quiet lists packages that do no input or output: what they must not import.
var quiet = map[string][]string{
	"movegen":       {"os", "log", "log/slog", "net"},
	"eval":          {"os", "log", "log/slog", "net"},
	"search":        {"os", "log", "log/slog", "net"},
	"results/stats": {"os", "log", "log/slog", "net", "io"},
}

type goPackage struct {
	ImportPath string
	Name       string
	Imports    []string
}

// TestArrows holds the architecture: who may import whom.
func TestArrows(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, known := arrows[name]
		command := p.Name == "main"
		if !known && !command {
			t.Errorf("package %s is not in the architecture: add it to arrows", name)
		}
		for _, i := range p.Imports {
			if own, ok := strings.CutPrefix(i, module); ok {
				if strings.HasPrefix(own, "cmd/") || !command && !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s, which the architecture does not allow", name, own)
				}
			}
			if few, ok := only[i]; ok && !slices.Contains(few, name) && !command {
				t.Errorf("%s imports %s, only %v may", name, i, few)
			}
			if slices.Contains(quiet[name], i) {
				t.Errorf("%s does no input or output, but imports %s", name, i)
			}
			if name == "movegen" && strings.Contains(i, ".") {
				t.Errorf("movegen stands on the standard library alone, but imports %s", i)
			}
		}
	}
}

func listPackages(t *testing.T) []goPackage {
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports", module+"...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// TestTopLevel holds the layout that was fixed.
func TestTopLevel(t *testing.T) {
	want := []string{"cmd", "movegen", "search", "eval", "tuner", "arena", "results", "go.mod", "go.sum", "Makefile", "README.md", "LICENSE"}
	built := []string{"xqlab", "dist"} // by the Makefile, not in the repository
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasPrefix(n, ".") || slices.Contains(want, n) || slices.Contains(built, n) || strings.Contains(n, ".db") {
			continue
		}
		t.Errorf("%s at the top level, where only %v may be", n, want)
	}
}

// TestDistCompiles keeps the builds of make dist compiling, on every system and without
// cgo.
func TestDistCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the whole program for nine systems; not with -short")
	}
	for _, target := range []string{"linux/amd64/v1", "linux/amd64/v3", "linux/arm64/", "windows/amd64/v1", "windows/arm64/", "darwin/amd64/v3", "darwin/arm64/"} {
		part := strings.Split(target, "/")
		cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+part[0], "GOARCH="+part[1], "GOAMD64="+orElse(part[2], "v1"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}
