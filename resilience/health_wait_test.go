package resilience_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

var errExited = errors.New("exited with code 2")

func TestWaitForRecovery(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		pings   bool
		prepare func(*testing.T, *resilience.Health, *pinger)
		limit   time.Duration // timeout of the caller's context; 0 = none
		want    error
		elapsed time.Duration
	}{
		{"an endpoint that is healthy", true, func(*testing.T, *resilience.Health, *pinger) {}, 0, nil, 0},
		{"a ping succeeds", true, func(t *testing.T, h *resilience.Health, p *pinger) {
			recordCalls(t, h, 10, errNetwork)
			time.AfterFunc(70*time.Second, func() { p.set(nil, 0) })
		}, 0, nil, 90 * time.Second},
		{"the caller's deadline", true, func(t *testing.T, h *resilience.Health, _ *pinger) { recordCalls(t, h, 10, errNetwork) },
			42 * time.Second, context.DeadlineExceeded, 42 * time.Second},
		{"no ping succeeds: somebody has to try", true, func(t *testing.T, h *resilience.Health, _ *pinger) { recordCalls(t, h, 10, errNetwork) },
			0, nil, 5 * time.Minute},
		{"there are no pings", false, func(t *testing.T, h *resilience.Health, _ *pinger) { recordCalls(t, h, 10, errNetwork) }, 0, nil, 0},
		{"a new session", false, func(t *testing.T, h *resilience.Health, _ *pinger) {
			endSession(t, h)
			time.AfterFunc(20*time.Second, func() { h.Watch(context.Background(), testEndpoint) })
		}, 0, nil, 20 * time.Second},
		{"no new session: somebody has to try", false, func(t *testing.T, h *resilience.Health, _ *pinger) { endSession(t, h) },
			0, nil, 5 * time.Minute},
		{"Shutdown", true, func(t *testing.T, h *resilience.Health, _ *pinger) {
			recordCalls(t, h, 10, errNetwork)
			time.AfterFunc(20*time.Second, func() { assert.NoError(t, h.Shutdown(context.Background())) })
		}, 0, nil, 20 * time.Second},
		{"a context that has ended before", true, func(*testing.T, *resilience.Health, *pinger) {},
			-1, context.DeadlineExceeded, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &pinger{err: syscall.ECONNREFUSED}
				var opts []resilience.HealthOption
				if tt.pings {
					opts = append(opts, resilience.WithPing(p.ping))
				}
				h, _ := healthIn(t, nil, opts...)
				tt.prepare(t, h, p)
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if tt.limit != 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
				}
				defer cancel()
				start := time.Now()
				assert.Equal(t, tt.want, h.WaitForRecovery(ctx, testEndpoint))
				assert.Equal(t, tt.elapsed, time.Since(start))
			})
		})
	}
}

// endSession starts a session and ends it with an error.
func endSession(t *testing.T, h *resilience.Health) {
	t.Helper()
	session, cancel := context.WithCancelCause(t.Context())
	h.Watch(session, testEndpoint)
	cancel(errExited)
	synctest.Wait()
	assert.False(t, h.Healthy(testEndpoint))
}

func TestHealthSessionDies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, rec := healthIn(t, nil)
		recordCalls(t, h, 100, nil) // many successes: the endpoint becomes unhealthy nevertheless
		start := time.Now()
		endSession(t, h)
		require.ErrorIs(t, rec.last().Err, errExited)
		assert.NotEmpty(t, rec.last().Result.Category)
		s := h.Snapshot()[0]
		assert.Equal(t, "session died: exited with code 2", s.SessionError)
		assert.False(t, s.Healthy)

		session, cancel := context.WithCancel(t.Context())
		h.Watch(session, testEndpoint)
		assert.True(t, h.Healthy(testEndpoint), "a new session")
		assert.Equal(t, 1, h.Snapshot()[0].Sessions)
		assert.Empty(t, h.Snapshot()[0].SessionError)
		cancel()
		synctest.Wait()
		assert.Equal(t, "session died: context canceled", h.Snapshot()[0].SessionError)
		assert.Equal(t, []string{"healthy→unhealthy 0s", "unhealthy→healthy 0s", "healthy→unhealthy 0s"}, rec.changes(start))
	})
}

// A snapshot has no secret of the error that ended a session.
func TestHealthSessionErrorIsMasked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, _ := healthIn(t, nil)
		session, cancel := context.WithCancelCause(t.Context())
		h.Watch(session, testEndpoint)
		cancel(errors.New("dial wss://bob:S3CRETS3CRET12@h/: EOF"))
		synctest.Wait()
		assert.Equal(t, "session died: dial wss://bob:[masked]@h/: EOF", h.Snapshot()[0].SessionError)
	})
}

// An endpoint with several sessions becomes unhealthy when the last of them dies.
func TestHealthSeveralSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, _ := healthIn(t, nil)
		first, endFirst := context.WithCancelCause(t.Context())
		second, endSecond := context.WithCancelCause(t.Context())
		h.Watch(first, testEndpoint)
		h.Watch(second, testEndpoint)
		endFirst(errExited)
		synctest.Wait()
		assert.True(t, h.Healthy(testEndpoint))
		endSecond(errExited)
		synctest.Wait()
		assert.False(t, h.Healthy(testEndpoint))
	})
}

// After a call of the stop function, the end of the session has no effect.
func TestHealthSessionStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, rec := healthIn(t, nil)
		session, cancel := context.WithCancelCause(t.Context())
		stop := h.Watch(session, testEndpoint)
		stop()
		stop()
		cancel(errExited)
		synctest.Wait()
		assert.True(t, h.Healthy(testEndpoint))
		assert.Zero(t, h.Snapshot()[0].Sessions)
		assert.Empty(t, rec.events)
	})
}

// After the death of a session, a successful ping makes the endpoint healthy.
func TestHealthPingAfterSessionDied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{err: errors.New("401 unauthorized")}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		endSession(t, h)
		advance(time.Minute)
		assert.False(t, h.Healthy(testEndpoint))
		p.set(nil, 0)
		advance(time.Minute)
		assert.True(t, h.Healthy(testEndpoint))
		assert.Empty(t, h.Snapshot()[0].SessionError)
	})
}

// An endpoint with a live session is not removed, even without use.
func TestHealthKeepsSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pinger{}
		h, _ := healthIn(t, nil, resilience.WithPing(p.ping))
		session, cancel := context.WithCancelCause(t.Context())
		h.Watch(session, testEndpoint)
		advance(3 * time.Hour)
		cancel(errExited)
		synctest.Wait()
		assert.False(t, h.Healthy(testEndpoint))
	})
}

// When the context of Shutdown ends, Shutdown stops waiting for a running ping.
func TestHealthShutdownGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		h, _ := healthIn(t, nil, resilience.WithPing(func(context.Context, string) error { <-stuck; return nil }))
		h.Healthy(testEndpoint)
		advance(31 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.EqualError(t, h.Shutdown(ctx), "shut down health: a ping did not end with its context: context deadline exceeded")
		close(stuck)
	})
}

// Unused endpoints are removed.
func TestHealthForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, _ := healthIn(t, nil)
		for range 5 {
			for i := range 1000 {
				h.Healthy(time.Now().String() + string(rune('a'+i%26)) + time.Duration(i).String())
			}
			advance(2 * time.Hour)
		}
		assert.Less(t, len(h.Snapshot()), 2500)
	})
}
