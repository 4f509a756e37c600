package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

const testEndpoint = "https://a.example"

// healthIn returns a Health that is shut down at the end of the test.
func healthIn(t *testing.T, c *resilience.Config, opts ...resilience.HealthOption) (*resilience.Health, *recorder) {
	t.Helper()
	rec := &recorder{}
	h := resilience.NewHealth(c, append(opts, resilience.WithHealthObserver(rec.observe))...)
	t.Cleanup(func() { assert.NoError(t, h.Shutdown(context.Background())) })
	return h, rec
}

// recordCalls records n calls that end with err. A nil err means success.
func recordCalls(t *testing.T, h *resilience.Health, n int, err error) {
	t.Helper()
	for range n {
		h.Record(t.Context(), resilience.Outcome{Endpoint: testEndpoint, Time: time.Now(), Latency: time.Second, Result: classify.Error(err)})
	}
}

// changes describes each event: the change of health, and the time since start.
func (r *recorder) changes(start time.Time) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, e := range r.events {
		lines = append(lines, fmt.Sprintf("%s→%s %v", e.From, e.To, e.Time.Sub(start)))
	}
	return lines
}

func TestHealthByCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		config  *resilience.Config
		record  func(*testing.T, *resilience.Health)
		healthy bool
	}{
		{"nothing is known", nil, func(*testing.T, *resilience.Health) {}, true},
		{"nine failures are too few to judge", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 9, errNetwork) }, true},
		{"ten failures of ten", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 10, errNetwork) }, false},
		{"five failures of ten", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 5, nil); recordCalls(t, h, 5, errNetwork) }, false},
		{"five failures of eleven", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 6, nil); recordCalls(t, h, 5, errNetwork) }, true},
		{"fatal errors say nothing", nil, func(t *testing.T, h *resilience.Health) {
			recordCalls(t, h, 100, errors.New("401 unauthorized"))
			recordCalls(t, h, 9, errNetwork)
		}, true},
		{"cancellations say nothing", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 100, context.Canceled) }, true},
		{"overflows say nothing", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 100, errors.New("prompt is too long")) }, true},
		{"timeouts speak against it", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 10, context.DeadlineExceeded) }, false},
		{"failures within five minutes", nil, func(t *testing.T, h *resilience.Health) {
			recordCalls(t, h, 5, errNetwork)
			advance(5*time.Minute - time.Second)
			recordCalls(t, h, 5, errNetwork)
		}, false},
		{"failures more than five minutes apart", nil, func(t *testing.T, h *resilience.Health) {
			recordCalls(t, h, 5, errNetwork)
			advance(5 * time.Minute)
			recordCalls(t, h, 5, errNetwork)
		}, true},
		{"failures of long ago", nil, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 10, errNetwork); advance(time.Hour) }, true},
		{"failures that are told late", nil, func(t *testing.T, h *resilience.Health) {
			long := time.Now().Add(-6 * time.Minute)
			for range 20 {
				h.Record(t.Context(), resilience.Outcome{Endpoint: testEndpoint, Time: long, Result: classify.Error(errNetwork)})
			}
		}, true},
		{"failures of the future are of now", nil, func(t *testing.T, h *resilience.Health) {
			for range 10 {
				h.Record(t.Context(), resilience.Outcome{Endpoint: testEndpoint, Time: time.Now().Add(time.Hour), Result: classify.Error(errNetwork)})
			}
		}, false},
		{"failures without a time are of now", nil, func(t *testing.T, h *resilience.Health) {
			for range 10 {
				h.Record(t.Context(), resilience.Outcome{Endpoint: testEndpoint, Result: classify.Error(errNetwork)})
			}
		}, false},
		{"another threshold", &resilience.Config{HealthCheck: resilience.HealthConfig{UnhealthyThreshold: 0.9}},
			func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 2, nil); recordCalls(t, h, 10, errNetwork) }, true},
		{"another threshold of this endpoint", &resilience.Config{Endpoints: map[string]resilience.EndpointConfig{
			testEndpoint: {HealthCheck: resilience.HealthConfig{UnhealthyThreshold: 0.1}},
		}}, func(t *testing.T, h *resilience.Health) { recordCalls(t, h, 18, nil); recordCalls(t, h, 2, errNetwork) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, rec := healthIn(t, tt.config)
				advance(time.Hour) // move the window to a time other than 0
				tt.record(t, h)
				assert.Equal(t, tt.healthy, h.Healthy(testEndpoint))
				assert.True(t, h.Healthy("https://b.example"), "another endpoint")
				if tt.healthy && len(rec.events) > 0 {
					assert.Equal(t, resilience.Healthy, rec.last().To)
				}
			})
		})
	}
}

// Each change of health causes one event, with the cause of the change.
func TestHealthEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, rec := healthIn(t, nil, resilience.WithHealthObserver(nil), nil)
		start := time.Now()
		recordCalls(t, h, 30, errNetwork)
		require.Len(t, rec.events, 1)
		e := rec.last()
		assert.Equal(t, resilience.KindHealth, e.Kind)
		assert.Equal(t, resilience.Target{Endpoint: testEndpoint}, e.Target)
		assert.Equal(t, 10, e.Failures)
		assert.Equal(t, classify.ReasonNetwork, e.Result.Reason)
		advance(6 * time.Minute)
		assert.True(t, h.Healthy(testEndpoint))
		assert.True(t, h.Healthy(testEndpoint))
		assert.Equal(t, []string{"healthy→unhealthy 0s", "unhealthy→healthy 6m0s"}, rec.changes(start))
	})
}

// If an observer causes another event, events still arrive one at a time and in
// order.
func TestHealthEventsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h *resilience.Health
		var order []string
		telling := false
		h = resilience.NewHealth(nil, resilience.WithHealthObserver(func(_ context.Context, e resilience.Event) {
			assert.False(t, telling, "told of two events at a time")
			telling = true
			order = append(order, e.To)
			if e.To == resilience.Unhealthy {
				recordCalls(t, h, 11, nil)
			}
			telling = false
		}))
		recordCalls(t, h, 10, errNetwork)
		assert.Equal(t, []string{resilience.Unhealthy, resilience.Healthy}, order)
	})
}

func TestHealthSnapshot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, _ := healthIn(t, nil)
		assert.Empty(t, h.Snapshot())
		recordCalls(t, h, 3, nil)
		h.Record(t.Context(), resilience.Outcome{Endpoint: testEndpoint, Latency: 5 * time.Second, Result: classify.Error(errNetwork)})
		h.Healthy("https://0.example")
		want := []resilience.EndpointHealth{
			{Endpoint: "https://0.example", Healthy: true, SuccessRate: 1},
			{Endpoint: testEndpoint, Healthy: true, Calls: 4, Failed: 1, SuccessRate: 0.75, FailureRate: 0.25, Latency: 2 * time.Second},
		}
		assert.Equal(t, want, h.Snapshot())

		advance(5 * time.Minute)
		want[1] = resilience.EndpointHealth{Endpoint: testEndpoint, Healthy: true, SuccessRate: 1}
		assert.Equal(t, want, h.Snapshot())
	})
}

// pinger has a ping function whose result a test can set.
type pinger struct {
	mu    sync.Mutex
	err   error
	pings int
	took  time.Duration
}

func (p *pinger) ping(ctx context.Context, _ string) error {
	p.mu.Lock()
	p.pings++
	err, took := p.err, p.took
	p.mu.Unlock()
	select {
	case <-time.After(took):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pinger) set(err error, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err, p.took = err, took
}

func (p *pinger) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pings
}

func TestHealthPings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{took: 2 * time.Second}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		advance(time.Hour)
		assert.Zero(t, p.count(), "before an endpoint is mentioned")
		start := time.Now()
		assert.True(t, h.Healthy(testEndpoint))
		advance(95 * time.Second)
		assert.Equal(t, 3, p.count(), "each 30 s")
		s := h.Snapshot()[0]
		assert.Equal(t, 3, s.Calls)
		assert.Equal(t, 2*time.Second, s.Latency)
		assert.Equal(t, 92*time.Second, s.LastPing.Sub(start))

		// An unused endpoint is removed, and its pings stop. The pings begin again
		// when the endpoint is used again.
		advance(2 * time.Hour)
		forgotten := p.count()
		advance(time.Hour)
		assert.Equal(t, forgotten, p.count())
		assert.Empty(t, h.Snapshot())
		h.Healthy(testEndpoint)
		advance(time.Minute + 5*time.Second)
		assert.Equal(t, forgotten+2, p.count())

		require.NoError(t, h.Shutdown(t.Context()))
		require.NoError(t, h.Shutdown(t.Context()), "shutting down again")
		h.Healthy("https://b.example")
		advance(time.Hour)
		assert.Equal(t, forgotten+2, p.count(), "after Shutdown")
	})
}

// Without calls, pings detect an outage and a recovery.
func TestHealthByPings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{err: syscall.ECONNREFUSED}
		h, rec := healthIn(t, &resilience.Config{HealthCheck: resilience.HealthConfig{PingIntervalMs: 10_000}}, resilience.WithPing(p.ping))
		start := time.Now()
		h.Healthy(testEndpoint)
		advance(3 * time.Minute)
		assert.False(t, h.Healthy(testEndpoint))
		require.ErrorIs(t, rec.last().Err, syscall.ECONNREFUSED)
		p.set(nil, 0)
		advance(time.Minute)
		assert.True(t, h.Healthy(testEndpoint))
		assert.Equal(t, []string{"healthy→unhealthy 1m40s", "unhealthy→healthy 3m10s"}, rec.changes(start))
		assert.Zero(t, h.Snapshot()[0].Failed, "what was before does not count any more")
	})
}

// A ping has failed if it takes longer than the interval.
func TestHealthSlowPing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{took: time.Hour}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		h.Healthy(testEndpoint)
		advance(2 * time.Minute)
		s := h.Snapshot()[0]
		assert.Positive(t, s.Calls)
		assert.Equal(t, s.Calls, s.Failed)
		assert.Equal(t, 30*time.Second, s.Latency)
	})
}

// An endpoint counts as healthy if its ping function is faulty.
func TestHealthFailsOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ping resilience.Probe
	}{
		{"no key", func(context.Context, string) error { return errors.New("401 unauthorized") }},
		{"no such name", func(context.Context, string) error { return &net.DNSError{Err: "no such host", IsNotFound: true} }},
		{"an error that nobody knows", func(context.Context, string) error { return errors.New("boom") }},
		{"a panic", func(context.Context, string) error { panic("boom") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, rec := healthIn(t, nil, resilience.WithPing(tt.ping))
				start := time.Now()
				recordCalls(t, h, 10, errNetwork)
				assert.False(t, h.Healthy(testEndpoint))
				require.NoError(t, h.WaitForRecovery(t.Context(), testEndpoint))
				assert.Equal(t, 30*time.Second, time.Since(start), "until the first ping")
				recordCalls(t, h, 10, errNetwork)
				assert.True(t, h.Healthy(testEndpoint))
				assert.True(t, h.Snapshot()[0].PingBroken)
				advance(time.Minute)
				assert.Equal(t, []string{"healthy→unhealthy 0s", "unhealthy→healthy 30s"}, rec.changes(start))
			})
		})
	}
}

// While the ping function is faulty, failed calls do not make the endpoint
// unhealthy.
func TestHealthPingRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{err: errors.New("401 unauthorized")}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		recordCalls(t, h, 20, errNetwork)
		advance(31 * time.Second)
		assert.True(t, h.Healthy(testEndpoint), "blind")
		p.set(syscall.ECONNREFUSED, 0)
		advance(30 * time.Second)
		assert.False(t, h.Healthy(testEndpoint), "not blind any more")
		assert.False(t, h.Snapshot()[0].PingBroken)
	})
}

func TestHealthConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{}
		var h *resilience.Health
		var told atomic.Int64
		h = resilience.NewHealth(nil, resilience.WithPing(p.ping), resilience.WithHealthObserver(func(context.Context, resilience.Event) {
			told.Add(1)
			h.Snapshot() // forbidden in an observer, but must not deadlock
		}))
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				name := fmt.Sprint(i % 5)
				session, cancel := context.WithCancelCause(t.Context())
				stop := h.Watch(session, name)
				for range 20 {
					h.Record(t.Context(), resilience.Outcome{Endpoint: name, Result: classify.Error(errNetwork)})
					h.Healthy(name)
					h.Snapshot()
				}
				assert.NoError(t, h.WaitForRecovery(t.Context(), name))
				cancel(errors.New("exited"))
				stop()
			})
		}
		wg.Wait()
		require.NoError(t, h.Shutdown(t.Context()))
		synctest.Wait()
		assert.GreaterOrEqual(t, told.Load(), int64(10), "each endpoint down and up")
	})
}

// An executor waits for an unhealthy endpoint and continues after its recovery.
func TestHealthWithExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{err: syscall.ECONNREFUSED}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		x := executor(t, enabled(), resilience.WithMonitor(h))
		call := resilience.Call{Targets: []resilience.Target{{Endpoint: testEndpoint}}}
		recordCalls(t, h, 10, errNetwork)
		start := time.Now()
		time.AfterFunc(time.Minute+time.Second, func() { p.set(nil, 0) })
		at, err := resilience.Do(t.Context(), x, call, func(context.Context, resilience.Target) (time.Duration, error) {
			return time.Since(start), nil
		})
		require.NoError(t, err)
		assert.Equal(t, 90*time.Second, at)
		assert.Equal(t, 2, h.Snapshot()[0].Calls, "the ping and the call")
	})
}

// The session is a process. When the process ends, the endpoint becomes unhealthy.
func TestHealthOfProcess(t *testing.T) {
	t.Parallel()
	told := make(chan resilience.Event, 1)
	h, _ := healthIn(t, nil, resilience.WithHealthObserver(func(_ context.Context, e resilience.Event) { told <- e }))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-no-such-flag")
	require.NoError(t, cmd.Start())
	session, exited := context.WithCancelCause(context.Background())
	h.Watch(session, "agent")
	exited(cmd.Wait())
	assert.EqualError(t, (<-told).Err, "session died: exit status 2")
	assert.False(t, h.Healthy("agent"))
}
