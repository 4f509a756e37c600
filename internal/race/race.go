//go:build race

// Package race adapts tests to the race detector.
package race

// PoolFactor is a factor for the number of allocations that a test permits. Under
// the race detector, a sync.Pool drops items at random, so tests allocate more.
const PoolFactor = 16
