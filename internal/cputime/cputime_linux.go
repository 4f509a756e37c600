// Package cputime measures what a test costs, whatever else the machine does.
package cputime

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Of is the time that f keeps a processor busy. Elsewhere than on Linux it is the
// time that f takes.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := thread()
	f()
	return thread() - before
}

// thread reads the clock of this thread. Getrusage counts in ticks of some
// milliseconds on many machines, and package syscall has no ClockGettime.
func thread() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var clock syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&clock)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(clock.Nano())
}
