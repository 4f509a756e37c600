//go:build race

// Package race adapts tests to the race detector.
package race

// PoolFactor is the factor by which a test multiplies the number of allocations that
// it permits. Under the race detector, a sync.Pool drops items at random, so code
// that uses it allocates more.
const PoolFactor = 16
