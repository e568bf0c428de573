package arena

import (
	"time"

	"golang.org/x/sys/unix"
)

// asleep returns how long this machine has been suspended since it was started: the
// difference of the clocks that count such time and that do not.
func asleep() time.Duration {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - mono.Nano())
}
