package mask_test

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the time that f keeps a processor busy, whatever else the machine
// does meanwhile.
func cpuTime(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	f()
	return threadTime() - before
}

func threadTime() time.Duration {
	var clock unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &clock); err != nil {
		panic(err)
	}
	return time.Duration(clock.Nano())
}
