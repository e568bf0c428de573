//go:build !cgo

package results

import (
	"path/filepath"
	"testing"
)

// A build without cgo says in one line what is missing, and makes no file.
func TestNoSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if _, err := Open(t.Context(), path); err == nil || err.Error() != errNoSQLite.Error() || exists(path) {
		t.Errorf("Open: %v, file made %v", err, exists(path))
	}
	if SQLiteVersion() != "" {
		t.Error("a version of what is not there")
	}
}
