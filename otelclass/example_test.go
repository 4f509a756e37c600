package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

// printSpans is an exporter. It prints the attributes of spans and of their events.
type printSpans struct{}

func (printSpans) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		printAttributes(s.Name(), s.Attributes())
		for _, e := range s.Events() {
			printAttributes("  "+e.Name, e.Attributes)
		}
	}
	return nil
}

func (printSpans) Shutdown(context.Context) error { return nil }

// printLogs is an exporter. It prints the attributes of log records.
type printLogs struct{ noExport }

func (printLogs) Export(_ context.Context, records []sdklog.Record) error {
	for i := range records {
		printAttributes(records[i].Body().AsString(), attributes(&records[i]))
	}
	return nil
}

func printAttributes(name string, attrs []attribute.KeyValue) {
	var b strings.Builder
	b.WriteString(name + ":")
	for _, kv := range attrs {
		fmt.Fprintf(&b, " %s=%s", kv.Key, kv.Value.String())
	}
	fmt.Println(b.String())
}

// printMetrics prints the series with values other than 0.
func printMetrics(reader metric.Reader) {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		fmt.Println(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			var points []metricdata.DataPoint[int64]
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				points = data.DataPoints
			case metricdata.Gauge[int64]:
				points = data.DataPoints
			}
			var lines []string
			for _, p := range points {
				if p.Value != 0 {
					lines = append(lines, fmt.Sprintf("%s{%s} %d", m.Name, p.Attributes.Encoded(attribute.DefaultEncoder()), p.Value))
				}
			}
			slices.Sort(lines)
			for _, line := range lines {
				fmt.Println(line)
			}
		}
	}
}

// tracer returns a tracer. Its spans go through a SpanProcessor with opts and are
// printed.
func tracer(opts ...otelclass.Option) trace.Tracer {
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(printSpans{}), opts...))).Tracer("example")
}

// emitError emits a record at severity Error.
func emitError(provider *sdklog.LoggerProvider, body string, attrs ...attribute.KeyValue) {
	var r log.Record
	r.SetSeverity(log.SeverityError)
	r.SetBody(attribute.StringValue(body))
	r.AddAttributes(attrs...)
	provider.Logger("example").Emit(context.Background(), r)
}

// The counter counts the errors of spans and logs.
func Example() {
	reader := metric.NewManualReader() // in a program: an exporter for Prometheus or OTLP
	meters := metric.NewMeterProvider(metric.WithReader(reader))
	counter, err := otelclass.NewCounter(meters.Meter("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(printSpans{}), otelclass.WithCounter(counter))))
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(printLogs{}), otelclass.WithCounter(counter))))
	logger := slog.New(otelslog.NewHandler("example", otelslog.WithLoggerProvider(loggers)))

	_, span := tracers.Tracer("example").Start(context.Background(), "completion")
	failed := errors.New("429 Too Many Requests")
	span.RecordError(failed)
	span.SetStatus(codes.Error, "")
	span.End()
	logger.Error("completion failed", "err", failed)
	printMetrics(reader)
	// Output:
	// completion: error.category=retryable error.reason=rate_limit
	//   exception: exception.type=*errors.errorString exception.message=429 Too Many Requests error.category=retryable error.reason=rate_limit
	// completion failed: exception.message=429 Too Many Requests exception.type=*errors.errorString error.category=retryable error.reason=rate_limit
	// errclass.errors{error.category=retryable,error.reason=rate_limit,signal=log} 1
	// errclass.errors{error.category=retryable,error.reason=rate_limit,signal=span} 1
}

// Without an exception, other attributes of a span determine the result, such as an
// HTTP status.
func ExampleNewSpanProcessor() {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(printSpans{}))))

	_, span := provider.Tracer("example").Start(context.Background(), "POST")
	span.SetAttributes(attribute.Int("http.response.status_code", 401))
	span.SetStatus(codes.Error, "")
	span.End()
	_, span = provider.Tracer("example").Start(context.Background(), "cache")
	span.RecordError(errors.New("connection refused")) // handled, because the status is not Error
	span.End()
	// Output:
	// POST: http.response.status_code=401 error.category=fatal error.reason=authentication
	// cache:
	//   exception: exception.type=*errors.errorString exception.message=connection refused error.category=retryable error.reason=network
}

func ExampleSpanProcessor_OnStart() {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(&stamp{})))

	_, span := provider.Tracer("example").Start(context.Background(), "work")
	printAttributes("work", span.(sdktrace.ReadOnlySpan).Attributes())
	// Output: work: stamped=true
}

func ExampleSpanProcessor_OnEnd() {
	next := &keeper{}
	p := otelclass.NewSpanProcessor(next)
	_, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p)).Tracer("example").Start(context.Background(), "work")
	span.SetStatus(codes.Error, "connection refused")

	span.End() // calls OnEnd
	printAttributes("work", next.spans[0].Attributes())
	// Output: work: error.category=retryable error.reason=network
}

func ExampleSpanProcessor_ForceFlush() {
	p := otelclass.NewSpanProcessor(sdktrace.NewBatchSpanProcessor(printSpans{}))
	_, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p)).Tracer("example").Start(context.Background(), "work")
	span.End()

	fmt.Println(p.ForceFlush(context.Background()))
	fmt.Println(p.Shutdown(context.Background()))
	// Output:
	// work:
	// <nil>
	// <nil>
}

func ExampleSpanProcessor_Shutdown() {
	p := otelclass.NewSpanProcessor(&keeper{err: errors.New("the exporter is gone")})

	fmt.Println(p.Shutdown(context.Background()))
	fmt.Println(p.Shutdown(context.Background())) // does nothing
	// Output:
	// the exporter is gone
	// <nil>
}

// A span stores only the text of an error. RecordError also reads the wrapped
// errors.
func ExampleRecordError() {
	_, span := tracer().Start(context.Background(), "completion")
	defer span.End()

	err := fmt.Errorf("giving up: %w", context.DeadlineExceeded)
	otelclass.RecordError(span, err)
	span.SetStatus(codes.Error, err.Error())
	// Output:
	// completion: error.category=timeout error.reason=timeout
	//   exception: error.category=timeout error.reason=timeout exception.type=*fmt.wrapError exception.message=giving up: context deadline exceeded
}

func ExampleRecordErrorContext() {
	draining := errors.New("the server is shutting down")
	ctx, cancel := context.WithCancelCause(context.Background())
	ctx, span := tracer().Start(ctx, "completion")
	defer span.End()

	cancel(draining)
	otelclass.RecordErrorContext(ctx, context.Cause(ctx))
	// Output:
	// completion: error.category=aborted error.reason=aborted
	//   exception: error.category=aborted error.reason=aborted exception.type=*errors.errorString exception.message=the server is shutting down
}

func ExampleNewRecorder() {
	keys := otelclass.WithKeys("app.category", "app.reason")
	recorder := otelclass.NewRecorder(keys)
	_, span := tracer(keys).Start(context.Background(), "completion")
	defer span.End()

	recorder.RecordError(span, errors.New("HTTP 401"))
	// Output:
	// completion: app.category=fatal app.reason=authentication
	//   exception: app.category=fatal app.reason=authentication exception.type=*errors.errorString exception.message=HTTP 401
}

// RecordError keeps an attribute that the caller has set.
func ExampleRecorder_RecordError() {
	_, span := tracer().Start(context.Background(), "completion")
	defer span.End()

	otelclass.NewRecorder().RecordError(span, errors.New("HTTP 401"),
		trace.WithAttributes(otelclass.ReasonKey.String("vault_sealed")))
	// Output:
	// completion: error.category=fatal error.reason=vault_sealed
	//   exception: error.category=fatal error.reason=vault_sealed exception.type=*errors.errorString exception.message=HTTP 401
}

func ExampleRecorder_RecordErrorContext() {
	keys := otelclass.WithKeys("app.category", "app.reason")
	ctx, cancel := context.WithDeadlineCause(context.Background(), time.Time{}, errors.New("the report took too long"))
	defer cancel()
	ctx, span := tracer(keys).Start(ctx, "completion")
	defer span.End()

	otelclass.NewRecorder(keys).RecordErrorContext(ctx, context.Cause(ctx))
	// Output:
	// completion: app.category=timeout app.reason=timeout
	//   exception: app.category=timeout app.reason=timeout exception.type=*errors.errorString exception.message=the report took too long
}

func ExampleNewLogProcessor() {
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(printLogs{}))))

	emitError(provider, "request failed", attribute.String("exception.message", "connection refused"))
	emitError(provider, "request failed", attribute.Int("http.response.status_code", 429))
	// Output:
	// request failed: exception.message=connection refused error.category=retryable error.reason=network
	// request failed: http.response.status_code=429 error.category=retryable error.reason=rate_limit
}

func ExampleLogProcessor_Enabled() {
	p := otelclass.NewLogProcessor(&nextLogs{enabled: false})

	fmt.Println(p.Enabled(context.Background(), sdklog.EnabledParameters{Severity: log.SeverityError}))
	// Output: false
}

// OnEmit changes a record in place, so processors that were registered later see
// the attributes.
func ExampleLogProcessor_OnEmit() {
	provider := sdklog.NewLoggerProvider(
		sdklog.WithProcessor(otelclass.NewLogProcessor(nil)),
		sdklog.WithProcessor(sdklog.NewSimpleProcessor(printLogs{})))

	emitError(provider, "HTTP 401") // calls OnEmit of each
	// Output: HTTP 401: error.category=fatal error.reason=authentication
}

func ExampleLogProcessor_ForceFlush() {
	p := otelclass.NewLogProcessor(&nextLogs{err: errors.New("the exporter is busy")})

	fmt.Println(p.ForceFlush(context.Background()))
	// Output: the exporter is busy
}

func ExampleLogProcessor_Shutdown() {
	p := otelclass.NewLogProcessor(&nextLogs{err: errors.New("the exporter is gone")})

	fmt.Println(p.Shutdown(context.Background()))
	fmt.Println(p.Shutdown(context.Background())) // does nothing
	// Output:
	// the exporter is gone
	// <nil>
}

func ExampleWithKeys() {
	_, span := tracer(otelclass.WithKeys("app.category", "app.reason")).Start(context.Background(), "work")
	defer span.End()

	span.SetStatus(codes.Error, "connection refused")
	// Output: work: app.category=retryable app.reason=network
}

func ExampleWithDetails() {
	_, span := tracer(otelclass.WithDetails()).Start(context.Background(), "completion")
	span.SetStatus(codes.Error, "429 Too Many Requests, try again in 1.5s")
	span.End()
	// Output:
	// completion: error.category=retryable error.reason=rate_limit error.rule=http/429 error.confidence=0.95 error.retry_after_ms=1500
}

// Both spans have the same fingerprint, because only the address differs.
func ExampleWithFingerprint() {
	tracer := tracer(otelclass.WithFingerprint())
	for _, text := range []string{"dial tcp 10.0.0.7:5432: connection refused", "dial tcp 10.0.0.9:5433: connection refused"} {
		_, span := tracer.Start(context.Background(), "query")
		span.SetStatus(codes.Error, text)
		span.End()
	}
	// Output:
	// query: error.category=retryable error.reason=network error.fingerprint=5bac57abcfb484f5
	// query: error.category=retryable error.reason=network error.fingerprint=5bac57abcfb484f5
}

// The classifier has a rule for a message of the program.
func ExampleWithClassifier() {
	own, err := classify.New(classify.WithRules(classify.Rule{
		ID: "shop/sold-out", Reason: classify.ReasonInvalidRequest, Pattern: `sold out`,
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, span := tracer(otelclass.WithClassifier(own)).Start(context.Background(), "order")
	defer span.End()

	span.SetStatus(codes.Error, "article 7 is sold out")
	// Output: order: error.category=fatal error.reason=invalid_request
}

func ExampleWithObserver() {
	alert := func(_ context.Context, signal otelclass.Signal, res classify.Result) {
		if res.Category == classify.CategoryFatal {
			fmt.Println("alert:", res.Reason, "in a", signal)
		}
	}
	_, span := tracer(otelclass.WithObserver(alert)).Start(context.Background(), "work")
	span.SetStatus(codes.Error, "HTTP 401")
	span.End()
	// Output:
	// work: error.category=fatal error.reason=authentication
	// alert: authentication in a span
}

func ExampleWithCounter() {
	reader, counter := exampleCounter()
	p := otelclass.NewSpanProcessor(nil, otelclass.WithCounter(counter))
	_, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(p)).Tracer("example").Start(context.Background(), "work")
	span.SetStatus(codes.Error, "HTTP 401")
	span.End()

	printMetrics(reader)
	// Output: errclass.errors{error.category=fatal,error.reason=authentication,signal=span} 1
}

// The filter selects client spans.
func ExampleWithSpans() {
	clients := otelclass.WithSpans(func(s sdktrace.ReadOnlySpan) bool { return s.SpanKind() == trace.SpanKindClient })
	_, span := tracer(clients).Start(context.Background(), "inside")
	span.SetStatus(codes.Error, "HTTP 401")
	span.End()
	// Output: inside:
}

func ExampleWithHandled() {
	_, span := tracer(otelclass.WithHandled()).Start(context.Background(), "cache")
	defer span.End()

	span.AddEvent("miss", trace.WithAttributes(attribute.String("exception.message", "connection refused")))
	// Output:
	// cache: error.category=retryable error.reason=network
	//   miss: exception.message=connection refused error.category=retryable error.reason=network
}

func exampleCounter(opts ...otelclass.CounterOption) (metric.Reader, *otelclass.Counter) {
	reader := metric.NewManualReader()
	counter, err := otelclass.NewCounter(metric.NewMeterProvider(metric.WithReader(reader)).Meter("example"), opts...)
	if err != nil {
		fmt.Println(err)
	}
	return reader, counter
}

func ExampleNewCounter() {
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	counter, err := otelclass.NewCounter(provider.Meter("example"))
	if err != nil {
		fmt.Println(err)
		return
	}

	counter.Count(context.Background(), otelclass.SignalLog, classify.Message("HTTP 401"))
	printMetrics(reader)
	// Output: errclass.errors{error.category=fatal,error.reason=authentication,signal=log} 1
}

func ExampleCounter_Count() {
	reader, counter := exampleCounter()

	counter.Count(context.Background(), otelclass.SignalLog, classify.Error(context.DeadlineExceeded))
	counter.Count(context.Background(), otelclass.SignalLog, classify.Result{}) // no error, not counted
	printMetrics(reader)
	// Output: errclass.errors{error.category=timeout,error.reason=timeout,signal=log} 1
}

// The counter counts the records that slogclass classifies.
func ExampleCounter_Observe() {
	reader, counter := exampleCounter()
	logger := slog.New(slogclass.New(slog.NewTextHandler(&strings.Builder{}, nil), slogclass.WithObserver(counter.Observe)))

	logger.Error("completion failed", "err", errors.New("429 Too Many Requests"))
	printMetrics(reader)
	// Output: errclass.errors{error.category=retryable,error.reason=rate_limit,signal=log} 1
}

func ExampleWithProviders() {
	reader, counter := exampleCounter(otelclass.WithProviders("anthropic", "openai"))

	for _, provider := range []string{"anthropic", "mistral"} {
		counter.Count(context.Background(), otelclass.SignalLog, classify.Standard.Classify(classify.Evidence{Status: 401, Provider: provider}))
	}
	printMetrics(reader)
	// Output:
	// errclass.errors{error.category=fatal,error.reason=authentication,provider=anthropic,signal=log} 1
	// errclass.errors{error.category=fatal,error.reason=authentication,provider=other,signal=log} 1
}

func ExampleWithNaming() {
	naming := otelclass.Naming{Errors: otelclass.Metric{
		Name:   "shop.failures",
		Labels: []otelclass.Label{{Key: "why", Value: otelclass.DimensionReason}},
	}}
	reader, counter := exampleCounter(otelclass.WithNaming(naming))

	counter.Count(context.Background(), otelclass.SignalLog, classify.Message("HTTP 401"))
	printMetrics(reader)
	// Output: shop.failures{why=authentication} 1
}

func ExampleWithSignals() {
	reader, counter := exampleCounter(otelclass.WithSignals(otelclass.SignalSpan))

	counter.Count(context.Background(), otelclass.SignalLog, classify.Message("HTTP 401"))
	counter.Count(context.Background(), otelclass.SignalSpan, classify.Message("HTTP 401"))
	printMetrics(reader)
	// Output: errclass.errors{error.category=fatal,error.reason=authentication,signal=span} 1
}

func ExampleDefaultNaming() {
	naming := otelclass.DefaultNaming()
	naming.Errors.Name = "shop.errors" // the labels are unchanged

	fmt.Println(naming.Errors.Name, naming.Errors.Labels[0].Key, naming.Calls.Name)
	// Output: shop.errors error.category errclass.calls
}

func ExampleMemoryLLMNaming() {
	reader, counter := exampleCounter(otelclass.WithNaming(otelclass.MemoryLLMNaming()), otelclass.WithProviders("claude", "openai"))

	counter.Count(context.Background(), otelclass.SignalLog, classify.Standard.Classify(classify.Evidence{Status: 503, Provider: "claude"}))
	printMetrics(reader) // Prometheus appends _total
	// Output: memory_llm_errors{error_type=transient,provider=claude} 1
}

func exampleCallMetrics() (metric.Reader, *otelclass.CallMetrics) {
	reader := metric.NewManualReader()
	m, err := otelclass.NewCallMetrics(metric.NewMeterProvider(metric.WithReader(reader)).Meter("example"))
	if err != nil {
		fmt.Println(err)
	}
	return reader, m
}

// Two calls fail and another provider takes over.
func ExampleNewCallMetrics() {
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	m, err := otelclass.NewCallMetrics(provider.Meter("example"), otelclass.WithProviders("claude", "openai"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, limited := context.Background(), classify.Message("429 Too Many Requests")

	m.Call(ctx, "claude")
	m.Call(ctx, "claude")
	m.Retry(ctx, "claude", limited, false)
	m.Breaker(ctx, "https://api.example.com", "open")
	m.Fallback(ctx, "claude", "openai", limited)
	m.Call(ctx, "openai")
	printMetrics(reader)
	// Output:
	// errclass.calls{provider=claude} 2
	// errclass.calls{provider=openai} 1
	// errclass.retries{provider=claude,result=failure} 1
	// errclass.fallbacks{from=claude,to=openai} 1
	// errclass.breaker.state{endpoint=https://api.example.com,state=open} 1
}

func ExampleCallMetrics_Call() {
	reader, m := exampleCallMetrics()

	m.Call(context.Background(), "claude")
	printMetrics(reader) // without WithProviders there is no label provider
	// Output: errclass.calls{} 1
}

func ExampleCallMetrics_Retry() {
	reader, m := exampleCallMetrics()

	m.Retry(context.Background(), "claude", classify.Message("503"), true)
	printMetrics(reader)
	// Output: errclass.retries{result=success} 1
}

func ExampleCallMetrics_Fallback() {
	reader, m := exampleCallMetrics()

	m.Fallback(context.Background(), "claude", "openai", classify.Message("503"))
	printMetrics(reader)
	// Output: errclass.fallbacks{from=claude,to=openai} 1
}

func ExampleCallMetrics_Breaker() {
	reader, m := exampleCallMetrics()

	m.Breaker(context.Background(), "https://api.example.com", "open")
	m.Breaker(context.Background(), "https://api.example.com", "half_open")
	printMetrics(reader)
	// Output: errclass.breaker.state{endpoint=https://api.example.com,state=half_open} 1
}

func ExampleCallMetrics_Attempt() {
	reader := metric.NewManualReader()
	meter := metric.NewMeterProvider(metric.WithReader(reader)).Meter("example")
	m, err := otelclass.NewCallMetrics(meter, otelclass.WithProviders("anthropic", "openai"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	m.Attempt(ctx, "claude", "https://api.anthropic.com", classify.Message("503")) // claude is an alias
	m.Attempt(ctx, "openai", "https://api.openai.com", classify.Result{})          // the fallback succeeds
	printMetrics(reader)
	// Output:
	// errclass.attempts{endpoint=https://api.anthropic.com,error.reason=transient,outcome=failure,provider=anthropic} 1
	// errclass.attempts{endpoint=https://api.openai.com,outcome=success,provider=openai} 1
}

func ExampleCallMetrics_Hold() {
	reader, m := exampleCallMetrics()

	m.Hold(context.Background(), "https://api.example.com", time.Minute)
	m.Hold(context.Background(), "https://api.example.com", 2*time.Minute) // the same hold
	printMetrics(reader)
	// Output: errclass.holds{endpoint=https://api.example.com} 1
}

func ExampleCallMetrics_Health() {
	reader, m := exampleCallMetrics()

	m.Health(context.Background(), "https://api.example.com", "healthy")
	printMetrics(reader)
	// Output: errclass.endpoint.healthy{endpoint=https://api.example.com} 1
}

func ExampleCallMetrics_Restart() {
	reader, m := exampleCallMetrics()

	m.Restart(context.Background(), "parked")
	printMetrics(reader)
	// Output: errclass.restarts{state=parked} 1
}

func ExampleWithEndpoints() {
	reader := metric.NewManualReader()
	meter := metric.NewMeterProvider(metric.WithReader(reader)).Meter("example")
	m, err := otelclass.NewCallMetrics(meter, otelclass.WithEndpoints("https://api.example.com"))
	if err != nil {
		fmt.Println(err)
		return
	}

	m.Attempt(context.Background(), "", "https://api.example.com", classify.Message("401")) // its series was 0 before
	printMetrics(reader)
	// Output: errclass.attempts{endpoint=https://api.example.com,error.reason=authentication,outcome=failure} 1
}

func ExampleWithCounted() {
	reader, counter := exampleCounter(otelclass.WithCounted(func(_ context.Context, res classify.Result) bool {
		return res.Status != 404 // the program asks for records that may not be there yet
	}))

	counter.Count(context.Background(), otelclass.SignalLog, classify.Message("HTTP 404"))
	counter.Count(context.Background(), otelclass.SignalLog, classify.Message("HTTP 401"))
	printMetrics(reader)
	// Output: errclass.errors{error.category=fatal,error.reason=authentication,signal=log} 1
}
