//go:build !linux

package mask_test

import "time"

// cpuTime is the time that f takes.
func cpuTime(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
