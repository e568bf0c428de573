package spec

import (
	"fmt"
	"io"
	"os"
)

// maxFile bounds a description in bytes, so that a device or a wrong file does not fill
// the memory.
const maxFile = 1 << 20

// ReadFile returns the content of a file that holds a description, at most a MiB.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes, want a description in TOML", path, maxFile)
	}
	return data, err
}
