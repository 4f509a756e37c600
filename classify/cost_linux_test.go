package classify

import (
	"runtime"
	"testing"
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

func TestCPUTime(t *testing.T) {
	t.Parallel()
	if got := cpuTime(func() { time.Sleep(20 * time.Millisecond) }); got > 10*time.Millisecond {
		t.Errorf("sleeping kept a processor busy for %v", got)
	}
}
