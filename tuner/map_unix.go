//go:build unix

package tuner

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file of the given size for reading.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	if data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
