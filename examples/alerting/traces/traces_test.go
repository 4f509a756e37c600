// Package traces writes the time series in rules_traces_test.yml. Their values come from
// an hour of calls through package resilience in virtual time.
package traces

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/resilience"
)

var update = flag.Bool("update", false, "write the file")

const (
	file     = "../rules_traces_test.yml"
	interval = 15 * time.Second
	scrapes  = 4 * 60
)

var (
	primary   = resilience.Target{Endpoint: "https://api.anthropic.example", Provider: "claude"} // an alias of anthropic
	secondary = resilience.Target{Endpoint: "https://api.openai.example", Provider: "openai"}
	errDown   = fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
	errServer = errors.New("HTTP 503 Service Unavailable")
	errKey    = errors.New("HTTP 401 invalid x-api-key")
)

// trace is an hour of calls. The calls fail from minute 10 to minute 50.
type trace struct {
	name     string
	fallback bool
	every    time.Duration                                           // between two calls
	call     func(ctx context.Context, n int, d time.Duration) error // returns the error of call n to the primary; d is the time since minute 10
	expect   []expectation
}

// expectation names the alerts that fire at one time, such as "9m", in alphabetical
// order.
type expectation struct {
	at     string
	alerts []string
}

const (
	rate     = "ErrclassErrorRate"
	breaker  = "ErrclassBreakerOpen"
	failures = "ErrclassManyFailures"
	key      = "ErrclassAuthentication"
)

var traces = []trace{
	{
		name: "the endpoint hangs, and every attempt ends by its timeout", every: time.Second,
		call: func(ctx context.Context, _ int, _ time.Duration) error { <-ctx.Done(); return ctx.Err() },
		expect: []expectation{
			{"9m", nil}, {"20m", []string{breaker, rate, failures}}, {"30m", []string{breaker, rate, failures}},
			{"40m", []string{breaker, rate, failures}}, {"49m", []string{breaker, rate, failures}}, {"59m", nil},
		},
	},
	{
		name: "the endpoint flaps: 40 seconds down, 20 seconds up", every: time.Second,
		call: func(_ context.Context, _ int, d time.Duration) error {
			if d%time.Minute < 40*time.Second {
				return errDown
			}
			return nil
		},
		expect: []expectation{
			{"9m", nil}, {"20m", []string{breaker, rate, failures}}, {"30m", []string{breaker, rate, failures}},
			{"40m", []string{breaker, rate, failures}}, {"49m", []string{breaker, rate, failures}}, {"59m", nil},
		},
	},
	{
		name: "the endpoint is half broken: every second attempt fails, and the retry helps", every: time.Second,
		call: func(_ context.Context, n int, _ time.Duration) error {
			if n%2 == 0 {
				return errServer
			}
			return nil
		},
		expect: []expectation{
			{"9m", nil}, {"20m", []string{rate, failures}}, {"30m", []string{rate, failures}},
			{"40m", []string{rate, failures}}, {"49m", []string{rate, failures}}, {"59m", nil},
		},
	},
	{
		name: "a fallback hides that the endpoint is down", every: time.Second, fallback: true,
		call: func(context.Context, int, time.Duration) error { return errDown },
		expect: []expectation{
			// After a fallback, later calls go to the new target first, so only a
			// few attempts fail.
			{"9m", nil}, {"20m", []string{breaker}}, {"30m", []string{breaker}},
			{"40m", []string{breaker}}, {"49m", []string{breaker}}, {"59m", nil},
		},
	},
	{
		name: "a fallback hides that the key is revoked", every: time.Second, fallback: true,
		call: func(context.Context, int, time.Duration) error { return errKey },
		expect: []expectation{
			{"9m45s", nil}, {"10m", []string{key}}, {"30m", []string{key}}, {"49m", []string{key}}, {"59m", nil},
		},
	},
}

// run makes the calls of a trace. For each series, it returns one value per scrape.
// Before a series exists, its value is -1.
func (tr trace) run(t *testing.T) map[string][]int64 {
	series := map[string][]int64{}
	synctest.Test(t, func(t *testing.T) {
		reader := metric.NewManualReader()
		meter := metric.NewMeterProvider(metric.WithReader(reader)).Meter("traces")
		declared := otelclass.WithProviders("anthropic", "openai")
		counter, err := otelclass.NewCounter(meter, declared)
		require.NoError(t, err)
		calls, err := otelclass.NewCallMetrics(meter, declared)
		require.NoError(t, err)
		x, err := resilience.New(&resilience.Config{
			Enabled: true,
			Retry: resilience.RetryConfig{
				AttemptTimeoutMs: 20_000,
				Reasons:          map[classify.Reason]resilience.ReasonConfig{classify.ReasonAuthentication: {Fallback: new(true)}},
			},
		}, resilience.WithRandom(func() float64 { return 0.5 }), resilience.WithObserver(resilience.CountEvents(resilience.Counters{
			Attempt: calls.Attempt, Retry: calls.Retry, Fallback: calls.Fallback, Breaker: calls.Breaker, Hold: calls.Hold,
		})))
		require.NoError(t, err)

		start, n := time.Now(), 0
		f := func(ctx context.Context, target resilience.Target) (int, error) {
			d := time.Since(start) - 10*time.Minute
			if target == secondary || d < 0 || d >= 40*time.Minute {
				return 0, nil
			}
			n++
			return 0, tr.call(ctx, n-1, d)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for ctx.Err() == nil {
				targets := []resilience.Target{primary}
				if tr.fallback {
					targets = append(targets, secondary)
				}
				if _, err := resilience.Do(ctx, x, resilience.Call{Targets: targets}, f); err != nil {
					res := classify.Error(err)
					res.Provider = "claude"
					// The error is counted for a log record, a client's span and a
					// server's span.
					counter.Count(ctx, otelclass.SignalLog, res)
					counter.Count(ctx, otelclass.SignalSpan, res)
					counter.Count(ctx, otelclass.SignalSpan, res)
				}
				time.Sleep(tr.every)
			}
		}()
		time.Sleep(time.Millisecond) // so that no scrape is at the time of a call
		for i := range scrapes + 1 {
			scrape(t, reader, series, i)
			time.Sleep(interval)
		}
		stop()
		<-done
	})
	for name, values := range series {
		if slices.Max(values) <= 0 && !strings.Contains(name, "breaker") {
			delete(series, name)
		}
	}
	return series
}

// scrape appends the current values to the series. i is the number of the scrape.
func scrape(t *testing.T, reader metric.Reader, series map[string][]int64, i int) {
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	names := map[string]string{
		"errclass.attempts": "errclass_attempts_total", "errclass.errors": "errclass_errors_total", "errclass.breaker.state": "errclass_breaker_state",
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		var points []metricdata.DataPoint[int64]
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			points = data.DataPoints
		case metricdata.Gauge[int64]:
			points = data.DataPoints
		}
		for _, p := range points {
			if names[m.Name] == "" {
				continue
			}
			name := names[m.Name] + labels(p.Attributes)
			for len(series[name]) < i {
				series[name] = append(series[name], -1)
			}
			series[name] = append(series[name], p.Value)
		}
	}
}

func labels(set attribute.Set) string {
	all := []string{`job="api"`}
	for _, kv := range set.ToSlice() {
		all = append(all, strings.ReplaceAll(string(kv.Key), ".", "_")+"="+strconv.Quote(kv.Value.AsString()))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// compact returns values in the notation of promtool. "a+bxn" means the value a and
// then n more values, each larger by b than the previous value.
func compact(values []int64) string {
	var parts []string
	for i := 0; i < len(values); {
		if i+1 == len(values) {
			parts = append(parts, strconv.FormatInt(values[i], 10))
			break
		}
		if values[i] < 0 {
			n := i
			for n < len(values) && values[n] < 0 {
				n++
			}
			parts = append(parts, fmt.Sprint("_x", n-i))
			i = n
			continue
		}
		step, n := values[i+1]-values[i], 1
		for i+n+1 < len(values) && values[i+n+1]-values[i+n] == step {
			n++
		}
		if n == 1 && step != 0 {
			parts = append(parts, strconv.FormatInt(values[i], 10))
			i++
			continue
		}
		switch step {
		case 0:
			parts = append(parts, fmt.Sprintf("%dx%d", values[i], n))
		default:
			parts = append(parts, fmt.Sprintf("%d%+dx%d", values[i], step, n))
		}
		i += n + 1
	}
	return strings.Join(parts, " ")
}

func write(out *bytes.Buffer, tr trace, series map[string][]int64) {
	fmt.Fprintf(out, "\n  - name: %q\n    interval: 15s\n    input_series:\n", tr.name)
	names := make([]string, 0, len(series))
	for name := range series {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(out, "      - series: %s\n        values: %s\n", name, compact(series[name]))
	}
	fmt.Fprint(out, "    promql_expr_test:\n")
	for _, e := range tr.expect {
		fmt.Fprintf(out, "      - expr: count by (alertname) (ALERTS{alertstate=\"firing\"})\n        eval_time: %s\n", e.at)
		if len(e.alerts) > 0 {
			fmt.Fprint(out, "        exp_samples:\n")
		}
		for _, name := range e.alerts {
			fmt.Fprintf(out, "          - {labels: '{alertname=%q}', value: 1}\n", name)
		}
	}
}

// The committed file must be up to date. "go test ./traces -update" writes it.
func TestFileIsFresh(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprint(&out, "# Code generated by traces/traces_test.go; DO NOT EDIT.\n# promtool test rules rules_traces_test.yml\nrule_files: [rules.yml]\nevaluation_interval: 15s\n\ntests:")
	for _, tr := range traces {
		write(&out, tr, tr.run(t))
	}
	if *update {
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644)) //nolint:gosec // a source file
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(committed), out.String(), "go test ./traces -update")
}

// The metric memory_llm_errors counts each failed attempt, even if a fallback
// target answers.
func TestMemoryLLMErrorsBehindAFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := metric.NewManualReader()
		calls, err := otelclass.NewCallMetrics(metric.NewMeterProvider(metric.WithReader(reader)).Meter("traces"),
			otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("anthropic", "openai"))
		require.NoError(t, err)
		x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithObserver(resilience.CountEvents(resilience.Counters{Attempt: calls.Attempt})))
		require.NoError(t, err)
		_, err = resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary, secondary}}, func(_ context.Context, target resilience.Target) (int, error) {
			if target == primary {
				return 0, errServer
			}
			return 0, nil
		})
		require.NoError(t, err, "the fallback answers")

		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &all))
		got := map[string]int64{}
		for _, m := range all.ScopeMetrics[0].Metrics {
			if data, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == "memory_llm_errors" {
				for _, p := range data.DataPoints {
					if p.Value > 0 {
						got[labels(p.Attributes)] = p.Value
					}
				}
			}
		}
		assert.Equal(t, map[string]int64{`{job="api",error_type="transient",provider="anthropic"}`: 3}, got)
	})
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]int64{
		"_x2 0x3 1": {-1, -1, 0, 0, 0, 0, 1},
		"0+2x3 7":   {0, 2, 4, 6, 7},
		"0 1 0 1x1": {0, 1, 0, 1, 1},
		"5":         {5},
		"_x1 3":     {-1, 3},
	} {
		assert.Equal(t, want, compact(values))
	}
}
