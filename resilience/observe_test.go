package resilience_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// logged makes a call that fails with the given errors. It returns the log lines
// without times.
func logged(t *testing.T, cfg *resilience.Config, level slog.Level, fails map[resilience.Target][]error, targets ...resilience.Target) []string {
	t.Helper()
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	// This random value makes the pause recognizable, because its digits appear
	// nowhere else.
	x := executor(t, cfg, resilience.WithLogger(logger), resilience.WithRandom(func() float64 { return 0.123 }))
	_, _ = resilience.Do(t.Context(), x, resilience.Call{Key: "k", Targets: targets}, newScript(fails).call)
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestWithLogger_Lines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := logged(t, enabled(), slog.LevelDebug, map[resilience.Target][]error{primary: {errTransient, answer(429, "2"), errSlow}}, primary, secondary)
		const a, b = `endpoint=https://a.example provider=claude model=a-1`, `endpoint=https://b.example provider=openai model=b-1`
		assert.Equal(t, []string{
			`level=WARN msg="call failed" kind=attempt key=k ` + a + ` attempt=1 error.category=retryable error.reason=transient err="status 503: Service Unavailable"`,
			`level=INFO msg="waiting before the next call" kind=wait key=k ` + a + ` attempt=1 backoffMs=500 error.category=retryable error.reason=transient err="status 503: Service Unavailable"`,
			`level=WARN msg="call failed" kind=attempt key=k ` + a + ` attempt=2 error.category=retryable error.reason=rate_limit err="status 429: Too Many Requests"`,
			`level=DEBUG msg="rate limit holds endpoint" kind=hold endpoint=https://a.example to=begun retryAfterMs=2000 derivedRetry=false error.category=retryable error.reason=rate_limit`,
			`level=INFO msg="waiting before the next call" kind=wait key=k ` + a + ` attempt=2 retryAfterMs=2000 derivedRetry=false error.category=retryable error.reason=rate_limit err="status 429: Too Many Requests"`,
			`level=WARN msg="call failed" kind=attempt key=k ` + a + ` attempt=3 error.category=retryable error.reason=timeout err="status 504: Gateway Timeout"`,
			`level=WARN msg="falling back to another target" kind=fallback key=k ` + b + ` from=claude to=openai error.category=retryable error.reason=timeout err="status 504: Gateway Timeout"`,
			`level=DEBUG msg="call succeeded" kind=attempt key=k ` + b + ` attempt=1`,
			`level=DEBUG msg="call done" kind=done key=k ` + b + ` attempt=4`,
		}, got)
	})
}

// If visibility.logRetries is false, attempts and pauses are not logged.
func TestWithLogger_LogRetries(t *testing.T) {
	t.Parallel()
	quiet := resilience.VisibilityConfig{LogRetries: new(false)}
	for _, tt := range []struct {
		name string
		cfg  *resilience.Config
		want int
	}{
		{name: "all", cfg: enabled(), want: 3 + 2 + 1 + 1},
		{name: "none", cfg: &resilience.Config{Enabled: true, Visibility: quiet}, want: 1},
		{name: "not of one endpoint", want: 1 + 1, cfg: &resilience.Config{
			Enabled: true, Endpoints: map[string]resilience.EndpointConfig{primary.Endpoint: {Visibility: quiet}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := logged(t, tt.cfg, slog.LevelInfo, map[resilience.Target][]error{primary: {errTransient}, secondary: {errKey}}, primary, secondary)
				assert.Len(t, got, tt.want, "%s", got)
			})
		})
	}
}

// An event contains the pause with jitter, but the log record and the JSON of the event
// do not contain this pause.
func TestEvent_ScheduledDelayIsNeverLogged(t *testing.T) {
	t.Parallel()
	e := resilience.Event{
		Kind: resilience.KindWait, Time: time.Unix(0, 0).UTC(), Nominal: 500 * time.Millisecond,
		ScheduledDelay: 431987 * time.Microsecond, Result: classify.Result{Category: "retryable", Reason: "network"},
	}
	var out bytes.Buffer
	noTime := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { // the time could contain these digits by chance
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(slog.NewJSONHandler(&out, noTime)).Info("x", "event", e)
	slog.New(slog.NewTextHandler(&out, noTime)).Info("x", "event", e)
	resilience.LogEvents(slog.New(slog.NewTextHandler(&out, noTime)))(t.Context(), e)
	text, err := json.Marshal(e)
	require.NoError(t, err)
	out.Write(text)
	assert.Contains(t, out.String(), "backoffMs")
	for _, figure := range []string{"431", "432", "cheduledDelay"} {
		assert.NotContains(t, out.String(), figure)
	}
}

func TestCountEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var got []string
		note := func(ctx context.Context, format string, args ...any) {
			assert.Equal(t, 1, ctx.Value(key{}), "the context is the call's")
			got = append(got, fmt.Sprintf(format, args...))
		}
		count := resilience.CountEvents(resilience.Counters{
			Call: func(ctx context.Context, provider string) { note(ctx, "call %s", provider) },
			Retry: func(ctx context.Context, provider string, cause classify.Result, success bool) {
				note(ctx, "retry %s %s %t", provider, cause.Reason, success)
			},
			Fallback: func(ctx context.Context, from, to string, res classify.Result) {
				note(ctx, "fallback %s %s %s", from, to, res.Reason)
			},
			Breaker: func(ctx context.Context, endpoint, state string) { note(ctx, "breaker %s %s", endpoint, state) },
			Attempt: func(ctx context.Context, provider, endpoint string, res classify.Result) {
				note(ctx, "attempt %s %s %s", provider, endpoint, res.Reason)
			},
			Hold: func(ctx context.Context, endpoint string, left time.Duration) {
				note(ctx, "hold %s %s", endpoint, left)
			},
		})
		cfg := enabled()
		cfg.CircuitBreaker.FailureThreshold = 3
		s := newScript(map[resilience.Target][]error{primary: {errTransient}, secondary: {errLimited, nil}})
		_, err := resilience.Do(context.WithValue(t.Context(), key{}, 1), executor(t, cfg, resilience.WithObserver(count)),
			resilience.Call{Targets: []resilience.Target{primary, secondary}}, s.call)
		require.NoError(t, err)
		assert.Equal(t, []string{
			"call claude", "attempt claude https://a.example transient",
			"call claude", "attempt claude https://a.example transient", "retry claude transient false",
			"call claude", "attempt claude https://a.example transient", "retry claude transient false",
			"breaker https://a.example open",
			"fallback claude openai transient",
			"call openai", "attempt openai https://b.example rate_limit",
			"hold https://b.example 500ms",
			"call openai", "attempt openai https://b.example ", "retry openai rate_limit true",
		}, got)
	})
}

// The provider comes from the target or, if the target names no provider, from the
// endpoint's host. After a cancellation, each failed call counts as aborted.
func TestCountEvents_Attempt(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	network := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Provider: "acme"}
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		target resilience.Target
		res    classify.Result
		want   string
	}{
		{name: "target", ctx: t.Context(), target: primary, res: network, want: "claude https://a.example network"},
		{name: "host", ctx: t.Context(), target: resilience.Target{Endpoint: "https://api.anthropic.com/v1"}, want: "anthropic https://api.anthropic.com/v1 "},
		{name: "unknown host", ctx: t.Context(), target: resilience.Target{Endpoint: "https://gateway.example"}, res: network, want: " https://gateway.example network"},
		{name: "no endpoint", ctx: t.Context(), target: resilience.Target{Provider: "openai"}, want: "openai openai "},
		{name: "bad endpoint", ctx: t.Context(), target: resilience.Target{Endpoint: "%"}, want: " % "},
		{name: "canceled", ctx: canceled, target: primary, res: network, want: "claude https://a.example aborted"},
		{name: "succeeded before the cancellation", ctx: canceled, target: primary, want: "claude https://a.example "},
		{name: "deadline", ctx: expired, target: primary, res: network, want: "claude https://a.example network"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got string
			count := resilience.CountEvents(resilience.Counters{
				Attempt: func(_ context.Context, provider, endpoint string, res classify.Result) {
					got = fmt.Sprint(provider, " ", endpoint, " ", res.Reason)
				},
			})
			count(tt.ctx, resilience.Event{Kind: resilience.KindAttempt, Target: tt.target, Result: tt.res})
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestCountEvents_HealthAndRestarts(t *testing.T) {
	t.Parallel()
	var got []string
	count := resilience.CountEvents(resilience.Counters{
		Health:  func(_ context.Context, endpoint, state string) { got = append(got, endpoint+" "+state) },
		Restart: func(_ context.Context, state string) { got = append(got, state) },
	})
	h := resilience.NewHealth(nil, resilience.WithHealthObserver(count))
	session, die := context.WithCancelCause(t.Context())
	h.Watch(session, "e")
	die(errNetwork)
	assert.Eventually(t, func() bool { return !h.Healthy("e") }, 5*time.Second, time.Millisecond)
	h.Watch(t.Context(), "e")()
	q, err := resilience.NewQueue(nil, resilience.WithQueueObserver(count))
	require.NoError(t, err)
	require.Error(t, q.Offer(t.Context(), resilience.Restart{Task: resilience.Task{Kind: "none"}}))
	assert.Equal(t, []string{"e unhealthy", "e healthy", "refused"}, got)
}

// The labels of a fallback are the first of these that differ:
//
//   - the providers of both targets
//   - the models
//   - the endpoints
func TestFallback_Labels(t *testing.T) {
	t.Parallel()
	type target = resilience.Target
	for _, tt := range []struct {
		name     string
		from, to target
		want     string
	}{
		{name: "providers", from: primary, to: secondary, want: "claude>openai"},
		{name: "models of one provider", from: target{Provider: "p", Model: "big"}, to: target{Provider: "p", Model: "small"}, want: "big>small"},
		{name: "endpoints of one model", from: target{Endpoint: "e1", Model: "m"}, to: target{Endpoint: "e2", Model: "m"}, want: "e1>e2"},
		{name: "little is known", from: target{Provider: "p"}, to: target{Endpoint: "e"}, want: "p>e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := new(events)
				s := newScript(map[target][]error{tt.from: {errTransient}})
				_, err := resilience.Do(t.Context(), executor(t, enabled(), resilience.WithObserver(seen.observe)),
					resilience.Call{Targets: []target{tt.from, tt.to}}, s.call)
				require.NoError(t, err)
				assert.Equal(t, []string{tt.want}, seen.transitions(resilience.KindFallback))
			})
		})
	}
}
