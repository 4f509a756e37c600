//go:build !race

// Package race adapts tests to the race detector.
package race

// PoolFactor is a factor for the number of allocations that a test permits. It is 1
// without the race detector.
const PoolFactor = 1
