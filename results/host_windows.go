package results

import (
	"unsafe"

	"github.com/shirou/gopsutil/v4/cpu"
	"golang.org/x/sys/windows"
)

// topology reads nothing: Windows tells all that is asked for through gopsutil.
func (h *Host) topology() {}

// powerStatus is SYSTEM_POWER_STATUS.
type powerStatus struct {
	ACLine, BatteryFlag, BatteryPercent, SystemStatus byte
	BatteryLife, BatteryFullLife                      uint32
}

var getPowerStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemPowerStatus")

// look reads the clock and the power source.
func (s *HostState) look() {
	if infos, err := cpu.Info(); err == nil && len(infos) > 0 {
		s.MHz = infos[0].Mhz
	}
	var p powerStatus
	if ok, _, _ := getPowerStatus.Call(uintptr(unsafe.Pointer(&p))); ok == 0 {
		return
	}
	switch p.ACLine {
	case 0:
		s.Power = "battery"
	case 1:
		s.Power = "mains"
	}
}
