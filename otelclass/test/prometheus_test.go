package test_test

import (
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// scraped returns the label names and the number of series of each metric, as
// Prometheus would get them.
func scraped(t *testing.T, opts ...otelclass.CounterOption) (labels map[string][]string, series map[string]int) {
	t.Helper()
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	require.NoError(t, err)
	meters := metric.NewMeterProvider(metric.WithReader(exporter))
	_, err = otelclass.NewCounter(meters.Meter("test"), opts...)
	require.NoError(t, err)
	calls, err := otelclass.NewCallMetrics(meters.Meter("test"), opts...)
	require.NoError(t, err)
	calls.Breaker(t.Context(), "https://a.example", "open")
	calls.Attempt(t.Context(), "", "https://a.example", classify.Message("HTTP 503"))
	calls.Hold(t.Context(), "https://a.example", time.Minute)
	calls.Health(t.Context(), "https://a.example", "healthy")

	families, err := registry.Gather()
	require.NoError(t, err)
	labels, series = map[string][]string{}, map[string]int{}
	for _, f := range families {
		series[f.GetName()] = len(f.Metric)
		names := []string{}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if !slices.Contains(names, l.GetName()) {
					names = append(names, l.GetName())
				}
			}
		}
		slices.Sort(names)
		labels[f.GetName()] = names
	}
	require.NoError(t, meters.Shutdown(t.Context()))
	return labels, series
}

func TestPrometheusNames(t *testing.T) {
	t.Parallel()
	labels, series := scraped(t)
	assert.Equal(t, map[string][]string{
		"errclass_errors_total":           {"error_category", "error_reason", "signal"},
		"errclass_attempts_total":         {"endpoint", "error_reason", "outcome"},
		"errclass_calls_total":            {},
		"errclass_retries_total":          {"result"},
		"errclass_breaker_state":          {"endpoint", "state"},
		"errclass_holds_total":            {"endpoint"},
		"errclass_hold_remaining_seconds": {"endpoint"},
		"errclass_endpoint_healthy":       {"endpoint"},
		"errclass_restarts_total":         {"state"},
	}, labels)
	pairs := len(classify.Reasons()) + 1
	assert.Equal(t, 2*pairs, series["errclass_errors_total"], "all of them before the first error")

	labels, series = scraped(t, otelclass.WithProviders("anthropic", "openai"))
	assert.Equal(t, []string{"error_category", "error_reason", "provider", "signal"}, labels["errclass_errors_total"])
	assert.Equal(t, 3*2*pairs, series["errclass_errors_total"])
	assert.Equal(t, []string{"from", "to"}, labels["errclass_fallbacks_total"])
	assert.Equal(t, []string{"endpoint", "error_reason", "outcome", "provider"}, labels["errclass_attempts_total"])
}

// Dashboards use these names and labels, so the names and labels must not change.
func TestPrometheusMemoryLLMNaming(t *testing.T) {
	t.Parallel()
	labels, series := scraped(t, otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude", "openai"))
	assert.Equal(t, map[string][]string{
		"memory_llm_errors_total":         {"error_type", "provider"},
		"memory_llm_retries_total":        {"error_type", "provider", "result"},
		"memory_llm_fallback_total":       {"error_type", "from", "to"},
		"memory_llm_calls_total":          {"provider"},
		"errclass_attempts_total":         {"endpoint", "error_reason", "outcome", "provider"},
		"errclass_breaker_state":          {"endpoint", "state"},
		"errclass_holds_total":            {"endpoint"},
		"errclass_hold_remaining_seconds": {"endpoint"},
		"errclass_endpoint_healthy":       {"endpoint"},
		"errclass_restarts_total":         {"state"},
	}, labels)
	assert.Equal(t, 9*3, series["memory_llm_errors_total"])
}
