//go:build !unix

package tuner

import (
	"io"
	"os"
)

// mapFile reads the file where the system has no mmap.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, func() error { return nil }, err
}
