package arena

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// pinThread locks the goroutine to its thread and binds that to processors. A refusal, as by
// a control group that has changed, leaves it as it was: it costs speed at most.
func pinThread(cpus []int) (release func()) {
	runtime.LockOSThread()
	var old unix.CPUSet
	if unix.SchedGetaffinity(0, &old) != nil {
		return runtime.UnlockOSThread
	}
	mask := Mask(cpus)
	if unix.SchedSetaffinity(0, &mask) != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		if unix.SchedSetaffinity(0, &old) == nil { // else the thread ends with the goroutine
			runtime.UnlockOSThread()
		}
	}
}

// Mask returns the processors as the system takes them.
func Mask(cpus []int) (mask unix.CPUSet) {
	for _, n := range cpus {
		mask.Set(n)
	}
	return mask
}

// Cores returns the physical cores that this process may use, each with its hardware
// threads. Processors that a control group or taskset leaves out are not among them.
func Cores() ([][]int, error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return nil, fmt.Errorf("asking for the processors of this process: %w", err)
	}
	return groupCores("/sys/devices/system/cpu", mask.IsSet), nil
}

// groupCores puts the allowed processors of one core together. Where the system does not
// tell, each is a core of its own.
func groupCores(root string, allowed func(int) bool) (cores [][]int) {
	at := map[string]int{}
	for n := 0; n <= maxCPU; n++ {
		if !allowed(n) {
			continue
		}
		key := fmt.Sprint("cpu", n)
		if text, err := os.ReadFile(filepath.Join(root, key, "topology", "thread_siblings_list")); err == nil {
			key = strings.TrimSpace(string(text))
		}
		i, known := at[key]
		if !known {
			i = len(cores)
			at[key] = i
			cores = append(cores, nil)
		}
		cores[i] = append(cores[i], n)
	}
	return cores
}
