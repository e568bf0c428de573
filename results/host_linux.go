package results

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	sysCPU   = "/sys/devices/system/cpu/"
	sysPower = "/sys/class/power_supply/"
)

// topology reads what Linux tells of cores, memory and bounds.
func (h *Host) topology() {
	h.FastCores, h.SlowCores = coreKinds()
	nodes, _ := filepath.Glob("/sys/devices/system/node/node[0-9]*")
	h.NUMANodes = len(nodes)
	if _, on, ok := strings.Cut(fileText("/sys/kernel/mm/transparent_hugepage/enabled"), "["); ok {
		h.HugePages, _, _ = strings.Cut(on, "]")
	}
	h.CPUQuota = cpuQuota("/sys/fs/cgroup", fileText("/proc/self/cgroup"))
}

// coreKinds counts the logical cores of the fastest kind and the others; 0 and 0 when
// all are alike.
func coreKinds() (fast, slow int) {
	if slow = countList(fileText("/sys/devices/cpu_atom/cpus")); slow > 0 { // Intel's two kinds
		return countList(fileText("/sys/devices/cpu_core/cpus")), slow
	}
	files, _ := filepath.Glob(sysCPU + "cpu[0-9]*/cpu_capacity")
	most, counts := 0, map[int]int{}
	for _, f := range files {
		if n, err := strconv.Atoi(fileText(f)); err == nil {
			counts[n]++
			most = max(most, n)
		}
	}
	if len(counts) < 2 {
		return 0, 0
	}
	return counts[most], len(files) - counts[most]
}

// countList counts what a kernel list such as 0-3,8 names.
func countList(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		low, high, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(low)
		if err != nil {
			continue
		}
		b := a
		if ranged {
			if b, err = strconv.Atoi(high); err != nil {
				continue
			}
		}
		n += max(b-a+1, 0)
	}
	return n
}

// cpuQuota returns the tightest bound of the cgroup and those above it, in cores.
func cpuQuota(root, self string) (quota float64) {
	bound := func(limit, period string) {
		l, err1 := strconv.ParseFloat(limit, 64)
		p, err2 := strconv.ParseFloat(period, 64)
		if err1 == nil && err2 == nil && l > 0 && p > 0 && (quota == 0 || l/p < quota) {
			quota = l / p
		}
	}
	for line := range strings.Lines(self) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 || part[0] != "0" {
			continue
		}
		for dir := filepath.Clean("/" + part[2]); ; dir = filepath.Dir(dir) {
			if f := strings.Fields(fileText(filepath.Join(root, dir, "cpu.max"))); len(f) == 2 {
				bound(f[0], f[1])
			}
			if dir == "/" {
				break
			}
		}
	}
	v1 := filepath.Join(root, "cpu")
	bound(fileText(filepath.Join(v1, "cpu.cfs_quota_us")), fileText(filepath.Join(v1, "cpu.cfs_period_us")))
	return quota
}

// look reads the clock and the power source.
func (s *HostState) look() {
	s.Governor = fileText(sysCPU + "cpu0/cpufreq/scaling_governor")
	s.MHz = clockMHz()
	supplies, _ := filepath.Glob(sysPower + "*/online")
	for _, f := range supplies {
		if fileText(filepath.Join(filepath.Dir(f), "type")) != "Mains" {
			continue
		}
		if s.Power = "battery"; fileText(f) == "1" {
			s.Power = "mains"
			return
		}
	}
}

// clockMHz returns the mean clock of the cores as it is.
func clockMHz() float64 {
	var sum, n float64
	files, _ := filepath.Glob(sysCPU + "cpu[0-9]*/cpufreq/scaling_cur_freq")
	for _, f := range files {
		if kHz, err := strconv.ParseFloat(fileText(f), 64); err == nil {
			sum, n = sum+kHz/1000, n+1
		}
	}
	if n == 0 {
		for line := range strings.Lines(fileText("/proc/cpuinfo")) {
			name, value, _ := strings.Cut(line, ":")
			if mhz, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && strings.TrimSpace(name) == "cpu MHz" {
				sum, n = sum+mhz, n+1
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// fileText returns what a small file says, "" when it cannot be read.
func fileText(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
