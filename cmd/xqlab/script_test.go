package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"xqlab": main})
}

// TestScripts runs the whole program as a user does: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XQLAB_DB", "")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "fairy" {
				_, err := os.Stat("/usr/games/fairy-stockfish")
				return err == nil, nil
			}
			return false, nil
		},
		RequireExplicitExec: true,
	})
}
