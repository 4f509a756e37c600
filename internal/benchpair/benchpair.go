// Package benchpair compares, within one benchmark, the cost of some work with
// and without errclass.
package benchpair

import (
	"slices"
	"testing"
	"time"
)

// turn is the number of consecutive calls of one function.
const turn = 64

// Compare measures two functions: bare does the work without errclass, and ours does it
// with errclass. Compare calls the two alternately and compares the medians. It reports:
//
//   - bare-ns, ours-ns: the time per call in nanoseconds
//   - more-ns: the difference
//   - x-bare: the ratio
//   - more-allocs: the additional allocations of ours
func Compare(b *testing.B, bare, ours func()) {
	b.Helper()
	allocsBare := testing.AllocsPerRun(100, bare)
	allocs := testing.AllocsPerRun(100, ours)
	var tBare, tOurs []time.Duration
	for b.Loop() {
		start := time.Now()
		for range turn {
			bare()
		}
		mid := time.Now()
		for range turn {
			ours()
		}
		tBare = append(tBare, mid.Sub(start))
		tOurs = append(tOurs, time.Since(mid))
	}
	nsBare, nsOurs := median(tBare)/turn, median(tOurs)/turn
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(nsBare, "bare-ns")
	b.ReportMetric(nsOurs, "ours-ns")
	b.ReportMetric(nsOurs-nsBare, "more-ns")
	b.ReportMetric(nsOurs/nsBare, "x-bare")
	b.ReportMetric(allocs-allocsBare, "more-allocs")
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2])
}
