// Package cputime measures the cost of code in tests, independent of other load
// on the machine.
package cputime

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Of returns the CPU time that a call of f takes. On systems other than Linux, it returns
// the elapsed time.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := thread()
	f()
	return thread() - before
}

// thread returns the CPU time that this thread has used. Getrusage would be too
// coarse.
func thread() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var clock syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&clock)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(clock.Nano())
}
