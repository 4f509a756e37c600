package otelclass_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// event adds an event. kvs are the keys and values of its attributes.
func event(s trace.Span, name string, kvs ...string) {
	var attrs []attribute.KeyValue
	for i := 0; i < len(kvs); i += 2 {
		attrs = append(attrs, attribute.String(kvs[i], kvs[i+1]))
	}
	s.AddEvent(name, trace.WithAttributes(attrs...))
}

func fail(s trace.Span) { s.SetStatus(codes.Error, "") }

func TestSpanProcessor(t *testing.T) {
	t.Parallel()
	set := func(s trace.Span, kvs ...attribute.KeyValue) { s.SetAttributes(kvs...) }
	str, num := attribute.String, attribute.Int
	tests := []struct {
		name   string
		do     func(trace.Span)
		opts   []otelclass.Option
		want   string
		events []string
	}{
		{name: "no error", do: func(s trace.Span) { set(s, str("error.type", "alpha")) }, want: nothing},
		{name: "ok", do: func(s trace.Span) { s.SetStatus(codes.Ok, "") }, want: nothing},
		{name: "an event that is no exception", do: func(s trace.Span) { event(s, "exception", "note", "alpha") }, want: nothing, events: []string{nothing}},
		{name: "exception", do: func(s trace.Span) { s.RecordError(errors.New("alpha")); fail(s) }, want: alpha, events: []string{alpha}},
		{name: "any event name", do: func(s trace.Span) {
			event(s, "http.client.request.exception", "exception.message", "alpha")
			fail(s)
		}, want: alpha, events: []string{alpha}},
		{name: "type alone", do: func(s trace.Span) { event(s, "", "exception.type", "gamma"); fail(s) }, want: gamma, events: []string{gamma}},
		{name: "the last exception wins", do: func(s trace.Span) {
			s.RecordError(errors.New("alpha"))
			s.AddEvent("something else")
			s.RecordError(errors.New("beta"))
			fail(s)
		}, want: beta, events: []string{alpha, nothing, beta}},
		{name: "the last exception is unknown", do: func(s trace.Span) {
			s.RecordError(errors.New("alpha"))
			s.RecordError(errors.New("something"))
			fail(s)
		}, want: unknown, events: []string{alpha, unknown}},
		{name: "the span decides if the exception is unknown", do: func(s trace.Span) {
			s.RecordError(errors.New("something"))
			set(s, num("http.response.status_code", 429))
			fail(s)
		}, want: alpha, events: []string{unknown}},
		{name: "the exception beats the status", do: func(s trace.Span) {
			s.RecordError(errors.New("beta"))
			set(s, num("http.response.status_code", 500))
			fail(s)
		}, want: beta, events: []string{beta}},
		{name: "handled", do: func(s trace.Span) { s.RecordError(errors.New("alpha")) }, want: nothing, events: []string{alpha}},
		{name: "handled, ok", do: func(s trace.Span) {
			s.RecordError(errors.New("alpha"))
			s.SetStatus(codes.Ok, "")
		}, want: nothing, events: []string{alpha}},
		{name: "WithHandled", opts: []otelclass.Option{otelclass.WithHandled()}, do: func(s trace.Span) { s.RecordError(errors.New("alpha")) }, want: alpha, events: []string{alpha}},
		{name: "WithHandled without an exception", opts: []otelclass.Option{otelclass.WithHandled()}, do: func(s trace.Span) { s.SetStatus(codes.Ok, "") }, want: nothing},

		{name: "status alone", do: fail, want: unknown},
		{name: "description", do: func(s trace.Span) { s.SetStatus(codes.Error, "alpha") }, want: alpha},
		{name: "HTTP status", do: func(s trace.Span) { set(s, num("http.response.status_code", 401)); fail(s) }, want: beta},
		{name: "HTTP status that is no failure", do: func(s trace.Span) { set(s, num("http.response.status_code", 200)); fail(s) }, want: unknown},
		{name: "HTTP status out of range", do: func(s trace.Span) { set(s, num("http.response.status_code", 4290)); fail(s) }, want: unknown},
		{name: "HTTP status as a string", do: func(s trace.Span) { set(s, str("http.response.status_code", "429")); fail(s) }, want: alpha},
		{name: "HTTP status as a string out of range", do: func(s trace.Span) { set(s, str("http.response.status_code", "4290")); fail(s) }, want: unknown},
		{name: "HTTP status as a string that is no number", do: func(s trace.Span) { set(s, str("http.response.status_code", "failed")); fail(s) }, want: unknown},
		{name: "old HTTP status", do: func(s trace.Span) { set(s, num("http.status_code", 401)); fail(s) }, want: beta},
		{name: "old HTTP status as a string", do: func(s trace.Span) { set(s, str("http.status_code", "401")); fail(s) }, want: beta},
		{name: "HTTP status beside an old one", do: func(s trace.Span) {
			set(s, num("http.response.status_code", 401), num("http.status_code", 429))
			fail(s)
		}, want: beta},
		{name: "the description beats the HTTP status", do: func(s trace.Span) {
			set(s, num("http.response.status_code", 500))
			s.SetStatus(codes.Error, "beta")
		}, want: beta},
		{name: "RPC status", do: func(s trace.Span) { set(s, str("rpc.response.status_code", "UNAUTHENTICATED")); fail(s) }, want: beta},
		{name: "RPC status of JSON-RPC", do: func(s trace.Span) { set(s, str("rpc.response.status_code", "-32602")); fail(s) }, want: "fatal/invalid_request"},
		{name: "RPC status and another error type", do: func(s trace.Span) {
			set(s, str("rpc.response.status_code", "UNKNOWN"), str("error.type", "gamma"))
			fail(s)
		}, want: gamma},
		{name: "gRPC number", do: func(s trace.Span) { set(s, num("rpc.grpc.status_code", 16)); fail(s) }, want: beta},
		{name: "gRPC OK", do: func(s trace.Span) { set(s, num("rpc.grpc.status_code", 0)); fail(s) }, want: unknown},
		{name: "gRPC number as a string", do: func(s trace.Span) { set(s, str("rpc.grpc.status_code", "16")); fail(s) }, want: beta},
		{name: "gRPC name under the key of the number", do: func(s trace.Span) { set(s, str("rpc.grpc.status_code", "UNAUTHENTICATED")); fail(s) }, want: beta},
		{name: "gRPC OK as a string", do: func(s trace.Span) { set(s, str("rpc.grpc.status_code", "0")); fail(s) }, want: unknown},
		{name: "RPC status as a number", do: func(s trace.Span) { set(s, num("rpc.response.status_code", 16)); fail(s) }, want: beta},
		{name: "RPC status as a number of gRPC", do: func(s trace.Span) {
			set(s, str("rpc.system.name", "grpc"), num("rpc.response.status_code", 16))
			fail(s)
		}, want: beta},
		{name: "RPC status of JSON-RPC as a number", do: func(s trace.Span) { set(s, num("rpc.response.status_code", -32602)); fail(s) }, want: "fatal/invalid_request"},
		{name: "RPC status of JSON-RPC in the range of gRPC", do: func(s trace.Span) {
			set(s, str("rpc.system", "jsonrpc"), num("rpc.response.status_code", 16))
			fail(s)
		}, want: unknown},
		{name: "RPC OK as a number", do: func(s trace.Span) { set(s, num("rpc.response.status_code", 0)); fail(s) }, want: unknown},
		{name: "SQLSTATE as a number", do: func(s trace.Span) { set(s, num("db.response.status_code", 28000)); fail(s) }, want: beta},
		{name: "number of MySQL as a number", do: func(s trace.Span) {
			set(s, str("db.system.name", "mysql"), num("db.response.status_code", 1045))
			fail(s)
		}, want: beta},
		{name: "a database that speaks HTTP, a number", do: func(s trace.Span) {
			set(s, str("db.system.name", "elasticsearch"), num("db.response.status_code", 429))
			fail(s)
		}, want: alpha},
		{name: "SQLSTATE", do: func(s trace.Span) { set(s, str("db.response.status_code", "28P01")); fail(s) }, want: beta},
		{name: "number of MySQL", do: func(s trace.Span) {
			set(s, str("db.system.name", "mysql"), str("db.response.status_code", "1045"))
			fail(s)
		}, want: beta},
		{name: "SQLSTATE of MySQL", do: func(s trace.Span) {
			set(s, str("db.system", "mariadb"), str("db.response.status_code", "HY000"))
			s.SetStatus(codes.Error, "alpha")
		}, want: alpha},
		{name: "number of SQL Server", do: func(s trace.Span) {
			set(s, str("db.system.name", "microsoft.sql_server"), str("db.response.status_code", "18456"))
			fail(s)
		}, want: beta},
		{name: "text beside an unknown SQLSTATE", do: func(s trace.Span) {
			set(s, str("db.response.status_code", "ZZ999"))
			s.SetStatus(codes.Error, "alpha")
		}, want: alpha},
		{name: "text beside an unknown number of SQL Server", do: func(s trace.Span) {
			set(s, str("db.system.name", "mssql"), str("db.response.status_code", "1"))
			s.SetStatus(codes.Error, "alpha")
		}, want: alpha},
		{name: "a classifier of text alone reads the text beside a code", opts: []otelclass.Option{otelclass.WithClassifier(classify.Minimal)}, do: func(s trace.Span) {
			set(s, str("db.response.status_code", "28P01"))
			s.SetStatus(codes.Error, "rate limit")
		}, want: alpha},
		{name: "a classifier of text alone reads no stack beside a type", opts: []otelclass.Option{otelclass.WithClassifier(classify.Minimal)}, do: func(s trace.Span) {
			event(s, "exception", "exception.type", "Boom", "exception.stacktrace", "at rate limit()")
			fail(s)
		}, want: unknown, events: []string{unknown}},
		{name: "a database with codes of its own", do: func(s trace.Span) {
			set(s, str("db.system.name", "oracle.db"), str("db.response.status_code", "ORA-01017"))
			fail(s)
		}, want: beta},
		{name: "a database that speaks HTTP", do: func(s trace.Span) {
			set(s, str("db.system.name", "elasticsearch"), str("db.response.status_code", "429"))
			fail(s)
		}, want: alpha},
		{name: "error type", do: func(s trace.Span) { set(s, str("error.type", "ECONNREFUSED")); fail(s) }, want: gamma},
		{name: "error type of the program's own deadline", do: func(s trace.Span) { set(s, str("error.type", "context.deadlineExceededError")); fail(s) }, want: "timeout/timeout"},
		{name: "error type that is none", do: func(s trace.Span) { set(s, str("error.type", "_OTHER")); fail(s) }, want: unknown},

		{name: "stack beside a type", do: func(s trace.Span) {
			event(s, "exception", "exception.type", "Boom", "exception.stacktrace", "at alpha()")
			fail(s)
		}, want: unknown, events: []string{unknown}},
		{name: "stack beside a message", do: func(s trace.Span) {
			event(s, "exception", "exception.message", "boom", "exception.stacktrace", "at alpha()")
			fail(s)
		}, want: unknown, events: []string{unknown}},
		{name: "stack alone", do: func(s trace.Span) { event(s, "exception", "exception.stacktrace", "alpha\n\tat f()"); fail(s) }, want: alpha, events: []string{alpha}},

		{name: "the caller's own on the span", do: func(s trace.Span) {
			set(s, str("error.category", "mine"), str("error.reason", "own"))
			s.RecordError(errors.New("alpha"))
			fail(s)
		}, want: "mine/own", events: []string{alpha}},
		{name: "one of the caller's own on the span", do: func(s trace.Span) {
			set(s, str("error.reason", "own"))
			s.SetStatus(codes.Error, "alpha")
		}, want: "retryable/own"},
		{name: "the caller's own on the event", do: func(s trace.Span) {
			event(s, "exception", "exception.message", "alpha", "error.category", "mine")
			fail(s)
		}, want: "mine/rate_limit", events: []string{"mine/rate_limit"}},
		{name: "WithKeys", opts: []otelclass.Option{otelclass.WithKeys("a", "")}, do: func(s trace.Span) { s.SetStatus(codes.Error, "alpha") }, want: "<nil>/rate_limit"},
		{name: "WithKeys, equal", opts: []otelclass.Option{otelclass.WithKeys("error.reason", "error.reason")}, do: func(s trace.Span) { s.SetStatus(codes.Error, "alpha") }, want: "<nil>/retryable"},
		{name: "nil options", opts: []otelclass.Option{
			nil, otelclass.WithClassifier(nil), otelclass.WithObserver(nil), otelclass.WithCounter(nil), otelclass.WithSpans(nil),
		}, do: func(s trace.Span) { s.SetStatus(codes.Error, "alpha") }, want: alpha},
		{name: "WithSpans excludes the span", opts: []otelclass.Option{
			otelclass.WithSpans(func(s sdktrace.ReadOnlySpan) bool { return s.Name() != "work" }),
		}, do: func(s trace.Span) { s.RecordError(errors.New("alpha")); fail(s) }, want: nothing, events: []string{nothing}},
		{name: "WithSpans panics", opts: []otelclass.Option{
			otelclass.WithSpans(func(sdktrace.ReadOnlySpan) bool { panic("boom") }),
		}, do: func(s trace.Span) { s.SetStatus(codes.Error, "alpha") }, want: alpha},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := exportedSpan(t, tt.do, tt.opts...)
			assert.Equal(t, tt.want, classified(t, got.Attributes))
			if tt.events == nil {
				tt.events = []string{}
			}
			assert.Equal(t, tt.events, events(t, got))
		})
	}
}

// The processor does not change the span that other processors get, nor its slices.
func TestSpanProcessorCopies(t *testing.T) {
	t.Parallel()
	exporter, beside := tracetest.NewInMemoryExporter(), &keeper{}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), otelclass.WithClassifier(testClassifier))),
		sdktrace.WithSpanProcessor(beside),
	)
	_, span := provider.Tracer("test").Start(t.Context(), "work", trace.WithAttributes(attribute.Int("a", 1), attribute.Int("b", 2)))
	span.AddEvent("first", trace.WithAttributes(attribute.Int("c", 3)))
	span.RecordError(errors.New("alpha"), trace.WithAttributes(attribute.Int("d", 4)))
	span.SetStatus(codes.Error, "")
	span.End()
	exported := exporter.GetSpans()
	require.Len(t, exported, 1)
	require.NoError(t, provider.Shutdown(t.Context()))

	assert.Equal(t, alpha, classified(t, exported[0].Attributes))
	assert.Equal(t, []string{nothing, alpha}, events(t, exported[0]))
	require.Len(t, beside.spans, 1)
	stub := tracetest.SpanStubFromReadOnlySpan(beside.spans[0])
	assert.Equal(t, nothing, classified(t, stub.Attributes))
	assert.Equal(t, []string{nothing, nothing}, events(t, stub))
	full := stub.Attributes[:cap(stub.Attributes)]
	assert.Equal(t, nothing, classified(t, full[:len(stub.Attributes)]))
	for _, kv := range full[len(stub.Attributes):] {
		assert.Empty(t, kv, "nothing is written behind the end of a slice that is shared")
	}
}

func TestSpanProcessorKeepsTheRest(t *testing.T) {
	t.Parallel()
	link := trace.Link{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{1}, SpanID: [8]byte{2}})}
	got := exportedSpan(t, func(s trace.Span) {
		s.SetName("renamed")
		s.AddLink(link)
		s.SetAttributes(attribute.String("a", "1"))
		s.SetStatus(codes.Error, "alpha")
	})
	assert.Equal(t, "renamed", got.Name)
	assert.Equal(t, sdktrace.Status{Code: codes.Error, Description: "alpha"}, got.Status)
	assert.Len(t, got.Links, 1)
	assert.Equal(t, []attribute.KeyValue{
		attribute.String("a", "1"), otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("rate_limit"),
	}, got.Attributes)
	assert.Equal(t, "test", got.InstrumentationScope.Name)
	assert.False(t, got.EndTime.IsZero())
}

// keeper is a processor that stores its spans and the contexts of its calls.
type keeper struct {
	started []sdktrace.ReadWriteSpan
	spans   []sdktrace.ReadOnlySpan
	calls   []context.Context
	err     error
}

func (k *keeper) OnStart(ctx context.Context, s sdktrace.ReadWriteSpan) {
	k.calls = append(k.calls, ctx)
	k.started = append(k.started, s)
}
func (k *keeper) OnEnd(s sdktrace.ReadOnlySpan)        { k.spans = append(k.spans, s) }
func (k *keeper) Shutdown(ctx context.Context) error   { k.calls = append(k.calls, ctx); return k.err }
func (k *keeper) ForceFlush(ctx context.Context) error { k.calls = append(k.calls, ctx); return k.err }

// stamp is a next processor for tests. Its OnStart sets an attribute.
type stamp struct{ keeper }

func (s *stamp) OnStart(_ context.Context, span sdktrace.ReadWriteSpan) {
	span.SetAttributes(attribute.Bool("stamped", true))
}

func TestSpanProcessorOnStart(t *testing.T) {
	t.Parallel()
	next := &stamp{}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(next)))
	_, span := provider.Tracer("test").Start(t.Context(), "work")
	span.End()
	require.Len(t, next.spans, 1)
	assert.Equal(t, []attribute.KeyValue{attribute.Bool("stamped", true)}, next.spans[0].Attributes())
}

func TestSpanProcessorDelegates(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, 1)
	full := errors.New("exporter is full")
	next := &keeper{err: full}
	p := otelclass.NewSpanProcessor(next)
	span := tracetest.SpanStub{Name: "work"}.Snapshot()

	p.OnStart(ctx, nil)
	p.OnEnd(span)
	assert.Equal(t, full, p.ForceFlush(ctx))
	assert.Equal(t, full, p.Shutdown(ctx))
	assert.Equal(t, []context.Context{ctx, ctx, ctx}, next.calls)
	assert.Equal(t, []sdktrace.ReadOnlySpan{span}, next.spans, "untouched, the very same")

	p.OnStart(ctx, nil)
	p.OnEnd(span)
	assert.NoError(t, p.ForceFlush(ctx))
	assert.NoError(t, p.Shutdown(ctx))
	assert.Len(t, next.calls, 3, "a no-op after Shutdown")
	assert.Len(t, next.spans, 1)
}

func TestSpanProcessorHonoursTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := otelclass.NewSpanProcessor(waiter{})
	assert.ErrorIs(t, p.ForceFlush(ctx), context.Canceled)
	assert.ErrorIs(t, p.Shutdown(ctx), context.Canceled)
}

// waiter is a next processor for tests. It blocks until its context ends.
type waiter struct{}

func (waiter) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (waiter) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (waiter) Shutdown(ctx context.Context) error              { <-ctx.Done(); return ctx.Err() }
func (waiter) ForceFlush(ctx context.Context) error            { <-ctx.Done(); return ctx.Err() }

func TestSpanProcessorWithoutNext(t *testing.T) {
	t.Parallel()
	var got []string
	p := otelclass.NewSpanProcessor(nil, otelclass.WithObserver(func(_ context.Context, _ otelclass.Signal, res classify.Result) {
		got = append(got, string(res.Reason))
	}))
	p.OnStart(t.Context(), nil)
	p.OnEnd(tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: "connection refused"}}.Snapshot())
	require.NoError(t, p.ForceFlush(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
	assert.Equal(t, []string{"network"}, got)
}

func TestSpanProcessorNested(t *testing.T) {
	t.Parallel()
	next := &keeper{}
	p := otelclass.NewSpanProcessor(otelclass.NewSpanProcessor(next, otelclass.WithKeys("app.category", "app.reason")))
	p.OnEnd(tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: "connection refused"}}.Snapshot())
	require.Len(t, next.spans, 1)
	assert.Equal(t, []attribute.KeyValue{
		otelclass.CategoryKey.String("retryable"), otelclass.ReasonKey.String("network"),
		attribute.String("app.category", "retryable"), attribute.String("app.reason", "network"),
	}, next.spans[0].Attributes())
}

// A successful span is passed on without an allocation.
func TestSpanProcessorAllocates(t *testing.T) {
	p := otelclass.NewSpanProcessor(discard{})
	plain := tracetest.SpanStub{
		Attributes: []attribute.KeyValue{attribute.Int("a", 1)},
		Events:     []sdktrace.Event{{Name: "note", Attributes: []attribute.KeyValue{attribute.Int("a", 1)}}},
	}.Snapshot()
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.OnEnd(plain) }))
}

type discard struct{}

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (discard) Shutdown(context.Context) error                  { return nil }
func (discard) ForceFlush(context.Context) error                { return nil }
