package engine

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// usage reads a process's processor time and the time its threads have waited for a
// processor, both since its start.
type usage struct {
	clock   int32 // the process's CPU-time clock
	tasks   int   // a descriptor of /proc/PID/task
	known   uint64
	threads []int // descriptors of each thread's schedstat
	buf     [96]byte
}

// newUsage begins to watch a process; the zero readings of a nil *usage mean unknown.
func newUsage(pid int) *usage {
	const perProcess = 2 // CPUCLOCK_SCHED; see clock_getcpuclockid(3)
	u := &usage{clock: int32(^pid<<3 | perProcess), tasks: -1}
	u.tasks, _ = unix.Open("/proc/"+strconv.Itoa(pid)+"/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return u
}

// cpu returns the processor time used by all threads.
func (u *usage) cpu() time.Duration {
	var t unix.Timespec
	if u == nil || unix.ClockGettime(u.clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// delay returns the time that the threads which live now have spent ready to run, waiting
// for a processor.
func (u *usage) delay() time.Duration {
	if u == nil || u.tasks < 0 {
		return 0
	}
	var st unix.Stat_t
	if unix.Fstat(u.tasks, &st) == nil && uint64(st.Nlink) != u.known {
		u.list()
		u.known = uint64(st.Nlink)
	}
	var sum time.Duration
	for _, fd := range u.threads {
		if n, err := unix.Pread(fd, u.buf[:], 0); err == nil {
			sum += secondNumber(u.buf[:n])
		}
	}
	return sum
}

// secondNumber reads the second of schedstat's three: nanoseconds on the run queue.
func secondNumber(b []byte) time.Duration {
	field, n := 0, time.Duration(0)
	for _, c := range b {
		switch {
		case c == ' ':
			field++
		case field == 1 && '0' <= c && c <= '9':
			n = n*10 + time.Duration(c-'0')
		}
	}
	return n
}

// list opens the schedstat of each thread.
func (u *usage) list() {
	u.closeThreads()
	dir, err := os.ReadDir("/proc/self/fd/" + strconv.Itoa(u.tasks))
	if err != nil {
		return
	}
	const most = 256 // threads watched
	for _, e := range dir[:min(len(dir), most)] {
		if fd, err := unix.Openat(u.tasks, e.Name()+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			u.threads = append(u.threads, fd)
		}
	}
}

func (u *usage) closeThreads() {
	for _, fd := range u.threads {
		unix.Close(fd)
	}
	u.threads = u.threads[:0]
}

// close gives back the descriptors.
func (u *usage) close() {
	if u == nil {
		return
	}
	u.closeThreads()
	if u.tasks >= 0 {
		unix.Close(u.tasks)
	}
	u.tasks = -1
}

// suspended returns how long this machine has been suspended since it was started.
func suspended() time.Duration {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - mono.Nano())
}
