package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

var (
	errLimited = classify.Message("429 too many requests")
	errKey     = classify.Message("401 invalid api key")
	canceled   = classify.Error(context.Canceled)
)

func TestAttempts(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithProviders("anthropic", "openai"))
	assert.Empty(t, m.read(t, "errclass.attempts"))
	for _, res := range []classify.Result{errLimited, errLimited, {}, canceled, {Category: "mine", Reason: "own"}} {
		c.Attempt(t.Context(), "claude", "https://a.example", res)
	}
	c.Attempt(t.Context(), "mistral", "https://b.example", classify.Error(context.DeadlineExceeded))
	c.Attempt(t.Context(), "openai", "", errKey)
	const a = "endpoint=https://a.example,"
	assert.Equal(t, map[string]int64{
		a + "error.reason=rate_limit,outcome=failure,provider=anthropic":                 2,
		a + "error.reason=unknown,outcome=failure,provider=anthropic":                    1,
		a + "error.reason=aborted,outcome=aborted,provider=anthropic":                    1,
		a + "outcome=success,provider=anthropic":                                         1,
		"endpoint=https://b.example,error.reason=timeout,outcome=failure,provider=other": 1,
		"error.reason=authentication,outcome=failure,provider=openai":                    1,
	}, nonZero(m.read(t, "errclass.attempts")))
	assert.Equal(t, "{attempt}", unit(t, m, "errclass.attempts"))
	// There are also series for the other reasons, with the value 0.
	assert.Len(t, m.read(t, "errclass.attempts"), 3*(len(classify.Reasons())+1))
	assert.Contains(t, m.read(t, "errclass.attempts"), a+"error.reason=authentication,outcome=failure,provider=anthropic")
}

// Without WithProviders, the series have no label "provider".
func TestAttemptsWithoutProviders(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	newCallMetrics(t, m).Attempt(t.Context(), "openai", "e", classify.Result{})
	assert.Equal(t, map[string]int64{"endpoint=e,outcome=success": 1}, nonZero(m.read(t, "errclass.attempts")))
}

// A declared endpoint has series from the start. If errclass knows the endpoint's
// provider, the series are for this provider only. Otherwise there are series for each
// value of the label "provider".
func TestWithEndpoints(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	names := []string{"https://api.anthropic.com", "", "https://gateway.example", "%", "other"}
	option := otelclass.WithEndpoints(names...)
	names[0] = "changed"
	c := newCallMetrics(t, m, otelclass.WithProviders("claude", "openai"), option)
	values := m.read(t, "errclass.attempts")
	assert.Len(t, values, (1+3+3)*(len(classify.Reasons())+1))
	assert.Contains(t, values, "endpoint=https://api.anthropic.com,error.reason=authentication,outcome=failure,provider=claude")
	assert.Contains(t, values, "endpoint=https://gateway.example,outcome=success,provider=other")
	assert.Empty(t, nonZero(values))
	assert.Len(t, m.read(t, "errclass.holds"), 3)

	c.Attempt(t.Context(), "anthropic", "https://api.anthropic.com", errKey)
	assert.Len(t, m.read(t, "errclass.attempts"), len(values))
}

// No instrument reaches the SDK's limit of 2,000 series. Declared endpoints keep
// their labels.
func TestEndpointsAreBounded(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithProviders("anthropic"), otelclass.WithEndpoints("declared"))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 3 * otelclass.MaxEndpoints {
				name := fmt.Sprint(g, "/", i)
				c.Attempt(t.Context(), "claude", name, errLimited)
				c.Breaker(t.Context(), name, "open")
				c.Health(t.Context(), name, "unhealthy")
				c.Hold(t.Context(), name, time.Hour)
				c.Fallback(t.Context(), name, name+"'", errLimited)
				c.Restart(t.Context(), name)
			}
		})
	}
	wg.Wait()
	for _, name := range []string{"declared", "other"} {
		c.Attempt(t.Context(), "claude", name, classify.Result{})
		c.Breaker(t.Context(), name, "open")
	}
	perEndpoint := len(classify.Reasons()) + 1
	attempts := m.read(t, "errclass.attempts")
	assert.Len(t, attempts, (otelclass.MaxEndpoints+1)*perEndpoint+perEndpoint, "declared: for both providers")
	total := int64(0)
	for _, n := range attempts {
		total += n
	}
	assert.Equal(t, int64(8*3*otelclass.MaxEndpoints+2), total)
	assert.Equal(t, int64(1), attempts["endpoint=declared,outcome=success,provider=anthropic"])
	assert.Len(t, m.read(t, "errclass.breaker.state"), 3*(otelclass.MaxEndpoints+1))
	assert.Len(t, m.read(t, "errclass.endpoint.healthy"), otelclass.MaxEndpoints)
	assert.Len(t, m.read(t, "errclass.holds"), otelclass.MaxEndpoints+1)
	assert.Len(t, m.read(t, "errclass.restarts"), 12)
	assert.LessOrEqual(t, len(m.read(t, "errclass.fallbacks")), otelclass.MaxEndpoints*2)
}

// The label "other" shows the worst state of all endpoints that share it.
func TestBreakersThatShareALabel(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	for i := range otelclass.MaxEndpoints {
		c.Breaker(t.Context(), fmt.Sprint(i), "closed")
		c.Health(t.Context(), fmt.Sprint(i), "healthy")
	}
	for _, step := range []struct{ endpoint, state, want string }{
		{"x", "closed", "closed"}, {"x", "open", "open"}, {"y", "half_open", "open"}, {"x", "half_open", "half_open"},
		{"x", "closed", "half_open"}, {"z", "open", "open"}, {"z", "ajar", "open"}, {"z", "closed", "half_open"}, {"y", "closed", "closed"},
	} {
		c.Breaker(t.Context(), step.endpoint, step.state)
		got := nonZero(m.read(t, "errclass.breaker.state"))
		assert.Equal(t, int64(1), got["endpoint=other,state="+step.want], "%v", step)
		assert.Len(t, got, otelclass.MaxEndpoints+1)
	}
	for _, step := range []struct {
		endpoint, state string
		want            int64
	}{{"x", "unhealthy", 0}, {"y", "healthy", 0}, {"x", "healthy", 1}} {
		c.Health(t.Context(), step.endpoint, step.state)
		assert.Equal(t, step.want, m.read(t, "errclass.endpoint.healthy")["endpoint=other"], "%v", step)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	c.Health(t.Context(), "a", "healthy")
	c.Health(t.Context(), "b", "unhealthy")
	c.Health(t.Context(), "c", "poorly")
	assert.Equal(t, map[string]int64{"endpoint=a": 1, "endpoint=b": 0}, m.read(t, "errclass.endpoint.healthy"))
	c.Health(t.Context(), "b", "healthy")
	assert.Equal(t, int64(1), m.read(t, "errclass.endpoint.healthy")["endpoint=b"])
	assert.Equal(t, "{endpoint}", unit(t, m, "errclass.endpoint.healthy"))
}

func TestRestarts(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	assert.Len(t, m.read(t, "errclass.restarts"), 12)
	for _, state := range []string{"queued", "started", "parked", "parked", "lost"} {
		c.Restart(t.Context(), state)
	}
	assert.Equal(t, map[string]int64{"state=queued": 1, "state=started": 1, "state=parked": 2, "state=other": 1}, nonZero(m.read(t, "errclass.restarts")))
}

// remaining returns, for each endpoint label, the gauge errclass.hold.remaining: how
// many seconds the rate limit's pause still lasts.
func remaining(t *testing.T, m meter) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, m.Collect(t.Context(), &all))
	values := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, instrument := range scope.Metrics {
			if data, ok := instrument.Data.(metricdata.Gauge[float64]); ok && instrument.Name == "errclass.hold.remaining" {
				assert.Equal(t, "s", instrument.Unit)
				for _, p := range data.DataPoints {
					endpoint, _ := p.Attributes.Value("endpoint")
					values[endpoint.AsString()] = p.Value
				}
			}
		}
	}
	return values
}

func TestHold(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	assert.Empty(t, remaining(t, m))
	c.Hold(t.Context(), "a", time.Hour)
	c.Hold(t.Context(), "a", 2*time.Hour) // extends the hold
	c.Hold(t.Context(), "b", time.Nanosecond)
	c.Hold(t.Context(), "c", 0)
	left := remaining(t, m)
	assert.InDelta(t, 7200, left["a"], 60)
	assert.Zero(t, left["b"])
	assert.Zero(t, left["c"])
	assert.Equal(t, map[string]int64{"endpoint=a": 1, "endpoint=b": 1}, nonZero(m.read(t, "errclass.holds")))
	c.Hold(t.Context(), "a", 0)
	assert.Zero(t, remaining(t, m)["a"])
	c.Hold(t.Context(), "a", time.Hour)
	assert.Equal(t, int64(2), m.read(t, "errclass.holds")["endpoint=a"])
}

// A provider's alias gets the label of the declared name. Upper and lower case do
// not matter.
func TestProviderAliases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ declared, called, want string }{
		{"anthropic openai", "claude codex", "anthropic openai"},
		{"claude codex", "anthropic openai", "claude codex"},
		{"anthropic claude", "claude anthropic", "claude anthropic"},
		{"Anthropic", "anthropic CLAUDE", "Anthropic Anthropic"},
		{"google", "gcp.gemini gcp.vertex_ai gemini", "google google google"},
		{"gcp.vertex_ai", "google vertex", "gcp.vertex_ai gcp.vertex_ai"},
		{"gemini vertex", "google", "gemini"},
		{"anthropic", "claudette openai codex " + strings.Repeat("a", 100), "other other other other"},
		{"mistral", "mistral_ai", "mistral"},
	} {
		m := newMeter(t)
		c := newCallMetrics(t, m, otelclass.WithProviders(strings.Fields(tt.declared)...))
		want := map[string]int64{}
		for i, called := range strings.Fields(tt.called) {
			c.Call(t.Context(), called)
			want["provider="+strings.Fields(tt.want)[i]]++
		}
		assert.Equal(t, want, nonZero(m.read(t, "errclass.calls")), "%+v", tt)
	}
}

// The labels of a fallback are the providers' declared names, such as anthropic for
// claude. If both targets are names of one provider, the labels are the names that
// the caller has passed.
func TestFallbackAliases(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithProviders("anthropic", "openai"))
	c.Fallback(t.Context(), "claude", "codex", errLimited)
	c.Fallback(t.Context(), "claude", "anthropic", errLimited)
	assert.Equal(t, map[string]int64{"from=anthropic,to=openai": 1, "from=claude,to=anthropic": 1}, nonZero(m.read(t, "errclass.fallbacks")))
}

// The metric memory_llm_errors counts each failed attempt, even if a fallback
// succeeds.
func TestMemoryLLMErrorsOfAttempts(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude", "openai"))
	assert.Len(t, m.read(t, "memory_llm_errors"), 9*3, "from the start")
	for range 3 {
		c.Attempt(t.Context(), "anthropic", "https://a.example", errLimited)
	}
	c.Attempt(t.Context(), "anthropic", "https://a.example", classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonResource, Rule: "errno/EADDRNOTAVAIL"})
	c.Attempt(t.Context(), "openai", "https://b.example", canceled)
	c.Attempt(t.Context(), "openai", "https://b.example", classify.Result{})
	assert.Equal(t, map[string]int64{
		"error_type=rate_limit,provider=claude":      3,
		"error_type=invalid_request,provider=claude": 1, // a rule with its own error type
	}, nonZero(m.read(t, "memory_llm_errors")))
	assert.Len(t, nonZero(m.read(t, "errclass.attempts")), 4)

	m = newMeter(t)
	newCallMetrics(t, m).Attempt(t.Context(), "", "", errLimited)
	assert.Empty(t, m.read(t, "memory_llm_errors"))
}

func TestWithCounted(t *testing.T) {
	t.Parallel()
	type inbound struct{}
	counted := otelclass.WithCounted(func(ctx context.Context, res classify.Result) bool {
		if res.Reason == classify.ReasonPolicy {
			panic("a bug")
		}
		return ctx.Value(inbound{}) == nil && res.Status != 404
	})
	m := newMeter(t)
	counter := newCounter(t, m, counted, otelclass.WithCounted(nil))
	missing, in := classify.Message("HTTP 404"), context.WithValue(t.Context(), inbound{}, 1)
	counter.Count(t.Context(), otelclass.SignalLog, missing)
	counter.Count(in, otelclass.SignalLog, errKey)
	counter.Count(t.Context(), otelclass.SignalLog, errKey)
	counter.Count(nil, otelclass.SignalLog, errLimited) //nolint:staticcheck // a nil context must not panic
	counter.Count(t.Context(), otelclass.SignalSpan, classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonPolicy})
	assert.Equal(t, map[string]int64{
		"error.category=fatal,error.reason=authentication,signal=log": 1,
		"error.category=retryable,error.reason=rate_limit,signal=log": 1,
		"error.category=fatal,error.reason=policy,signal=span":        1,
	}, nonZero(m.read(t, "errclass.errors")))

	c := newCallMetrics(t, m, counted)
	c.Attempt(t.Context(), "", "e", missing)
	c.Attempt(t.Context(), "", "e", errKey)
	c.Attempt(t.Context(), "", "e", classify.Result{})
	assert.Equal(t, map[string]int64{
		"endpoint=e,outcome=expected":                            1,
		"endpoint=e,error.reason=authentication,outcome=failure": 1,
		"endpoint=e,outcome=success":                             1,
	}, nonZero(m.read(t, "errclass.attempts")))
}

// A processor adds the attributes even to errors that WithCounted excludes from
// the counts.
func TestWithCountedKeepsAttributes(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	none := newCounter(t, m, otelclass.WithCounted(func(context.Context, classify.Result) bool { return false }))
	s := exportedSpan(t, func(span trace.Span) {
		otelclass.RecordError(span, errors.New("alpha"))
		span.SetStatus(codes.Error, "alpha")
	}, otelclass.WithCounter(none))
	assert.NotEqual(t, nothing, classified(t, s.Attributes))
	assert.Empty(t, nonZero(m.read(t, "errclass.errors")))
}

func TestAttemptsRefusedNames(t *testing.T) {
	t.Parallel()
	for _, naming := range []otelclass.Naming{
		{Attempts: otelclass.Metric{Name: "1 bad"}}, {AttemptErrors: otelclass.Metric{Name: "1 bad"}}, {Holds: otelclass.Metric{Name: "1 bad"}},
		{HoldRemaining: otelclass.Metric{Name: "1 bad"}}, {Health: otelclass.Metric{Name: "1 bad"}}, {Restarts: otelclass.Metric{Name: "1 bad"}},
	} {
		_, err := otelclass.NewCallMetrics(newMeter(t).provider.Meter("test"), otelclass.WithNaming(naming))
		assert.ErrorContains(t, err, `"1 bad"`, "%+v", naming)
	}
}

// All methods may be called on a nil CallMetrics.
func TestAttemptsOfNothing(t *testing.T) {
	t.Parallel()
	var c *otelclass.CallMetrics
	c.Attempt(t.Context(), "p", "e", errLimited)
	c.Hold(t.Context(), "e", time.Second)
	c.Health(t.Context(), "e", "healthy")
	c.Restart(t.Context(), "queued")
}
