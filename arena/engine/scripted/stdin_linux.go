package main

import (
	"io"
	"syscall"
	"unsafe"
)

// stdin reads without telling Go's scheduler: there is one goroutine, and what is measured
// is the other end of the pipe.
type stdin struct{}

func (stdin) Read(p []byte) (int, error) {
	for {
		n, _, err := syscall.RawSyscall(syscall.SYS_READ, 0, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		switch {
		case err == syscall.EINTR:
		case err != 0:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return int(n), nil
		}
	}
}
