package resilience_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// get makes a request to the primary target through a client. It returns an error
// without a response.
func get(ctx context.Context, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, primary.Endpoint, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// up is a base transport whose server always answers.
func up(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// A call within the trial call, or within a call of the ramp, does not wait for its
// outer call.
func TestDo_WithinItself(t *testing.T) {
	t.Parallel()
	client := func(x *resilience.Executor, layers int) *http.Client {
		var base http.RoundTripper = roundTrip(up)
		for range layers {
			base = resilience.NewTransport(base, x)
		}
		return &http.Client{Transport: base}
	}
	do := func(ctx context.Context, x *resilience.Executor, f func(context.Context) error) error {
		_, err := resilience.Do(ctx, x, onPrimary, func(ctx context.Context, _ resilience.Target) (int, error) { return 0, f(ctx) })
		return err
	}
	for _, tt := range []struct {
		name string
		call func(context.Context, *resilience.Executor) error
	}{
		{"Do in Do in Do", func(ctx context.Context, x *resilience.Executor) error {
			return do(ctx, x, func(ctx context.Context) error {
				return do(ctx, x, func(ctx context.Context) error { return do(ctx, x, func(context.Context) error { return nil }) })
			})
		}},
		{"Transport in Do", func(ctx context.Context, x *resilience.Executor) error {
			return do(ctx, x, func(ctx context.Context) error { return get(ctx, client(x, 1)) })
		}},
		{"Transport in Transport", func(ctx context.Context, x *resilience.Executor) error { return get(ctx, client(x, 2)) }},
	} {
		for after, failures := range map[string][]error{
			"an outage":    {errNetwork, errNetwork, errNetwork, errNetwork, errNetwork},
			"a rate limit": {answer(http.StatusTooManyRequests, "2")},
		} {
			t.Run(tt.name+" after "+after, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					cfg := single()
					cfg.Retry.Reasons = map[classify.Reason]resilience.ReasonConfig{classify.ReasonRateLimit: {Calls: 1}}
					m := &monitor{}
					b := newFixture(t, cfg, resilience.WithMonitor(m))
					for _, err := range failures {
						b.fail(1, err)
					}
					time.Sleep(2 * time.Second)
					start, counted := time.Now(), len(m.outcomes)
					require.NoError(t, tt.call(t.Context(), b.x))
					assert.Zero(t, time.Since(start), "nobody waits")
					assert.Len(t, m.outcomes, counted+1, "only the outer call counts")
					assert.Equal(t, resilience.BreakerClosed, b.state())
				})
			})
		}
	}
}

// A probe or a ping can use the program's own client. Its request does not wait for the
// endpoint's recovery, which depends on it.
func TestProbe_ThroughTheClient(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"probe", "ping"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var down, made atomic.Bool
				client := &http.Client{}
				probe := func(ctx context.Context, endpoint string) error {
					assert.Equal(t, primary.Endpoint, endpoint)
					made.Store(true)
					return get(ctx, client)
				}
				cfg, opts := enabled(), []resilience.Option{resilience.WithProbe(probe)}
				if kind == "ping" {
					h := resilience.NewHealth(cfg, resilience.WithPing(probe))
					defer func() {
						advance(2 * time.Hour)
						assert.Empty(t, h.Snapshot(), "a ping is no use of the endpoint")
						assert.NoError(t, h.Shutdown(t.Context()))
					}()
					opts = []resilience.Option{resilience.WithMonitor(h)}
				}
				x := executor(t, cfg, opts...)
				client.Transport = resilience.NewTransport(roundTrip(func(r *http.Request) (*http.Response, error) {
					if down.Load() {
						return nil, errNetwork
					}
					return up(r)
				}), x)
				down.Store(true)
				time.AfterFunc(2*time.Minute, func() { down.Store(false) })
				for range 12 {
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
					assert.Error(t, get(ctx, client))
					cancel()
				}
				advance(2 * time.Minute)
				made.Store(false)
				advance(30 * time.Second)
				start := time.Now()
				require.NoError(t, get(t.Context(), client))
				assert.Zero(t, time.Since(start), "it has recovered")
				assert.True(t, made.Load())
				assert.Equal(t, resilience.BreakerClosed, x.Breakers().Snapshot()[0].State)
			})
		})
	}
}

// A call with the context of a trial passes only the gate of the trial, and only
// during the trial.
func TestDo_WithinItself_Limits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t, strict())
		b.fail(5, errNetwork)
		time.Sleep(5 * time.Minute)
		var kept context.Context
		call := func(ctx context.Context, key string) error {
			to := resilience.Target{Endpoint: primary.Endpoint, Key: key}
			_, err := resilience.Do(ctx, b.x, resilience.Call{Targets: []resilience.Target{to}}, newScript(nil).call)
			return err
		}
		_, err := resilience.Do(t.Context(), b.x, onPrimary, func(ctx context.Context, _ resilience.Target) (int, error) {
			kept = ctx
			assert.NoError(t, call(ctx, ""))
			assert.NoError(t, b.x.Breakers().Force(ctx, primary.Endpoint+"#tenant", resilience.BreakerForceOpen))
			assert.ErrorIs(t, call(ctx, "tenant"), resilience.ErrOpen)
			assert.ErrorIs(t, call(t.Context(), ""), resilience.ErrOpen, "not with another context")
			return 0, errNetwork
		})
		require.ErrorIs(t, err, errNetwork)
		assert.ErrorIs(t, call(kept, ""), resilience.ErrOpen)
		assert.ErrorIs(t, call(context.WithoutCancel(kept), ""), resilience.ErrOpen)
	})
}
