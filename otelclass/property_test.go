package otelclass_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/otelclass"
)

// drawAttributes draws attributes that the processor reads, some of a wrong type.
// The slice has spare capacity.
func drawAttributes(t *rapid.T, label string) []attribute.KeyValue {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"exception.type", "exception.message", "exception.stacktrace", "error.category", "error.reason", "error.type",
		"http.response.status_code", "rpc.response.status_code", "rpc.grpc.status_code", "db.response.status_code",
		"db.system.name", "gen_ai.provider.name", "err", "note", "",
	}), 0, 6, rapid.ID).Draw(t, label)
	attrs := make([]attribute.KeyValue, 0, 16)
	for _, name := range names {
		value := rapid.OneOf(
			rapid.Map(rapid.SampledFrom([]string{"", "alpha", "beta", "fatal", "policy", "mysql", "28P01", "UNAVAILABLE", "401"}), attribute.StringValue),
			rapid.Map(rapid.IntRange(-1, 600), attribute.IntValue),
			rapid.Just(attribute.MapValue(attribute.String("err", "alpha"))),
			rapid.Just(attribute.Value{}),
		).Draw(t, name)
		attrs = append(attrs, attribute.KeyValue{Key: attribute.Key(name), Value: value})
	}
	return attrs
}

// checkAdded compares the attributes before and after a processor. Only missing keys
// may be appended, and only if wanted is true.
func checkAdded(t *rapid.T, before, now []attribute.KeyValue, wanted bool) {
	require.GreaterOrEqual(t, len(now), len(before))
	require.Equal(t, before, now[:len(before)])
	var want, got []attribute.Key
	for _, key := range []attribute.Key{otelclass.CategoryKey, otelclass.ReasonKey} {
		has := slices.ContainsFunc(before, func(kv attribute.KeyValue) bool { return kv.Key == key })
		if wanted && !has {
			want = append(want, key)
		}
	}
	for _, kv := range now[len(before):] {
		got = append(got, kv.Key)
		require.NotEmpty(t, kv.Value.AsString(), "a word of the closed set")
	}
	require.Equal(t, want, got)
}

func isException(attrs []attribute.KeyValue) bool {
	return slices.ContainsFunc(attrs, func(kv attribute.KeyValue) bool {
		return kv.Key == "exception.type" || kv.Key == "exception.message" || kv.Key == "exception.stacktrace"
	})
}

func TestSpanProcessorProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stub := tracetest.SpanStub{Attributes: drawAttributes(t, "span")}
		stub.Status.Code = rapid.SampledFrom([]codes.Code{codes.Unset, codes.Error, codes.Ok}).Draw(t, "status")
		stub.Status.Description = rapid.SampledFrom([]string{"", "beta"}).Draw(t, "description")
		exceptions := false
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			attrs := drawAttributes(t, "event")
			exceptions = exceptions || isException(attrs)
			stub.Events = append(stub.Events, sdktrace.Event{Attributes: attrs})
		}
		handled := rapid.Bool().Draw(t, "handled")
		opts := []otelclass.Option{otelclass.WithClassifier(testClassifier)}
		if handled {
			opts = append(opts, otelclass.WithHandled())
		}
		before := tracetest.SpanStub{Attributes: slices.Clone(stub.Attributes)}
		for _, e := range stub.Events {
			before.Events = append(before.Events, sdktrace.Event{Attributes: slices.Clone(e.Attributes)})
		}
		given := stub.Snapshot()
		next := &keeper{}
		otelclass.NewSpanProcessor(next, opts...).OnEnd(given)

		require.Len(t, next.spans, 1)
		failed := stub.Status.Code == codes.Error
		if !failed && !exceptions {
			require.IsType(t, given, next.spans[0], "no view of it, the span itself")
		}
		checkAdded(t, before.Attributes, next.spans[0].Attributes(), failed || handled && exceptions)
		require.Len(t, next.spans[0].Events(), len(before.Events))
		for i, e := range next.spans[0].Events() {
			checkAdded(t, before.Events[i].Attributes, e.Attributes, isException(e.Attributes))
		}
		require.Equal(t, before.Attributes, stub.Attributes, "the span itself")
		for i, e := range stub.Events {
			require.Equal(t, before.Events[i].Attributes, e.Attributes)
			require.Empty(t, slices.DeleteFunc(e.Attributes[len(e.Attributes):cap(e.Attributes)], func(kv attribute.KeyValue) bool { return kv.Key == "" }))
		}
	})
}

func TestLogProcessorProperties(t *testing.T) {
	t.Parallel()
	exporter := &logs{}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter), otelclass.WithClassifier(testClassifier))))
	logger := provider.Logger("test")
	rapid.Check(t, func(rt *rapid.T) {
		attrs := slices.DeleteFunc(drawAttributes(rt, "record"), func(kv attribute.KeyValue) bool { return !kv.Valid() })
		var r log.Record
		severity := log.Severity(rapid.IntRange(0, 24).Draw(rt, "severity"))
		r.SetSeverity(severity)
		r.SetBody(rapid.SampledFrom([]attribute.Value{{}, attribute.StringValue("alpha"), attribute.IntValue(401)}).Draw(rt, "body"))
		r.AddAttributes(attrs...)
		exporter.records = nil
		logger.Emit(t.Context(), r)
		require.Len(rt, exporter.records, 1)
		now := attributes(&exporter.records[0])
		if len(attrs) == 0 {
			attrs = now[:0]
		}
		checkAdded(rt, attrs, now, severity >= log.SeverityError || isException(attrs))
	})
	assert.NoError(t, provider.Shutdown(t.Context()))
}
