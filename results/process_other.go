//go:build !linux

package results

import (
	"strconv"

	"github.com/shirou/gopsutil/v4/process"
)

// bootID is not needed here: processStart is a time of the calendar.
func bootID() string { return "" }

func pidSpace() string { return "" }

// processStart returns what is the same for a process id only as long as it is the same
// process, "" when there is no such process.
func processStart(pid int) string {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return ""
	}
	ms, err := p.CreateTime()
	if err != nil {
		return ""
	}
	return strconv.FormatInt(ms, 10)
}
