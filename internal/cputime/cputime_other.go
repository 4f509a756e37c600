//go:build !linux

// Package cputime measures what a test costs, whatever else the machine does.
package cputime

import "time"

// Of is the time that f takes.
func Of(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
