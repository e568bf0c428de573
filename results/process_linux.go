package results

import (
	"fmt"
	"os"
	"strings"
)

// bootID names the time since this machine was started.
func bootID() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
}

// pidSpace names the space in which process ids mean something: containers have their own.
func pidSpace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// processStart returns what is the same for a process id only as long as it is the same
// process (its start in clock ticks since the boot), "" when there is no such process
// or it is dead and not yet buried.
func processStart(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is the program's name in parentheses, with whatever in it.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const state, start = 0, 19
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return ""
	}
	return fields[start]
}
