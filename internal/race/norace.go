//go:build !race

// Package race tells tests whether they run under the race detector.
package race

// PoolFactor is how many times more may be allocated than otherwise.
const PoolFactor = 1
