//go:build !linux

// Package cputime measures the cost of code in tests.
package cputime

import "time"

// Of returns the time that passes during a call of f.
func Of(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
