package otelclass_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// caller imitates a package that reports its calls through plain functions. Its
// first provider fails with 429 until the breaker opens.
type caller struct {
	call     func(provider string)
	retry    func(provider string, cause classify.Result, succeeded bool)
	fallback func(from, to string, cause classify.Result)
	breaker  func(endpoint, state string)
}

func (c caller) run() {
	limited := classify.Message("429 too many requests")
	c.breaker("https://a.example", "closed")
	c.call("claude")
	for range 2 {
		c.call("claude")
		c.retry("claude", limited, false)
	}
	c.breaker("https://a.example", "open")
	c.fallback("claude", "openai", limited)
	c.call("openai")
	c.call("openai")
	c.retry("openai", classify.Message("503 service unavailable"), true)
	c.breaker("https://a.example", "half-open")
}

func newCaller(t *testing.T, m *otelclass.CallMetrics) caller {
	ctx := t.Context()
	return caller{
		call:     func(provider string) { m.Call(ctx, provider) },
		retry:    func(p string, cause classify.Result, ok bool) { m.Retry(ctx, p, cause, ok) },
		fallback: func(from, to string, cause classify.Result) { m.Fallback(ctx, from, to, cause) },
		breaker:  func(endpoint, state string) { m.Breaker(ctx, endpoint, state) },
	}
}

func newCallMetrics(t *testing.T, m meter, opts ...otelclass.CounterOption) *otelclass.CallMetrics {
	t.Helper()
	c, err := otelclass.NewCallMetrics(m.provider.Meter("test"), opts...)
	require.NoError(t, err)
	return c
}

func TestCallMetrics(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	assert.Equal(t, map[string]int64{"": 0}, m.read(t, "errclass.calls"))
	assert.Equal(t, map[string]int64{"result=success": 0, "result=failure": 0}, m.read(t, "errclass.retries"))
	assert.Empty(t, m.read(t, "errclass.fallbacks"))
	assert.Empty(t, m.read(t, "errclass.breaker.state"))

	newCaller(t, c).run()
	assert.Equal(t, map[string]int64{"": 5}, m.read(t, "errclass.calls"))
	assert.Equal(t, map[string]int64{"result=success": 1, "result=failure": 2}, m.read(t, "errclass.retries"))
	assert.Equal(t, map[string]int64{"from=claude,to=openai": 1}, m.read(t, "errclass.fallbacks"))
	assert.Equal(t, map[string]int64{
		"endpoint=https://a.example,state=closed": 0, "endpoint=https://a.example,state=open": 0, "endpoint=https://a.example,state=half_open": 1,
	}, m.read(t, "errclass.breaker.state"))
	assert.Equal(t, "{call}", unit(t, m, "errclass.calls"))
	assert.Equal(t, "{breaker}", unit(t, m, "errclass.breaker.state"), `Prometheus would make "_ratio" of 1`)
}

func TestCallMetricsProviders(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithProviders("claude", "openai"))
	assert.Equal(t, map[string]int64{"provider=claude": 0, "provider=openai": 0, "provider=other": 0}, m.read(t, "errclass.calls"))
	assert.Equal(t, map[string]int64{"from=claude,to=openai": 0, "from=openai,to=claude": 0}, m.read(t, "errclass.fallbacks"))

	newCaller(t, c).run()
	c.Call(t.Context(), "mistral")
	assert.Equal(t, map[string]int64{"provider=claude": 3, "provider=openai": 2, "provider=other": 1}, m.read(t, "errclass.calls"))
	assert.Equal(t, map[string]int64{
		"provider=claude,result=failure": 2, "provider=openai,result=success": 1,
	}, nonZero(m.read(t, "errclass.retries")))
	assert.Equal(t, map[string]int64{"from=claude,to=openai": 1}, nonZero(m.read(t, "errclass.fallbacks")))
}

// Dashboards use these names and labels, so they must match exactly.
func TestCallMetricsMemoryLLMNaming(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude", "openai"))
	assert.Len(t, m.read(t, "memory_llm_retries"), 9*3*2)
	assert.Len(t, m.read(t, "memory_llm_fallback"), 9*2)

	newCaller(t, c).run()
	assert.Equal(t, map[string]int64{
		"error_type=rate_limit,provider=claude,result=failure": 2,
		"error_type=transient,provider=openai,result=success":  1,
	}, nonZero(m.read(t, "memory_llm_retries")))
	assert.Equal(t, map[string]int64{"error_type=rate_limit,from=claude,to=openai": 1}, nonZero(m.read(t, "memory_llm_fallback")))
	assert.Equal(t, map[string]int64{"provider=claude": 3, "provider=openai": 2}, nonZero(m.read(t, "memory_llm_calls")))
	assert.NotEmpty(t, m.read(t, "errclass.breaker.state"))
}

func TestCallMetricsBreaker(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	c.Breaker(t.Context(), "a", "open")
	c.Breaker(t.Context(), "a", "ajar")
	c.Breaker(t.Context(), "b", "ajar")
	c.Breaker(t.Context(), "c", "closed")
	assert.Equal(t, map[string]int64{"endpoint=a,state=open": 1, "endpoint=c,state=closed": 1}, nonZero(m.read(t, "errclass.breaker.state")))
}

func TestCallMetricsOfNothing(t *testing.T) {
	t.Parallel()
	newCaller(t, nil).run()
	c, err := otelclass.NewCallMetrics(nil)
	require.NoError(t, err)
	newCaller(t, c).run()
}

// If the cause has no valid category and reason, the retry or the fallback counts
// with the error type unknown.
func TestCallMetricsCause(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m, otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude"))
	c.Retry(t.Context(), "claude", classify.Result{}, true)
	c.Retry(t.Context(), "claude", classify.Result{Category: "mine", Reason: "own"}, true)
	c.Fallback(t.Context(), "model-a", "model-b", classify.Result{})
	assert.Equal(t, map[string]int64{"error_type=unknown,provider=claude,result=success": 2}, nonZero(m.read(t, "memory_llm_retries")))
	assert.Equal(t, map[string]int64{"error_type=unknown,from=model-a,to=model-b": 1}, nonZero(m.read(t, "memory_llm_fallback")))
}

func TestCallMetricsConcurrentSafe(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCallMetrics(t, m)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				newCaller(t, c).run()
			}
		})
		wg.Go(func() {
			states := int64(0)
			for _, v := range m.read(t, "errclass.breaker.state") {
				states += v
			}
			assert.LessOrEqual(t, states, int64(1), "an endpoint is in one state")
		})
	}
	wg.Wait()
	assert.Equal(t, map[string]int64{"": 8 * 20 * 5}, m.read(t, "errclass.calls"))
}
