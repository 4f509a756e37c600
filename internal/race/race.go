//go:build race

// Package race tells tests whether they run under the race detector.
package race

// PoolFactor is how many times more may be allocated than otherwise: under the
// race detector a sync.Pool forgets what it was given at random.
const PoolFactor = 16
