// Package benchpair compares, within one benchmark, the cost of some work with
// the cost of the same work where errclass has a part in it.
package benchpair

import (
	"slices"
	"testing"
	"time"
)

// turn is how often one side is called before it is the other's turn.
const turn = 64

// Compare times bare and ours by turns and takes the medians, so that their
// difference and their ratio hold on a machine that is busy with other things.
// It reports, in nanoseconds a call, bare-ns, ours-ns and more-ns, their
// difference; x-bare, their ratio; and more-allocs, the allocations that ours
// has more than bare.
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
