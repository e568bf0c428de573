package engine

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// usage reads a process's processor time and the time its threads have waited for a
// processor, both since its start.
type usage struct {
	clock   int32  // the process's CPU-time clock
	tasks   int    // a descriptor of /proc/PID/task
	known   uint64 // its link count, which goes with the number of threads
	threads []thread
	buf     [96]byte
}

// thread is a thread with a descriptor of its schedstat.
type thread struct{ id, fd int }

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
func (u *usage) delay() (sum time.Duration) {
	if u == nil || u.tasks < 0 {
		return 0
	}
	u.refresh()
	for _, t := range u.threads {
		sum += u.wait(t)
	}
	return sum
}

// wait returns the time that a thread has waited for a processor.
func (u *usage) wait(t thread) time.Duration {
	n, err := unix.Pread(t.fd, u.buf[:], 0)
	if err != nil {
		return 0
	}
	return secondNumber(u.buf[:n])
}

// refresh lists the threads anew when their number has changed.
func (u *usage) refresh() {
	var st unix.Stat_t
	if unix.Fstat(u.tasks, &st) == nil && uint64(st.Nlink) != u.known {
		u.list()
		u.known = uint64(st.Nlink)
	}
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
		id, _ := strconv.Atoi(e.Name())
		if fd, err := unix.Openat(u.tasks, e.Name()+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			u.threads = append(u.threads, thread{id, fd})
		}
	}
}

func (u *usage) closeThreads() {
	for _, t := range u.threads {
		unix.Close(t.fd)
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

// ownThreads watches the threads of this process, which are the same for every client.
type ownThreads struct {
	mu sync.Mutex
	u  *usage
}

var own = sync.OnceValue(func() *ownThreads { return &ownThreads{u: newUsage(os.Getpid())} })

// threadWait is the time that a thread of this process has waited for a processor.
type threadWait struct {
	id   int
	wait time.Duration
}

// waits appends the readings of all threads.
func (o *ownThreads) waits(list []threadWait) []threadWait {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.u.tasks < 0 {
		return list
	}
	o.u.refresh()
	for _, t := range o.u.threads {
		list = append(list, threadWait{t.id, o.u.wait(t)})
	}
	return list
}

// since returns what a thread has waited since the readings.
func (o *ownThreads) since(list []threadWait, id int) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.u.threads, func(t thread) bool { return t.id == id })
	if i < 0 {
		return 0
	}
	d := o.u.wait(o.u.threads[i])
	if j := slices.IndexFunc(list, func(t threadWait) bool { return t.id == id }); j >= 0 {
		d -= list[j].wait
	}
	return max(0, d)
}

// threadID names the thread that runs this goroutine now.
func threadID() int { return unix.Gettid() }

// suspended returns how long this machine has been suspended since it was started.
func suspended() time.Duration {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - mono.Nano())
}
