package results

import (
	"github.com/shirou/gopsutil/v4/cpu"
	"golang.org/x/sys/unix"
)

// topology reads what macOS tells of its kinds of cores.
func (h *Host) topology() {
	kinds, err := unix.SysctlUint32("hw.nperflevels")
	if err != nil || kinds < 2 {
		return
	}
	fast, err1 := unix.SysctlUint32("hw.perflevel0.logicalcpu")
	slow, err2 := unix.SysctlUint32("hw.perflevel1.logicalcpu")
	if err1 == nil && err2 == nil {
		h.FastCores, h.SlowCores = int(fast), int(slow)
	}
}

// look reads the clock where there is one to read.
func (s *HostState) look() { s.MHz = nominalMHz() }

// nominalMHz returns the clock that the processor is sold with.
func nominalMHz() float64 {
	if infos, err := cpu.Info(); err == nil && len(infos) > 0 {
		return infos[0].Mhz
	}
	return 0
}
