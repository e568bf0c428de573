package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build (-ldflags "-X main.version=…"); a plain go build leaves it.
var version = "dev"

// buildFacts says what this binary is.
type buildFacts struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	GOAMD64  string `json:"goamd64,omitempty"`
	SQLite   string `json:"sqlite,omitempty"`
}

func facts() buildFacts {
	f := buildFacts{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, SQLite: sqliteVersion()}
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return f
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			f.Commit = s.Value
		case "vcs.modified":
			f.Modified = s.Value == "true"
		case "GOAMD64":
			f.GOAMD64 = s.Value
		}
	}
	return f
}

func versionCommand(con *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Version, commit, Go, GOAMD64 and SQLite of this binary",
		Example: "  xqlab version --json",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			f := facts()
			if asJSON {
				return json.NewEncoder(con.out).Encode(f)
			}
			fmt.Fprintf(con.out, "xqlab %s commit %s %s %s/%s %s sqlite %s\n", f.Version, orDash(f.Commit), f.Go, f.OS, f.Arch, f.GOAMD64, orDash(f.SQLite))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// buildKind reports whether this program was built with a profile and with cgo.
func buildKind() (pgo, cgo bool) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return false, false
	}
	for _, s := range info.Settings {
		pgo = pgo || s.Key == "-pgo" && s.Value != ""
		cgo = cgo || s.Key == "CGO_ENABLED" && s.Value == "1"
	}
	return pgo, cgo
}
