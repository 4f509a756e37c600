package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// exported maps each metric of otelclass to its labels, and each label to its
// values. If a label may have any value, the map has one example.
func exported(t *testing.T) map[string]map[string][]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry),
		otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
	require.NoError(t, err)
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter)).Meter("test")
	_, err = otelclass.NewCounter(meter, otelclass.WithProviders("a", "b"))
	require.NoError(t, err)
	calls, err := otelclass.NewCallMetrics(meter, otelclass.WithProviders("a", "b"))
	require.NoError(t, err)
	calls.Breaker(t.Context(), "https://a.example", "open")
	calls.Attempt(t.Context(), "a", "https://a.example", classify.Message("HTTP 503"))
	calls.Hold(t.Context(), "https://a.example", time.Minute)
	calls.Health(t.Context(), "https://a.example", "healthy")
	calls.Fallback(t.Context(), "a", "b", classify.Message("HTTP 503"))

	families, err := registry.Gather()
	require.NoError(t, err)
	metrics := map[string]map[string][]string{}
	for _, family := range families {
		labels := map[string][]string{"job": nil} // Prometheus adds it
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = append(labels[l.GetName()], l.GetValue())
			}
		}
		metrics[family.GetName()] = labels
	}
	return metrics
}

// Every query is valid. It uses only metrics, labels and label values that
// otelclass exports.
func TestQueries(t *testing.T) {
	t.Parallel()
	metrics := exported(t)
	plain := strings.NewReplacer("$job", ".+", "$range", "1h", "$window", "5m")
	promQL := parser.NewParser(parser.Options{})
	seen := map[string]bool{}
	for _, p := range panels {
		for _, q := range p.Queries {
			expr, err := promQL.ParseExpr(plain.Replace(q.Expr))
			require.NoError(t, err, "%s: %s", p.ID, q.Expr)
			var labels map[string][]string // labels of the last selected metric
			parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
				selector, ok := node.(*parser.VectorSelector)
				if !ok {
					return nil
				}
				labels = metrics[selector.Name]
				assert.NotEmpty(t, labels, "%s: otelclass exports no %s", p.ID, selector.Name)
				seen[selector.Name] = true
				for _, m := range selector.LabelMatchers {
					if m.Name == "__name__" || m.Name == "job" {
						continue
					}
					assert.True(t, slices.ContainsFunc(labels[m.Name], m.Matches), "%s: %s{%s}", p.ID, selector.Name, m)
				}
				return nil
			})
			var grouped []string // labels of the innermost aggregation
			parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
				if a, ok := node.(*parser.AggregateExpr); ok {
					for _, name := range a.Grouping {
						assert.Contains(t, labels, name, "%s: by (%s)", p.ID, name)
					}
					grouped = a.Grouping
				}
				return nil
			})
			// The query must keep the labels that the panel uses.
			for _, name := range label.FindAllStringSubmatch(q.Legend, -1) {
				assert.Contains(t, grouped, name[1], "%s: legend", p.ID)
			}
			if p.Colour != "" {
				assert.Contains(t, grouped, p.Colour, "%s: colours", p.ID)
			}
			if p.Kind == kindTable {
				assert.Equal(t, p.By, grouped, "%s: %s", p.ID, q.Legend)
			}
		}
	}
	for name := range metrics {
		assert.True(t, seen[name], "no panel shows %s", name)
	}
}

// Area panels and timeline panels have a colour for every value.
func TestColoursOfAllValues(t *testing.T) {
	t.Parallel()
	metrics := exported(t)
	for _, c := range []struct {
		metric, label string
		names         []string
	}{
		{"errclass_errors_total", "error_category", categories},
		{"errclass_retries_total", "result", []string{"failure", "success"}},
		{"errclass_breaker_state", "state", states},
	} {
		assert.Subset(t, c.names, metrics[c.metric][c.label], "%s{%s}", c.metric, c.label)
		for _, name := range c.names {
			assert.NotEqual(t, "text", colour(name), "colour of %s", name)
		}
	}
}
