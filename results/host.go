package results

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Host is what a machine is, as far as it bears on speed. Nothing in it identifies a
// person: no names, no addresses. Machine tells machines apart and no more.
type Host struct {
	Machine       string `json:"machine"` // keyed hash of the system's machine id, "" when it has none
	CPU           string `json:"cpu"`
	Vendor        string `json:"vendor,omitempty"`
	PhysicalCores int    `json:"physical_cores"` // 0 when unknown
	LogicalCores  int    `json:"logical_cores"`
	L1D           int    `json:"l1d,omitempty"` // bytes, 0 when unknown
	L2            int    `json:"l2,omitempty"`
	L3            int    `json:"l3,omitempty"`
	Level         int    `json:"x86_level,omitempty"` // x86-64-v1 to v4, what the processor has
	Memory        uint64 `json:"memory"`              // bytes
	OS            string `json:"os"`
	Platform      string `json:"platform,omitempty"` // distribution and version
	Kernel        string `json:"kernel,omitempty"`
	Arch          string `json:"arch"`
	Virtual       string `json:"virtual,omitempty"` // the hypervisor or container, "" on bare metal
	Go            string `json:"go"`
	GOAMD64       string `json:"goamd64,omitempty"` // what the program was built for

	FastCores int     `json:"fast_cores,omitempty"` // where cores differ: logical ones of the fastest kind …
	SlowCores int     `json:"slow_cores,omitempty"` // … and of the others
	NUMANodes int     `json:"numa_nodes,omitempty"` // 0 when unknown
	HugePages string  `json:"huge_pages,omitempty"` // transparent ones: always, madvise, never
	CPUQuota  float64 `json:"cpu_quota,omitempty"`  // cores that the cgroup may use, 0 without a bound
}

// HostFacts returns what this machine is. What the system does not tell stays zero.
func HostFacts() Host { return hostFacts() }

var hostFacts = sync.OnceValue(func() Host {
	c := &cpuid.CPU
	h := Host{
		Machine: machineID(), CPU: strings.TrimSpace(c.BrandName), Vendor: c.VendorString,
		LogicalCores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		L1D: max(c.Cache.L1D, 0), L2: max(c.Cache.L2, 0), L3: max(c.Cache.L3, 0), Level: c.X64Level(), GOAMD64: buildSetting("GOAMD64"),
	}
	h.PhysicalCores, _ = cpu.Counts(false)
	if n, err := cpu.Counts(true); err == nil && n > 0 {
		h.LogicalCores = n
	}
	if infos, err := cpu.Info(); h.CPU == "" && err == nil && len(infos) > 0 {
		h.CPU = strings.TrimSpace(infos[0].ModelName)
	}
	if m, err := mem.VirtualMemory(); err == nil {
		h.Memory = m.Total
	}
	if name, _, version, err := host.PlatformInformation(); err == nil {
		h.Platform = strings.TrimSpace(name + " " + version)
	}
	h.Kernel, _ = host.KernelVersion()
	h.Virtual = virtual()
	h.topology()
	return h
})

// HostState is what of a machine changes while it works. What the system does not tell
// stays zero.
type HostState struct {
	At       time.Time `json:"at"`
	MHz      float64   `json:"mhz,omitempty"`      // mean clock of the cores
	Governor string    `json:"governor,omitempty"` // of the clock
	Power    string    `json:"power,omitempty"`    // mains or battery
	Load     float64   `json:"load"`               // processes that run or want to, mean of the last minute
}

// HostNow returns the state of this machine.
func HostNow() HostState {
	s := HostState{At: time.Now().UTC().Truncate(time.Second)}
	s.look()
	if l, err := load.Avg(); err == nil {
		s.Load = l.Load1
	}
	return s
}

// virtual names the hypervisor or container this program runs in, "" for none.
func virtual() string {
	if system, role, err := host.Virtualization(); err == nil && role == "guest" && system != "" {
		return system
	}
	if cpuid.CPU.VM() {
		return strings.ToLower(cpuid.CPU.HypervisorVendorString)
	}
	return ""
}

// machineID returns a hash of the system's machine id which only this program makes, so
// that it can be published: the id cannot be found from it.
func machineID() string {
	id := ""
	if data, err := os.ReadFile("/etc/machine-id"); err == nil { // readable by all, HostID's first choice is not
		id = strings.TrimSpace(string(data))
	}
	if id == "" {
		id, _ = host.HostID()
	}
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte("xqlab: which machine is this?"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// buildSetting returns what the go command noted about this binary.
func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
