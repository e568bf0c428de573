package main

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32   = windows.NewLazySystemDLL("kernel32.dll")
	setProcess = kernel32.NewProc("SetProcessAffinityMask")
	getProcess = kernel32.NewProc("GetProcessAffinityMask")
)

// pin keeps this process on one core of its group of up to 64.
func pin(core int) error {
	if core >= 64 {
		return fmt.Errorf("pinning to core %d: only cores 0 to 63 can be named", core)
	}
	if ok, _, err := setProcess.Call(uintptr(windows.CurrentProcess()), uintptr(1)<<core); ok == 0 {
		return fmt.Errorf("pinning to core %d: %w", core, err)
	}
	return nil
}

// cores lists the logical cores this process may use.
func cores() (list []int) {
	mask := processMask()
	for c := range 64 {
		if mask>>c&1 != 0 {
			list = append(list, c)
		}
	}
	return list
}

// processMask returns the cores of the process as bits, 0 when they are not told.
func processMask() uint64 {
	var process, system uintptr
	if ok, _, _ := getProcess.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&process)), uintptr(unsafe.Pointer(&system))); ok == 0 {
		return 0
	}
	return uint64(process)
}
