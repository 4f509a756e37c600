package classify

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
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

// threadTime reads the clock of this thread. Getrusage counts in ticks of some
// milliseconds on many machines, and package syscall has no ClockGettime.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var clock syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&clock)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(clock.Nano())
}

func TestCPUTime(t *testing.T) {
	t.Parallel()
	if got := cpuTime(func() { time.Sleep(20 * time.Millisecond) }); got > 10*time.Millisecond {
		t.Errorf("sleeping kept a processor busy for %v", got)
	}
	if got := cpuTime(func() { _ = ordinaryText(t, 64<<10) }); got <= 0 {
		t.Errorf("work took %v", got)
	}
}
