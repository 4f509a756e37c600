package resilience_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// fleet simulates many processes that call one endpoint, in virtual time:
//
//   - Each process has an executor and two workers.
//   - A worker makes a call every two seconds.
//   - A call takes 20 ms, and a message to the Sharer takes 2 ms.
type fleet struct {
	processes int
	shared    bool
	failure   error         // what the endpoint answers during the outage
	outage    time.Duration // begins after 10 s
	rest      time.Duration // time after the outage
}

// fleetReport has the counts of a simulation.
type fleetReport struct {
	calls     int
	errors    int           // calls of Do that returned an error
	failed    int           // failed requests
	late      int           // failed requests at least 10 s after the outage began
	perTrial  int           // largest number of late requests within 400 ms
	perSecond int           // largest number of late requests within a second
	median    time.Duration // from the end of the outage to a process's first success
	slowest   time.Duration
	sent      int // changes that the server sent on
	claims    int
}

func (f fleet) run(t *testing.T) (report fleetReport) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := newMemoryServer(2 * time.Millisecond)
		var mu sync.Mutex
		var failures []time.Duration
		recovered := make([]time.Duration, f.processes)
		start := time.Now()
		from, to := 10*time.Second, 10*time.Second+f.outage
		endpoint := func(process int) func(context.Context, resilience.Target) (int, error) {
			return func(context.Context, resilience.Target) (int, error) {
				at := time.Since(start)
				time.Sleep(20 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				if from <= at && at < to {
					failures = append(failures, at-from)
					return 0, f.failure
				}
				if at >= to && recovered[process] == 0 {
					recovered[process] = at - to + 20*time.Millisecond
				}
				return 1, nil
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), to+f.rest)
		defer cancel()
		var workers sync.WaitGroup
		for p := range f.processes {
			opts := []resilience.Option{}
			if f.shared {
				opts = append(opts, resilience.WithSharing(server.join(fmt.Sprint("process ", p))))
			}
			x, err := resilience.New(enabled(), opts...)
			require.NoError(t, err)
			call := resilience.Call{Targets: []resilience.Target{primary}}
			for range 2 {
				workers.Go(func() {
					time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Second))))
					for ctx.Err() == nil {
						begin := time.Now()
						_, err := resilience.Do(ctx, x, call, endpoint(p))
						mu.Lock()
						report.calls++
						if err != nil && ctx.Err() == nil {
							report.errors++
						}
						mu.Unlock()
						time.Sleep(max(2*time.Second-time.Since(begin), 0))
					}
				})
			}
		}
		workers.Wait()
		synctest.Wait()
		report.failed, report.late = len(failures), densest(failures, 10*time.Second, f.outage)
		report.perTrial, report.perSecond = densest(failures, 10*time.Second, 400*time.Millisecond), densest(failures, 10*time.Second, time.Second)
		slices.Sort(recovered)
		assert.Positive(t, recovered[0], "a process had no success after the outage")
		report.median, report.slowest = recovered[len(recovered)/2], recovered[len(recovered)-1]
		report.sent, report.claims = server.sent, server.claims
	})
	t.Logf("%d processes, shared %v: %+v", f.processes, f.shared, report)
	return report
}

// densest returns how many of the given times lie within the busiest period. The length
// of a period is window. Times before earliest are ignored.
func densest(times []time.Duration, earliest, window time.Duration) (most int) {
	slices.Sort(times)
	first, _ := slices.BinarySearch(times, earliest)
	times = times[first:]
	for i, at := range times {
		n, _ := slices.BinarySearchFunc(times, at+window, cmp.Compare[time.Duration])
		most = max(most, n-i)
	}
	return most
}

// The endpoint is down for 45 s. With sharing, one process at a time makes a trial.
func TestFleet_Outage(t *testing.T) {
	t.Parallel()
	f := fleet{processes: 2000, failure: errNetwork, outage: 45 * time.Second, rest: 10 * time.Second}
	alone := f.run(t)
	f.shared = true
	shared := f.run(t)
	assert.Greater(t, alone.perSecond, 1000, "trials in the same second, not shared")
	assert.Equal(t, 1, shared.perTrial, "trials at the same trial time, shared")
	assert.LessOrEqual(t, shared.late, alone.late/500, "calls in vain after the first ten seconds")
	assert.LessOrEqual(t, shared.failed, alone.failed/3)
	assert.LessOrEqual(t, shared.slowest, alone.slowest+2*time.Second)
	// Shared breakers open earlier. They refuse new calls from bridgeMs after the
	// opening, so more calls may fail with sharing.
	assert.LessOrEqual(t, shared.errors, alone.errors*3/2)
}

// The endpoint has a rate limit. With sharing, only a few processes call the endpoint
// during the rate limit.
func TestFleet_RateLimit(t *testing.T) {
	t.Parallel()
	f := fleet{processes: 2000, failure: answer(429, "10"), outage: 30 * time.Second, rest: 10 * time.Second}
	alone := f.run(t)
	f.shared = true
	shared := f.run(t)
	assert.LessOrEqual(t, shared.failed, alone.failed/20)
	assert.LessOrEqual(t, shared.errors, alone.errors)
	assert.LessOrEqual(t, shared.slowest, alone.slowest+2*time.Second)
}
