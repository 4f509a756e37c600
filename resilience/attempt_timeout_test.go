package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// hung returns when its context ends.
func hung(ctx context.Context, _ resilience.Target) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// A hanging call ends after the attempt timeout and is repeated. Enough hanging
// calls open the breaker.
func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	forCallers(t, func(t *testing.T, n int) {
		x, _ := jittered(t, configOf(t, `{enabled: true, retry: {attemptTimeoutMs: 2000}}`))
		p := newFakeEndpoint(func(time.Duration) error { return nil })
		errs, ends := make([]error, n), make([]time.Duration, n)
		done := make(chan int)
		for i := range n {
			go func() {
				_, errs[i] = resilience.Do(t.Context(), x, onPrimary, hung)
				ends[i] = time.Since(p.start)
				done <- i
			}()
		}
		for range n {
			i := <-done
			require.ErrorIs(t, errs[i], context.DeadlineExceeded)
			e := asError(t, errs[i])
			limit, ok := errors.AsType[*resilience.AttemptTimeoutError](e.Err)
			require.True(t, ok, "got %v", e.Err)
			assert.Equal(t, 2*time.Second, limit.Limit)
			assert.EqualError(t, limit, "no answer within 2s")
			assert.True(t, limit.Timeout())
			assert.Equal(t, classify.CategoryTimeout, e.Attempts[0].Result.Category)
			if n == 1 {
				assert.Len(t, e.Attempts, 3)
			}
			assert.LessOrEqual(t, ends[i], 15*time.Second, "three calls, their pauses, and as long at the gate")
		}
		for stateOf(x) != resilience.BreakerOpen {
			_, err := resilience.Do(t.Context(), x, onPrimary, hung)
			require.Error(t, err)
			require.Less(t, time.Since(p.start), time.Minute)
		}
	})
}

// A faster answer or an earlier deadline of the caller makes the attempt timeout
// irrelevant.
func TestAttemptTimeout_InTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, configOf(t, `{enabled: true, agents: {quick: {retry: {attemptTimeoutMs: 2000}}}}`))
		quick := resilience.Call{Agent: "quick", Targets: onPrimary.Targets}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := resilience.Do(ctx, x, quick, hung)
		require.EqualError(t, err, context.DeadlineExceeded.Error(), "the function's own error")
		assert.Equal(t, time.Second, time.Since(start))
		assert.Zero(t, x.Breakers().Snapshot()[0].Failures)

		got, err := resilience.Do(t.Context(), x, quick, func(context.Context, resilience.Target) (int, error) {
			time.Sleep(1999 * time.Millisecond)
			return 7, nil
		})
		require.NoError(t, err)
		assert.Equal(t, 7, got)
		got, err = resilience.Do(t.Context(), x, onPrimary, func(context.Context, resilience.Target) (int, error) {
			time.Sleep(time.Hour) // an agent without a limit
			return 8, nil
		})
		require.NoError(t, err)
		assert.Equal(t, 8, got)
	})
}

// The attempt timeout of a Transport limits the time until the response header. It
// does not limit the time for the body.
func TestTransport_AttemptTimeout(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			<-r.Context().Done()
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(600 * time.Millisecond)
		_, _ = io.WriteString(w, "slow but whole")
	}))
	defer srv.Close()
	cfg := fastConfig()
	cfg.Retry.AttemptTimeoutMs = 300
	client := &http.Client{Transport: resilience.NewTransport(nil, executor(t, cfg))}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, "slow but whole", string(body))
	assert.EqualValues(t, 2, calls.Load())
}

// Each call without an answer counts as a failure, even if such calls overlap. The
// fifth such call opens the breaker.
func TestAttemptTimeout_EachCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, configOf(t, `{enabled: true, retry: {attemptTimeoutMs: 2000}}`))
		start := time.Now()
		for range 5 {
			go func() { _, _ = resilience.Do(t.Context(), x, onPrimary, hung) }()
			time.Sleep(100 * time.Millisecond)
		}
		for stateOf(x) != resilience.BreakerOpen {
			require.Less(t, time.Since(start), 3*time.Second)
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Minute)
	})
}

// The restart queue accepts calls that got no answer, and calls that the circuit breaker
// refused.
func TestAttemptTimeout_Restart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := configOf(t, `{enabled: true, retry: {attemptTimeoutMs: 2000}, circuitBreaker: {bridgeMs: 0}}`)
		q, err := resilience.NewQueue(cfg)
		require.NoError(t, err)
		x := executor(t, cfg, resilience.WithRestarter(q))
		back := time.Now().Add(40 * time.Second)
		f := func(ctx context.Context, _ resilience.Target) (int, error) {
			if time.Now().Before(back) {
				<-ctx.Done()
			}
			return 0, ctx.Err()
		}
		call := resilience.Call{Targets: onPrimary.Targets, Restart: resilience.Task{Kind: "ask"}}
		answers := 0
		q.Register("ask", func(ctx context.Context, _ []byte) error {
			_, err := resilience.Do(ctx, x, call, f)
			if err == nil {
				answers++
			}
			return err
		})
		for n := 0; stateOf(x) != resilience.BreakerOpen; n++ {
			require.Less(t, n, 3)
			_, err := resilience.Do(t.Context(), x, call, f)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.True(t, asError(t, err).Queued)
		}
		_, err = resilience.Do(t.Context(), x, call, f)
		require.ErrorIs(t, err, resilience.ErrOpen)
		assert.True(t, asError(t, err).Queued)
		queued := len(q.Tasks())
		for len(q.Tasks()) > 0 {
			time.Sleep(time.Minute)
			require.Less(t, time.Since(back), time.Hour)
		}
		assert.Equal(t, queued, answers)
	})
}
