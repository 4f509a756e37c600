package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// pieces are strings that tests combine into random error texts.
var pieces = []string{
	"", " ", "\n", ": ", "alpha", "HTTP 429", "attempt 1: ", "last attempt 2: ", "retry after 5s", "context.Canceled", "context canceled",
	"\n  at a.B(C:1) ", "\tgoroutine 1 [running]:\n", `{"error":{"code":"insufficient_quota"}}`, "UNAVAILABLE", "\xff", "\x1b[31m", "connection refused",
	"context.deadlineExceededError", "*poll.DeadlineExceededError", "28P01", "401", "_OTHER", "x",
}

func drawText(t *rapid.T, label string) string {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, label), "")
	return strings.Repeat(text, rapid.SampledFrom([]int{1, 1, 1, 1, 50, 2000}).Draw(t, label+" times"))
}

// drawValue draws a value of any kind, nested to the given depth.
func drawValue(t *rapid.T, depth int) attribute.Value {
	kinds := 7
	if depth > 0 {
		kinds = 9
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return attribute.IntValue(rapid.SampledFrom([]int{-1, 0, 1, 4, 401, 429, 504, 600}).Draw(t, "int"))
	case 1:
		return attribute.BoolValue(true)
	case 2:
		return attribute.Float64Value(1.5)
	case 3:
		return attribute.StringSliceValue([]string{drawText(t, "string")})
	case 4:
		return attribute.ByteSliceValue([]byte(drawText(t, "bytes")))
	case 7:
		return attribute.MapValue(drawAttrs(t, 3, depth-1)...)
	case 8:
		return attribute.SliceValue(drawValue(t, depth-1))
	default:
		return attribute.StringValue(drawText(t, "text"))
	}
}

var guardKeys = []string{
	"exception.type", "exception.message", "exception.stacktrace", "error.category", "error.reason", "error.type", "http.response.status_code",
	"rpc.response.status_code", "rpc.grpc.status_code", "db.response.status_code", "db.system.name", "db.system", "gen_ai.provider.name",
	"gen_ai.system", "err", "error", "cause", "stderr", "a", "b", "c",
}

// drawAttrs draws at most n attributes with distinct keys.
func drawAttrs(t *rapid.T, n, depth int) []attribute.KeyValue {
	attrs := []attribute.KeyValue{}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(guardKeys), 0, n, rapid.ID).Draw(t, "keys") {
		attrs = append(attrs, attribute.KeyValue{Key: attribute.Key(key), Value: drawValue(t, depth)})
	}
	return attrs
}

var hostileOnce = sync.OnceValue(hostile)

// drawError draws an error, which may be a hostile one.
func drawError(t *rapid.T) error {
	all := hostileOnce()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	err := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(names), func(name string) error { return all[name] }),
		rapid.Custom(func(t *rapid.T) error { return errors.New(drawText(t, "error")) }),
		rapid.SampledFrom([]error{context.Canceled, context.DeadlineExceeded, deadline{}}),
	).Draw(t, "error")
	if rapid.Bool().Draw(t, "wrapped") {
		err = wrapping{err}
	}
	return err
}

// noPanic returns an observer that fails the test if the rule of a result reports a
// panic, or if the result has no category.
func noPanic(t require.TestingT) otelclass.Option {
	return otelclass.WithObserver(func(_ context.Context, _ otelclass.Signal, res classify.Result) {
		require.NotContains(t, res.Rule, "+panic")
		require.NotEmpty(t, res.Category)
	})
}

func checkSpan(t *rapid.T) {
	stub := tracetest.SpanStub{Attributes: drawAttrs(t, 8, 2)}
	stub.Status.Code = rapid.SampledFrom([]codes.Code{codes.Unset, codes.Error, codes.Error}).Draw(t, "status")
	stub.Status.Description = drawText(t, "description")
	for range rapid.SampledFrom([]int{0, 1, 2, 5, 200}).Draw(t, "events") {
		if len(stub.Events) < 5 {
			stub.Events = append(stub.Events, sdktrace.Event{Attributes: drawAttrs(t, 5, 1)})
		} else {
			stub.Events = append(stub.Events, stub.Events[len(stub.Events)%5])
		}
	}
	before := slices.Clone(stub.Attributes)
	next := &keeper{}
	given := stub.Snapshot()
	otelclass.NewSpanProcessor(next, noPanic(t)).OnEnd(given)
	require.Len(t, next.spans, 1)
	checkAdded(t, before, next.spans[0].Attributes(), stub.Status.Code == codes.Error)
	require.Len(t, next.spans[0].Events(), len(stub.Events))
	read, exceptions := otelclass.Read(given), 0
	for i := len(stub.Events) - 1; i >= 0; i-- {
		is := isException(stub.Events[i].Attributes)
		if is {
			exceptions++
		}
		checkAdded(t, stub.Events[i].Attributes, next.spans[0].Events()[i].Attributes, is && exceptions <= 128)
	}
	require.LessOrEqual(t, read.Bytes, 64<<10)
	require.LessOrEqual(t, read.Exceptions, 128)
}

func checkRecorded(t *rapid.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), noPanic(t))))
	_, span := provider.Tracer("test").Start(context.Background(), "work")
	attrs := drawAttrs(t, 5, 1)
	otelclass.RecordError(span, drawError(t), trace.WithAttributes(attrs...))
	span.SetStatus(codes.Error, "")
	span.End()
	spans := exporter.GetSpans()
	require.NoError(t, provider.Shutdown(context.Background()))
	require.Len(t, spans, 1)
	require.NotContains(t, classified(t, spans[0].Attributes), "nil", "both, once")
	require.Len(t, spans[0].Events, 1)
	for _, kv := range attrs {
		require.Contains(t, spans[0].Events[0].Attributes, kv, "the caller's own")
	}
}

func checkRecord(t *rapid.T) {
	limit := rapid.SampledFrom([]int{-1, 0, 1, 2, 3, 4, 5, 8, 128}).Draw(t, "limit")
	length := rapid.SampledFrom([]int{-1, -1, -1, 0, 3, 9, 17}).Draw(t, "length")
	opts := limits(limit, length)
	if rapid.Bool().Draw(t, "dup") {
		opts = append(opts, sdklog.WithAllowKeyDuplication())
	}
	first, next := &keepRecord{}, &keepRecord{}
	provider := sdklog.NewLoggerProvider(append(opts, sdklog.WithProcessor(first),
		sdklog.WithProcessor(otelclass.NewLogProcessor(next, noPanic(t))))...)
	var r log.Record
	r.SetSeverity(log.SeverityError)
	r.SetBody(drawValue(t, 2))
	r.AddAttributes(drawAttrs(t, 8, 2)...)
	if rapid.Bool().Draw(t, "error") {
		r.SetErr(errors.New(drawText(t, "error")))
	}
	provider.Logger("test").Emit(context.Background(), r)
	if err := provider.Shutdown(context.Background()); err != nil {
		require.ErrorContains(t, err, "had no room")
	}

	before, now := attributes(first.record), attributes(next.record)
	rest := slices.DeleteFunc(slices.Clone(now), func(kv attribute.KeyValue) bool {
		return !slices.Contains(before, kv) && (kv.Key == otelclass.CategoryKey || kv.Key == otelclass.ReasonKey)
	})
	classified(t, now) // fails on a duplicate key
	if length < 0 && (limit < 0 || limit >= len(before)+2) {
		checkAdded(t, append([]attribute.KeyValue{}, before...), now, true)
	}
	lost := len(before) - len(rest)
	require.LessOrEqual(t, lost, 2, "two give way at most")
	for i, kv := range rest { // the others are unchanged and in order
		require.GreaterOrEqual(t, slices.Index(before, kv), i)
	}
	require.LessOrEqual(t, first.record.DroppedAttributes(), next.record.DroppedAttributes())
	for _, kv := range now {
		if kv.Key == otelclass.CategoryKey && !slices.Contains(before, kv) {
			require.Contains(t, classify.Categories(), classify.Category(kv.Value.AsString()), "a whole word")
		}
	}
}

func TestRandomTelemetry(t *testing.T) {
	t.Parallel()
	t.Run("span", func(t *testing.T) { t.Parallel(); rapid.Check(t, checkSpan) })
	t.Run("recorded error", func(t *testing.T) { t.Parallel(); rapid.Check(t, checkRecorded) })
	t.Run("record", func(t *testing.T) { t.Parallel(); rapid.Check(t, checkRecord) })
}

func FuzzSpan(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(checkSpan)) }
func FuzzRecorded(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRecorded)) }
func FuzzRecord(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(checkRecord)) }

// TestProcessorsConcurrentSafe uses the same processors, recorder and inputs from
// many goroutines. Run it with -race.
func TestProcessorsConcurrentSafe(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			exporter := &countSpans{}
			spans := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(exporter)))
			records := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(nil)))
			recorder := otelclass.NewRecorder()
			_, shared := spans.Tracer("test").Start(t.Context(), "shared")
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					_, span := spans.Tracer("test").Start(t.Context(), "work", trace.WithAttributes(many(i%130, plain)...))
					for _, s := range []trace.Span{span, shared} {
						recorder.RecordError(s, fmt.Errorf("try %d: %w", i, deadline{}))
						s.SetStatus(codes.Error, "")
					}
					span.End()
					r := record(log.SeverityError, "alpha")
					r.AddAttributes(many(i%130, plain)...)
					records.Logger("test").Emit(t.Context(), r)
				})
			}
			wg.Wait()
			shared.End()
			require.NoError(t, spans.Shutdown(t.Context()))
			require.NoError(t, records.Shutdown(t.Context()))
			assert.Equal(t, n+1, exporter.classified, "each span has both attributes")
		})
	}
}

// countSpans is a span processor that counts the spans with both category and
// reason. It is safe for concurrent use.
type countSpans struct {
	discard
	mu         sync.Mutex
	classified int
}

func (c *countSpans) OnEnd(s sdktrace.ReadOnlySpan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := attribute.NewSet(s.Attributes()...)
	if set.HasValue(otelclass.CategoryKey) && set.HasValue(otelclass.ReasonKey) {
		c.classified++
	}
}
