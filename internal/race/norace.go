//go:build !race

// Package race adapts tests to the race detector.
package race

// PoolFactor multiplies the allocations that a test permits.
const PoolFactor = 1
