package otelclass_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

func newCounter(t *testing.T, m meter, opts ...otelclass.CounterOption) *otelclass.Counter {
	t.Helper()
	c, err := otelclass.NewCounter(m.provider.Meter("test"), opts...)
	require.NoError(t, err)
	return c
}

// The series of all categories and reasons exist from the start, with the value 0.
func TestCounterStartsAtZero(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	newCounter(t, m)
	values := m.read(t, "errclass.errors")
	assert.Len(t, values, 2*(len(classify.Reasons())+1))
	assert.Empty(t, nonZero(values))
	for _, signal := range []string{"log", "span"} {
		for _, r := range classify.Reasons() {
			assert.Contains(t, values, "error.category="+string(r.Policy().Category)+",error.reason="+string(r)+",signal="+signal)
		}
		assert.Contains(t, values, "error.category=timeout,error.reason=timeout,signal="+signal, "the program's own deadline")
	}
}

// lateMeter is a meter that drops everything until set is called, like otel.Meter until
// otel.SetMeterProvider is called.
type lateMeter struct {
	noop.Meter
	counters []*lateCounter
}

type lateCounter struct {
	noop.Int64Counter
	name string
	to   atomic.Pointer[metric.Int64Counter]
}

func (m *lateMeter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	c := &lateCounter{name: name}
	m.counters = append(m.counters, c)
	return c, nil
}

func (m *lateMeter) set(t *testing.T, to metric.Meter) {
	for _, c := range m.counters {
		counter, err := to.Int64Counter(c.name)
		require.NoError(t, err)
		c.to.Store(&counter)
	}
}

func (c *lateCounter) Add(ctx context.Context, n int64, opts ...metric.AddOption) {
	if to := c.to.Load(); to != nil {
		(*to).Add(ctx, n, opts...)
	}
}

func (c *lateCounter) Enabled(ctx context.Context) bool {
	to := c.to.Load()
	return to != nil && (*to).Enabled(ctx)
}

// If the meter provider is set later, the first count after that creates all series.
func TestCounterStartsAtZeroLater(t *testing.T) {
	t.Parallel()
	m, late := newMeter(t), &lateMeter{}
	counter, err := otelclass.NewCounter(late)
	require.NoError(t, err)
	calls, err := otelclass.NewCallMetrics(late, otelclass.WithEndpoints("https://api.openai.com"))
	require.NoError(t, err)
	count := func() {
		counter.Count(t.Context(), otelclass.SignalLog, errLimited)
		calls.Attempt(t.Context(), "", "https://api.openai.com", errLimited)
	}
	count()
	late.set(t, m.provider.Meter("test"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(count)
	}
	wg.Wait()
	whole := newMeter(t)
	newCounter(t, whole)
	newCallMetrics(t, whole, otelclass.WithEndpoints("https://api.openai.com"))
	for _, name := range []string{"errclass.errors", "errclass.attempts"} {
		values := m.read(t, name)
		assert.Len(t, values, len(whole.read(t, name)), name)
		assert.Equal(t, []int64{4}, slices.Collect(maps.Values(nonZero(values))), name)
	}
}

// The category and the reason of each rule have a series from the start.
func TestCounterHasSeriesForEveryRule(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m, otelclass.WithSignals(otelclass.SignalLog))
	born := m.read(t, "errclass.errors")
	n := int64(0)
	for _, set := range []*classify.Classifier{classify.Standard, classify.Minimal, testClassifier} {
		for _, r := range set.Rules() {
			if r.Reason != "" {
				c.Count(t.Context(), otelclass.SignalLog, classify.Result{Category: r.Category, Reason: r.Reason, Rule: r.ID})
				n++
			}
		}
	}
	values := m.read(t, "errclass.errors")
	assert.Len(t, values, len(born))
	sum := int64(0)
	for _, v := range values {
		sum += v
	}
	assert.Equal(t, n, sum)
	assert.Equal(t, "{error}", unit(t, m, "errclass.errors"))
}

func unit(t *testing.T, m meter, name string) string {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, m.Collect(t.Context(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, instrument := range scope.Metrics {
			if instrument.Name == name {
				return instrument.Unit
			}
		}
	}
	return "none"
}

func TestCounterCount(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m)
	res := classify.Message("429 too many requests")
	c.Count(t.Context(), otelclass.SignalLog, res)
	c.Count(t.Context(), otelclass.SignalLog, res)
	c.Count(nil, otelclass.SignalSpan, res) //nolint:staticcheck // a nil context must not panic
	c.Count(t.Context(), otelclass.SignalSpan, classify.Result{})
	c.Count(t.Context(), "metric", res)
	c.Count(t.Context(), otelclass.SignalSpan, classify.Result{Category: "mine", Reason: "own"})
	c.Count(t.Context(), otelclass.SignalSpan, classify.Result{Category: classify.CategoryAborted, Reason: classify.ReasonPolicy})
	assert.Equal(t, map[string]int64{
		"error.category=retryable,error.reason=rate_limit,signal=log":  2,
		"error.category=retryable,error.reason=rate_limit,signal=span": 1,
		"error.category=fatal,error.reason=unknown,signal=span":        2,
	}, nonZero(m.read(t, "errclass.errors")))
}

func TestCounterProviders(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	names := []string{"anthropic", "openai", "", "anthropic", "other"}
	option := otelclass.WithProviders(names...)
	names[0] = "changed"
	c := newCounter(t, m, option)
	values := m.read(t, "errclass.errors")
	assert.Len(t, values, 2*3*(len(classify.Reasons())+1))
	for _, provider := range []string{"anthropic", "openai", "other"} {
		assert.Contains(t, values, "error.category=fatal,error.reason=authentication,provider="+provider+",signal=log")
	}

	res := classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonAuthentication}
	for _, provider := range []string{"anthropic", "", "Anthropic", "mistral", "other"} {
		res.Provider = provider
		c.Count(t.Context(), otelclass.SignalLog, res)
	}
	assert.Equal(t, map[string]int64{
		"error.category=fatal,error.reason=authentication,provider=anthropic,signal=log": 2,
		"error.category=fatal,error.reason=authentication,provider=other,signal=log":     3,
	}, nonZero(m.read(t, "errclass.errors")))
}

func TestCounterObserve(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m, otelclass.WithProviders("anthropic", "openai"))
	logger := slog.New(slogclass.New(slog.DiscardHandler, slogclass.WithClassifier(testClassifier), slogclass.WithObserver(c.Observe)))
	// emit calls the handler directly, because a logger would drop the records:
	// DiscardHandler is not enabled.
	emit := func(level slog.Level, args ...any) {
		var r slog.Record
		r.Level, r.Message = level, "alpha"
		r.Add(args...)
		require.NoError(t, logger.Handler().Handle(t.Context(), r))
	}
	emit(slog.LevelInfo)
	emit(slog.LevelError)
	emit(slog.LevelError, "provider", "openai")
	emit(slog.LevelError, "provider", 7, "gen_ai.provider.name", "anthropic")
	emit(slog.LevelError, slog.Group("call", "provider", "openai"))
	series := "error.category=retryable,error.reason=rate_limit,provider="
	assert.Equal(t, map[string]int64{
		series + "other,signal=log": 2, series + "openai,signal=log": 1, series + "anthropic,signal=log": 1,
	}, nonZero(m.read(t, "errclass.errors")))
}

// Dashboards use these names and labels, so they must match exactly.
func TestCounterMemoryLLMNaming(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m, otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude", "openai"))
	values := m.read(t, "memory_llm_errors")
	var types []string
	for _, name := range []string{"rate_limit", "timeout", "authentication", "invalid_request", "parsing", "budget_exceeded", "policy", "transient", "unknown"} {
		for _, provider := range []string{"claude", "openai", "other"} {
			types = append(types, "error_type="+name+",provider="+provider)
		}
	}
	var got []string
	for labels := range values {
		got = append(got, labels)
	}
	assert.ElementsMatch(t, types, got)
	assert.Empty(t, nonZero(values))

	c.Count(t.Context(), otelclass.SignalLog, classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Provider: "claude"})
	c.Count(t.Context(), otelclass.SignalLog, classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout, Provider: "claude"})
	c.Count(t.Context(), otelclass.SignalLog, classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonResource, Rule: "errno/EADDRNOTAVAIL", Provider: "openai"})
	c.Count(t.Context(), otelclass.SignalSpan, classify.Result{Category: classify.CategoryFatal, Reason: classify.ReasonPolicy, Provider: "openai"})
	assert.Equal(t, map[string]int64{
		"error_type=transient,provider=claude":       1,
		"error_type=timeout,provider=claude":         1,
		"error_type=invalid_request,provider=openai": 1, // a rule with its own error type
	}, nonZero(m.read(t, "memory_llm_errors")), "without a label for it, spans do not count")
}

func TestCounterOwnNaming(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	labels := []otelclass.Label{
		{Key: "why", Value: otelclass.DimensionReason},
		{Key: "where", Value: otelclass.DimensionEndpoint}, // errors have no endpoint
		{Key: "", Value: otelclass.DimensionCategory},
		{Key: "odd", Value: 99},
	}
	option := otelclass.WithNaming(otelclass.Naming{Errors: otelclass.Metric{Name: "app.errors", Labels: labels}})
	labels[0].Key = "changed"
	c := newCounter(t, m, option, otelclass.WithSignals(otelclass.SignalSpan), otelclass.WithSignals())
	c.Count(t.Context(), otelclass.SignalSpan, classify.Message("429 too many requests"))
	c.Count(t.Context(), otelclass.SignalLog, classify.Message("429 too many requests"))
	assert.Equal(t, map[string]int64{"why=rate_limit": 1}, nonZero(m.read(t, "app.errors")))
}

func TestNewCounterRefusedName(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	naming := otelclass.Naming{Errors: otelclass.Metric{Name: "1 bad name"}, BreakerState: otelclass.Metric{Name: "2 bad names"}}
	_, err := otelclass.NewCounter(m.provider.Meter("test"), otelclass.WithNaming(naming))
	require.Error(t, err)
	assert.Contains(t, err.Error(), `otelclass: cannot create "1 bad name", see WithNaming: `)
	assert.Equal(t, semconv.ErrorTypeKey.String("otelclass.instrument"), semconv.ErrorType(err))
	assert.Error(t, errors.Unwrap(err))
	_, err = otelclass.NewCallMetrics(m.provider.Meter("test"), otelclass.WithNaming(naming))
	assert.ErrorContains(t, err, `"2 bad names"`)
	naming.Retries.Name = "3 bad names"
	_, err = otelclass.NewCallMetrics(m.provider.Meter("test"), otelclass.WithNaming(naming))
	assert.ErrorContains(t, err, `"3 bad names"`)
}

func TestCounterOfNothing(t *testing.T) {
	t.Parallel()
	var none *otelclass.Counter
	none.Count(t.Context(), otelclass.SignalLog, classify.Message("x"))
	none.Observe(t.Context(), slog.Record{}, classify.Message("x"))
	c, err := otelclass.NewCounter(nil, nil)
	require.NoError(t, err)
	c.Count(t.Context(), otelclass.SignalLog, classify.Message("x"))
}

// A failure counts once for each OpenTelemetry signal (log and span), even if slogclass
// and both processors see it.
func TestNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(nil, otelclass.WithCounter(c), otelclass.WithClassifier(testClassifier))))
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(nil, otelclass.WithCounter(c), otelclass.WithClassifier(testClassifier))))
	logger := loggers.Logger("test")

	_, span := tracers.Tracer("test").Start(t.Context(), "work")
	for range 3 { // three attempts
		span.RecordError(errors.New("alpha"))
		r := record(log.SeverityWarn, "again", "exception.message", "alpha")
		logger.Emit(t.Context(), r) // handled, so not counted
	}
	otelclass.RecordError(span, errors.New("beta"))
	span.SetStatus(codes.Error, "beta")
	span.End()
	span.End()
	logger.Emit(t.Context(), record(log.SeverityError, "alpha"))
	logger.Emit(t.Context(), record(log.SeverityError, "alpha", "error.category", "retryable", "error.reason", "rate_limit")) // counted by slogclass
	_, handled := tracers.Tracer("test").Start(t.Context(), "work")
	handled.RecordError(errors.New("alpha"))
	handled.End()
	require.NoError(t, tracers.Shutdown(t.Context()))
	require.NoError(t, loggers.Shutdown(t.Context()))

	assert.Equal(t, map[string]int64{
		"error.category=retryable,error.reason=rate_limit,signal=log": 1,
		"error.category=fatal,error.reason=unknown,signal=span":       1, // RecordError used the standard rules, which do not know "beta"
	}, nonZero(m.read(t, "errclass.errors")))
}

// The provider comes from an attribute of the span or the record.
func TestCounterProviderOfTelemetry(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m, otelclass.WithProviders("anthropic"))
	provider := attribute.String("gen_ai.provider.name", "anthropic")
	p := otelclass.NewSpanProcessor(nil, otelclass.WithCounter(c))
	failed := sdktrace.Status{Code: codes.Error, Description: "HTTP 401"}
	p.OnEnd(tracetest.SpanStub{Status: failed, Attributes: []attribute.KeyValue{provider}}.Snapshot())
	p.OnEnd(tracetest.SpanStub{Status: failed, Attributes: []attribute.KeyValue{provider},
		Events: []sdktrace.Event{{Attributes: []attribute.KeyValue{attribute.String("exception.message", "HTTP 401")}}}}.Snapshot())
	p.OnEnd(tracetest.SpanStub{Status: failed}.Snapshot())
	p.OnEnd(tracetest.SpanStub{Status: failed, Attributes: []attribute.KeyValue{attribute.String("gen_ai.system", "anthropic")}}.Snapshot())
	p.OnEnd(tracetest.SpanStub{Status: failed, Attributes: []attribute.KeyValue{provider, attribute.String("gen_ai.system", "x")}}.Snapshot())

	r := record(log.SeverityError, "HTTP 401")
	r.AddAttributes(provider)
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(nil, otelclass.WithCounter(c))))
	loggers.Logger("test").Emit(t.Context(), r)
	require.NoError(t, loggers.Shutdown(t.Context()))

	series := "error.category=fatal,error.reason=authentication,provider="
	assert.Equal(t, map[string]int64{
		series + "anthropic,signal=span": 4, series + "other,signal=span": 1, series + "anthropic,signal=log": 1,
	}, nonZero(m.read(t, "errclass.errors")))
}

// The exemplar of an error refers to the span in which the error occurred.
func TestCounterExemplar(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	p := otelclass.NewSpanProcessor(nil, otelclass.WithCounter(newCounter(t, m)))
	sc := trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{1}, SpanID: [8]byte{2}, TraceFlags: trace.FlagsSampled})
	p.OnEnd(tracetest.SpanStub{SpanContext: sc, Status: sdktrace.Status{Code: codes.Error}}.Snapshot())

	var all metricdata.ResourceMetrics
	require.NoError(t, m.Collect(t.Context(), &all))
	var ids [][]byte
	for _, point := range all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64]).DataPoints {
		for _, e := range point.Exemplars {
			ids = append(ids, e.SpanID)
		}
	}
	id := sc.SpanID()
	assert.Contains(t, ids, id[:])
}

func TestConcurrentSafe(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	c := newCounter(t, m)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(nil, otelclass.WithCounter(c), otelclass.WithClassifier(testClassifier))))
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(nil, otelclass.WithCounter(c), otelclass.WithClassifier(testClassifier))))
	const goroutines, rounds = 8, 50
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				_, span := tracers.Tracer("test").Start(t.Context(), "work")
				span.RecordError(errors.New("alpha"))
				span.SetStatus(codes.Error, "")
				span.End()
				loggers.Logger("test").Emit(t.Context(), record(log.SeverityError, "beta"))
			}
		})
	}
	wg.Wait()
	require.NoError(t, tracers.Shutdown(t.Context()))
	require.NoError(t, loggers.Shutdown(t.Context()))
	assert.Equal(t, map[string]int64{
		"error.category=retryable,error.reason=rate_limit,signal=span": goroutines * rounds,
		"error.category=fatal,error.reason=authentication,signal=log":  goroutines * rounds,
	}, nonZero(m.read(t, "errclass.errors")))
}

// If a span ends during Shutdown, the processor either drops the span or exports it
// with category and reason.
func TestShutdownConcurrentSafe(t *testing.T) {
	t.Parallel()
	exporter := tracetest.NewInMemoryExporter()
	p := otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), otelclass.WithClassifier(testClassifier))
	span := tracetest.SpanStub{
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{1}, SpanID: [8]byte{2}, TraceFlags: trace.FlagsSampled}),
		Status:      sdktrace.Status{Code: codes.Error, Description: "alpha"},
	}.Snapshot()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				p.OnEnd(span)
			}
		})
		wg.Go(func() { assert.NoError(t, p.ForceFlush(context.Background())) })
		wg.Go(func() { assert.NoError(t, p.Shutdown(context.Background())) })
	}
	wg.Wait()
	exporter.Reset()
	p.OnEnd(span)
	assert.Empty(t, exporter.GetSpans())
}

// Count does not allocate. The test uses the no-op meter, because the meter of the
// SDK may allocate.
func TestCounterAllocates(t *testing.T) {
	c, err := otelclass.NewCounter(noop.NewMeterProvider().Meter(""), otelclass.WithProviders("anthropic"))
	require.NoError(t, err)
	res := classify.Message("429 too many requests")
	res.Provider = "anthropic"
	assert.Zero(t, testing.AllocsPerRun(100, func() { c.Count(t.Context(), otelclass.SignalLog, res) }))
}
