package resilience_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/resilience"
)

// BenchmarkDo compares a successful call through Do with a direct call.
func BenchmarkDo(b *testing.B) {
	f := func(context.Context, resilience.Target) (int, error) { return 1, nil }
	x := executor(b, enabled())
	for _, bm := range []struct {
		name string
		x    *resilience.Executor
		call resilience.Call
	}{
		{name: "off", call: resilience.Call{Targets: []resilience.Target{primary}}},
		{name: "on", x: x, call: resilience.Call{Targets: []resilience.Target{primary}}},
		{name: "on with a key and a fallback", x: x, call: resilience.Call{Key: "k", Targets: []resilience.Target{primary, secondary}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := resilience.Do(b.Context(), bm.x, bm.call, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A successful call allocates little memory with any configuration.
func TestDo_Allocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts those of all goroutines
	x := executor(t, enabled())
	f := func(context.Context, resilience.Target) (int, error) { return 1, nil }
	for _, call := range []resilience.Call{
		{},
		{Targets: []resilience.Target{primary}},
		{Key: "k", Targets: []resilience.Target{{Endpoint: primary.Endpoint, Key: "tenant"}, secondary}},
	} {
		got := testing.AllocsPerRun(100, func() { _, _ = resilience.Do(t.Context(), x, call, f) })
		assert.LessOrEqual(t, got, 8.0)
	}
}

// BenchmarkDoCores compares the throughput of two goroutines with that of one. The
// metric x-two-cores is their ratio, ideally 2.
func BenchmarkDoCores(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("one core")
	}
	const calls, rounds = 1000, 300
	f := func(context.Context, resilience.Target) (int, error) { return 1, nil }
	x := executor(b, enabled())
	call := resilience.Call{Targets: []resilience.Target{primary}}
	// round returns how long the slowest goroutine took.
	round := func(goroutines int64) time.Duration {
		var ready atomic.Int64
		took := make([]time.Duration, goroutines)
		var all sync.WaitGroup
		for i := range took {
			all.Go(func() {
				for ready.Add(1); ready.Load() < goroutines; {
					runtime.Gosched()
				}
				start := time.Now()
				for range calls {
					_, _ = resilience.Do(context.Background(), x, call, f)
				}
				took[i] = time.Since(start)
			})
		}
		all.Wait()
		return slices.Max(took)
	}
	for b.Loop() {
		one, two := time.Hour, time.Hour
		for range rounds {
			one, two = min(one, round(1)), min(two, round(2))
		}
		b.ReportMetric(float64(one.Nanoseconds())/calls, "ns/call")
		b.ReportMetric(2*one.Seconds()/two.Seconds(), "x-two-cores")
	}
}
