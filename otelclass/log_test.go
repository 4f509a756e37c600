package otelclass_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// record returns a log record. kvs are the keys and values of its attributes.
func record(severity log.Severity, body string, kvs ...string) log.Record {
	var r log.Record
	r.SetSeverity(severity)
	r.SetBody(attribute.StringValue(body))
	for i := 0; i < len(kvs); i += 2 {
		r.AddAttributes(attribute.String(kvs[i], kvs[i+1]))
	}
	return r
}

// emitted emits r through a LogProcessor and returns the exported record.
func emitted(t *testing.T, r log.Record, opts ...otelclass.Option) sdklog.Record {
	t.Helper()
	exporter := &logs{}
	opts = append([]otelclass.Option{otelclass.WithClassifier(testClassifier)}, opts...)
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter), opts...)))
	provider.Logger("test").Emit(t.Context(), r)
	require.NoError(t, provider.Shutdown(t.Context()))
	require.Len(t, exporter.records, 1)
	return exporter.records[0]
}

func TestLogProcessor(t *testing.T) {
	t.Parallel()
	with := func(r log.Record, kvs ...attribute.KeyValue) log.Record {
		r.AddAttributes(kvs...)
		return r
	}
	named := func(r log.Record, name string) log.Record { r.SetEventName(name); return r }
	holding := func(r log.Record, err error) log.Record { r.SetErr(err); return r }
	empty := log.Record{}
	empty.SetSeverity(log.SeverityError)
	mapBody := record(log.SeverityError, "")
	mapBody.SetBody(attribute.MapValue(attribute.String("message", "alpha")))
	tests := []struct {
		name string
		r    log.Record
		opts []otelclass.Option
		want string
	}{
		{name: "below the severity", r: record(log.SeverityWarn4, "alpha", "err", "alpha"), want: nothing},
		{name: "no severity", r: record(log.SeverityUndefined, "alpha"), want: nothing},
		{name: "body", r: record(log.SeverityError, "alpha"), want: alpha},
		{name: "fatal", r: record(log.SeverityFatal4, "alpha"), want: alpha},
		{name: "empty", r: empty, want: unknown},
		{name: "a body that is no text", r: mapBody, want: unknown},
		{name: "exception beats body", r: record(log.SeverityError, "beta", "exception.message", "alpha"), want: alpha},
		{name: "exception below the severity", r: record(log.SeverityInfo, "", "exception.message", "alpha"), want: alpha},
		{name: "exception without severity", r: record(log.SeverityUndefined, "", "exception.type", "gamma"), want: gamma},
		{name: "any event name", r: named(record(log.SeverityWarn, "", "exception.message", "alpha"), "gen_ai.client.operation.exception"), want: alpha},
		{name: "an event name alone", r: named(record(log.SeverityWarn, "alpha"), "exception"), want: nothing},
		{name: "error value", r: holding(record(log.SeverityError, "failed"), errors.New("alpha")), want: alpha},
		{name: "unknown exception, known body", r: record(log.SeverityError, "alpha", "exception.message", "boom"), want: alpha},
		{name: "unknown exception, known status", r: with(record(log.SeverityError, "failed", "exception.message", "boom"), attribute.Int("http.response.status_code", 401)), want: beta},
		{name: "text attribute beats body", r: record(log.SeverityError, "beta", "err", "alpha"), want: alpha},
		{name: "an error that is a map", r: with(record(log.SeverityError, "failed"), attribute.Map("err", attribute.String("message", "alpha"))), want: alpha},
		{name: "the message of another map", r: with(record(log.SeverityError, "failed"), attribute.Map("g", attribute.String("message", "alpha"))), want: unknown},
		{name: "text in a map", r: with(record(log.SeverityError, "failed"), attribute.Map("g", attribute.Map("h", attribute.String("error", "alpha")))), want: alpha},
		{name: "text too deep", r: with(record(log.SeverityError, "failed"),
			attribute.Map("1", attribute.Map("2", attribute.Map("3", attribute.Map("4", attribute.Map("5", attribute.String("err", "alpha"))))))), want: unknown},
		{name: "text of another name", r: record(log.SeverityError, "failed", "note", "alpha"), want: unknown},
		{name: "RPC status", r: record(log.SeverityError, "failed", "rpc.response.status_code", "UNAUTHENTICATED"), want: beta},
		{name: "error type", r: record(log.SeverityError, "failed", "error.type", "ECONNRESET"), want: gamma},
		{name: "stack beside a body", r: record(log.SeverityError, "failed", "exception.stacktrace", "alpha"), want: unknown},
		{name: "stack beside a type", r: record(log.SeverityError, "", "exception.type", "Boom", "exception.stacktrace", "alpha"), want: unknown},
		{name: "stack alone", r: record(log.SeverityUndefined, "", "exception.stacktrace", "alpha"), want: alpha},
		{name: "the caller's own", r: record(log.SeverityError, "alpha", "error.category", "mine", "error.reason", "own"), want: "mine/own"},
		{name: "one of the caller's own", r: record(log.SeverityError, "alpha", "error.reason", "own"), want: "retryable/own"},
		{name: "the other of the caller's own", r: record(log.SeverityError, "alpha", "error.category", "mine"), want: "mine/rate_limit"},
		{name: "WithKeys", opts: []otelclass.Option{otelclass.WithKeys("", "r")}, r: record(log.SeverityError, "alpha"), want: "retryable/<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := emitted(t, tt.r, tt.opts...)
			assert.Equal(t, tt.want, classified(t, attributes(&got)))
		})
	}
}

// The SDK stores the first five attributes of a record in an array, and the others
// in a slice. The processor keeps all of them.
func TestLogProcessorKeepsTheRest(t *testing.T) {
	t.Parallel()
	got := emitted(t, record(log.SeverityError, "alpha", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6"))
	assert.Equal(t, 8, got.AttributesLen())
	assert.Equal(t, "alpha", got.Body().AsString())
	assert.Equal(t, []attribute.KeyValue{
		otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("rate_limit"),
	}, attributes(&got)[6:])
}

// LogProcessor adds the attributes to the record itself. A LogProcessor that was
// registered later sees these attributes, so it adds none and calls no observer.
func TestLogProcessorInPlace(t *testing.T) {
	t.Parallel()
	first, second := &logs{}, &logs{}
	var observed int
	count := otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { observed++ })
	provider := sdklog.NewLoggerProvider(
		sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(first), otelclass.WithClassifier(testClassifier), count)),
		sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(second), count)),
	)
	provider.Logger("test").Emit(t.Context(), record(log.SeverityError, "alpha"))
	require.NoError(t, provider.Shutdown(t.Context()))
	for _, e := range []*logs{first, second} {
		require.Len(t, e.records, 1)
		assert.Equal(t, alpha, classified(t, attributes(&e.records[0])))
	}
	assert.Equal(t, 1, observed, "counted once")
}

// nextLogs is a log processor that records its calls. Tests pass it as the next
// processor.
type nextLogs struct {
	enabled  bool
	err      error
	calls    []context.Context
	severity log.Severity
}

func (n *nextLogs) Enabled(ctx context.Context, p sdklog.EnabledParameters) bool {
	n.calls, n.severity = append(n.calls, ctx), p.Severity
	return n.enabled
}
func (n *nextLogs) OnEmit(ctx context.Context, _ *sdklog.Record) error {
	n.calls = append(n.calls, ctx)
	return n.err
}
func (n *nextLogs) Shutdown(ctx context.Context) error { n.calls = append(n.calls, ctx); return n.err }
func (n *nextLogs) ForceFlush(ctx context.Context) error {
	n.calls = append(n.calls, ctx)
	return n.err
}

func TestLogProcessorDelegates(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, 1)
	full := errors.New("exporter is full")
	next := &nextLogs{err: full}
	p := otelclass.NewLogProcessor(next)
	param := sdklog.EnabledParameters{Severity: log.SeverityInfo}
	r := emit(t, record(log.SeverityError, ""))

	assert.False(t, p.Enabled(ctx, param))
	next.enabled = true
	assert.True(t, p.Enabled(ctx, param))
	assert.Equal(t, log.SeverityInfo, next.severity)
	assert.Equal(t, full, p.OnEmit(ctx, r))
	assert.NoError(t, p.OnEmit(ctx, nil))
	assert.Equal(t, full, p.ForceFlush(ctx))
	assert.Equal(t, full, p.Shutdown(ctx))
	assert.Equal(t, []context.Context{ctx, ctx, ctx, ctx, ctx}, next.calls)

	assert.False(t, p.Enabled(ctx, param))
	assert.NoError(t, p.OnEmit(ctx, r))
	assert.NoError(t, p.ForceFlush(ctx))
	assert.NoError(t, p.Shutdown(ctx))
	assert.Len(t, next.calls, 5, "a no-op after Shutdown")
}

func TestLogProcessorWithoutNext(t *testing.T) {
	t.Parallel()
	after := &logs{}
	provider := sdklog.NewLoggerProvider(
		sdklog.WithProcessor(otelclass.NewLogProcessor(nil, otelclass.WithClassifier(testClassifier))),
		sdklog.WithProcessor(sdklog.NewSimpleProcessor(after)))
	logger := provider.Logger("test")
	assert.True(t, logger.Enabled(t.Context(), log.EnabledParameters{}))
	logger.Emit(t.Context(), record(log.SeverityError, "alpha"))
	require.NoError(t, provider.ForceFlush(t.Context()))
	require.NoError(t, provider.Shutdown(t.Context()))
	require.Len(t, after.records, 1)
	assert.Equal(t, alpha, classified(t, attributes(&after.records[0])))
}

// A record that is not an error is passed on without an allocation.
func TestLogProcessorAllocates(t *testing.T) {
	p := otelclass.NewLogProcessor(nil)
	var r sdklog.Record
	r.SetSeverity(log.SeverityInfo)
	r.AddAttributes(attribute.String("a", "1"))
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = p.OnEmit(t.Context(), &r) }))
}
