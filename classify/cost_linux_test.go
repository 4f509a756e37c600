package classify

import (
	"runtime"
	"syscall"
	"testing"
	"time"
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

// threadTime is what the calling thread has used, to the microsecond. The module
// golang.org/x/sys has a finer clock, and whoever imports classify would have to
// take it along.
func threadTime() time.Duration {
	const rusageThread = 1 // RUSAGE_THREAD of getrusage(2)
	var used syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestCPUTime(t *testing.T) {
	t.Parallel()
	if got := cpuTime(func() { time.Sleep(20 * time.Millisecond) }); got > 10*time.Millisecond {
		t.Errorf("sleeping kept a processor busy for %v", got)
	}
}
