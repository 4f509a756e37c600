//go:build !race

// Package race adapts tests to the race detector.
package race

// PoolFactor is the factor by which a test multiplies the number of allocations that
// it permits. It is 1 without the race detector.
const PoolFactor = 1
