package otelclass_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/race"
	"github.com/errclass/errclass/otelclass"
)

// noise returns n bytes of text that no rule matches. The text is different for
// each i.
func noise(i, n int) string {
	line := fmt.Sprintf("item %d of the batch was put back into the box\n", i)
	return strings.Repeat(line, n/len(line)+1)[:n]
}

func exceptionEvent(kvs ...attribute.KeyValue) sdktrace.Event {
	return sdktrace.Event{Name: "exception", Attributes: kvs}
}

func message(text string) attribute.KeyValue { return attribute.String("exception.message", text) }

func many(n int, of func(i int) attribute.KeyValue) []attribute.KeyValue {
	all := make([]attribute.KeyValue, n)
	for i := range all {
		all[i] = of(i)
	}
	return all
}

func plain(i int) attribute.KeyValue { return attribute.Int(fmt.Sprintf("a%d", i), i) }

// hugeSpans returns spans that exceed the limits of a SpanProcessor.
func hugeSpans() map[string]tracetest.SpanStub {
	failed := sdktrace.Status{Code: codes.Error}
	events := func(n int, of func(i int) sdktrace.Event) (all []sdktrace.Event) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	huge := func(size int) func(i int) sdktrace.Event {
		return func(i int) sdktrace.Event { return exceptionEvent(message(noise(i, size))) }
	}
	return map[string]tracetest.SpanStub{
		"128 events of 67 KB":         {Status: failed, Events: events(128, huge(67_000))},
		"128 dense events of 67 KB":   {Status: failed, Events: events(128, func(i int) sdktrace.Event { return exceptionEvent(message(dense(i, 67_000))) })},
		"128 handled events of 67 KB": {Events: events(128, huge(67_000))},
		"10,000 events of 1 KB":       {Status: failed, Events: events(10_000, huge(1000))},
		"100,000 events":              {Status: failed, Events: events(100_000, huge(10))},
		"100,000 other events":        {Status: failed, Events: events(100_000, func(int) sdktrace.Event { return sdktrace.Event{Attributes: many(2, plain)} })},
		"a message of 8 MB":           {Status: failed, Events: events(1, huge(8<<20))},
		"a type of 8 MB":              {Status: failed, Events: events(128, func(i int) sdktrace.Event { return exceptionEvent(attribute.String("exception.type", noise(i, 8<<16))) })},
		"a stack of 8 MB": {Status: failed, Events: events(128, func(i int) sdktrace.Event {
			return exceptionEvent(attribute.String("exception.stacktrace", noise(i, 8<<16)))
		})},
		"a description of 8 MB": {Status: sdktrace.Status{Code: codes.Error, Description: noise(1, 8<<20)}},
		"128 events with 10,000 attributes": {Status: failed, Events: events(128, func(int) sdktrace.Event {
			return exceptionEvent(append(many(10_000, plain), message("boom"))...)
		})},
		"10,000 attributes":  {Status: failed, Attributes: many(10_000, plain)},
		"200,000 attributes": {Status: failed, Attributes: many(200_000, plain)},
		"everything of 8 MB": {Status: sdktrace.Status{Code: codes.Error, Description: noise(1, 8<<20)}, Attributes: []attribute.KeyValue{
			attribute.String("error.type", noise(2, 8<<20)), attribute.String("rpc.response.status_code", noise(3, 8<<20)),
			attribute.String("db.response.status_code", noise(4, 8<<20)), attribute.String("db.system.name", noise(5, 8<<20)),
			attribute.String("gen_ai.provider.name", noise(6, 8<<20)), attribute.String("error.category", noise(7, 8<<20)),
		}},
	}
}

// dense returns n bytes of text that rules match in many places.
func dense(i, n int) string {
	line := fmt.Sprintf("try %d: connection refused, rate limit exceeded, HTTP 404, invalid api key, retry after 5s\n\tat a.B(C:1) --- \n", i)
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// maxAllocated is the largest number of bytes that may be allocated for a span or a
// record.
const maxAllocated = race.PoolFactor * 4 << 20

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestSpanProcessorIsBounded(t *testing.T) {
	for name, stub := range hugeSpans() {
		span := stub.Snapshot()
		next := &keeper{}
		p := otelclass.NewSpanProcessor(next)
		assert.LessOrEqual(t, allocated(func() { p.OnEnd(span) }), uint64(maxAllocated), name)
		require.Len(t, next.spans, 1, name)
		assert.Len(t, next.spans[0].Events(), len(stub.Events), name)
		read := otelclass.Read(span)
		assert.LessOrEqual(t, read.Bytes, 64<<10, name)
		assert.LessOrEqual(t, read.Exceptions, 128, name)
	}
}

// Only the most important texts of a very large span are read.
func TestSpanProcessorReadsImportantTexts(t *testing.T) {
	t.Parallel()
	long := func(start, end string) string { return start + noise(0, 80_000) + " " + end }
	numbered := func(n int, last string) (all []sdktrace.Event) {
		for i := range n {
			all = append(all, exceptionEvent(message(fmt.Sprintf("try %d: alpha", i))))
		}
		return append(all, exceptionEvent(message(last)))
	}
	heavy := func(n int, of string) (all []sdktrace.Event) {
		for range n {
			all = append(all, exceptionEvent(message(of)))
		}
		return all
	}
	tests := []struct {
		name   string
		events []sdktrace.Event
		text   string
		want   string
		first  string // result of the first event
		lastly string // result of the last event
	}{
		{"128 exceptions", numbered(127, "beta"), "", beta, alpha, beta},
		{"more than are read", numbered(500, "beta"), "", beta, nothing, beta},
		{"the end of a long message", heavy(1, long("x ", "beta")), "", beta, beta, beta},
		{"the beginning of a long message", heavy(1, long("beta ", "x")), "", beta, beta, beta},
		{"the ends of many long messages", heavy(128, long("x ", "beta")), "", beta, beta, beta},
		{"the description beside many long messages", heavy(128, long("x ", "y")), "gamma", gamma, unknown, unknown},
		{"a long description", numbered(1, "x"), long("x ", "gamma"), gamma, alpha, unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next := &keeper{}
			p := otelclass.NewSpanProcessor(next, otelclass.WithClassifier(testClassifier))
			p.OnEnd(tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: tt.text}, Events: tt.events}.Snapshot())
			require.Len(t, next.spans, 1)
			results := events(t, tracetest.SpanStubFromReadOnlySpan(next.spans[0]))
			assert.Equal(t, tt.want, classified(t, next.spans[0].Attributes()))
			assert.Equal(t, tt.first, results[0])
			assert.Equal(t, tt.lastly, results[len(results)-1])
		})
	}
}

// If a span has too many attributes, the processor adds nothing.
func TestSpanProcessorTooLarge(t *testing.T) {
	t.Parallel()
	next := &keeper{}
	var observed []string
	p := otelclass.NewSpanProcessor(next, otelclass.WithClassifier(testClassifier), observeReasons(&observed))
	attrs := append(many(20_000, plain), otelclass.CategoryKey.String("mine"))
	p.OnEnd(tracetest.SpanStub{Status: sdktrace.Status{Code: codes.Error, Description: "alpha"}, Attributes: attrs}.Snapshot())
	require.Len(t, next.spans, 1)
	assert.Equal(t, "mine/<nil>", classified(t, next.spans[0].Attributes()))
	assert.Equal(t, []string{"rate_limit"}, observed, "counted all the same")
}

// huge describes a record that exceeds the limits of a LogProcessor. If the field limit
// is positive, the record gets further plain attributes after attrs, until it is full.
type huge struct {
	body  attribute.Value
	attrs []attribute.KeyValue
	limit int  // the provider's attribute limit
	dup   bool // the provider allows duplicate keys
}

// record makes the record. The record's provider sets no limit except h.limit.
func (h huge) record(t testing.TB) *sdklog.Record {
	keep := &keepRecord{}
	limit := h.limit
	if limit == 0 {
		limit = -1
	}
	opts := []sdklog.LoggerProviderOption{
		sdklog.WithProcessor(keep), sdklog.WithAttributeCountLimit(limit),
		sdklog.WithAttributeValueLengthLimit(-1), sdklog.WithAttributeValueDepthLimit(-1),
	}
	if h.dup {
		opts = append(opts, sdklog.WithAllowKeyDuplication())
	}
	provider := sdklog.NewLoggerProvider(opts...)
	var r log.Record
	r.SetSeverity(log.SeverityError)
	r.SetBody(h.body)
	provider.Logger("test").Emit(t.Context(), r)
	require.NoError(t, provider.Shutdown(t.Context()))
	keep.record.AddAttributes(h.attrs...)
	if h.limit > 0 {
		keep.record.AddAttributes(many(1<<18, plain)...)
	}
	return keep.record
}

// keepRecord is a log processor that stores a clone of the last record.
type keepRecord struct {
	nextLogs
	record *sdklog.Record
}

func (k *keepRecord) OnEmit(_ context.Context, r *sdklog.Record) error {
	clone := r.Clone()
	k.record = &clone
	return nil
}

func hugeRecords() map[string]huge {
	body := attribute.StringValue("boom")
	for range 10_000 {
		body = attribute.MapValue(attribute.KeyValue{Key: "error", Value: body})
	}
	wide := func(n int) attribute.Value { return attribute.MapValue(many(n, plain)...) }
	shared := wide(100)
	for range 6 {
		shared = attribute.MapValue(many(100, func(i int) attribute.KeyValue {
			return attribute.KeyValue{Key: attribute.Key(fmt.Sprint(i)), Value: shared}
		})...)
	}
	texts := func(size int) []attribute.KeyValue {
		var all []attribute.KeyValue
		for i, key := range []string{"exception.message", "exception.stacktrace", "exception.type", "error", "err", "cause", "exception", "stderr", "error.type", "db.response.status_code"} {
			all = append(all, attribute.String(key, noise(i, size)))
		}
		return all
	}
	return map[string]huge{
		"a body of 8 MB":           {body: attribute.StringValue(noise(1, 8<<20))},
		"a body 10,000 deep":       {body: body},
		"an attribute 10,000 deep": {attrs: []attribute.KeyValue{{Key: "error", Value: body}}, dup: true},
		"texts of 8 MB":            {body: attribute.StringValue(noise(1, 8<<20)), attrs: texts(8 << 20)},
		"10,000 attributes":        {attrs: many(10_000, plain)},
		"200,000 attributes":       {attrs: many(200_000, plain), dup: true},
		"a map of 200,000":         {attrs: []attribute.KeyValue{{Key: "m", Value: wide(200_000)}}, dup: true},
		"a map of maps":            {attrs: []attribute.KeyValue{{Key: "m", Value: shared}}, dup: true},
		"128 slices of 10,000 strings": {attrs: many(128, func(i int) attribute.KeyValue {
			return attribute.StringSlice(fmt.Sprint("err", i), make([]string, 10_000))
		})},
		"10,000 attributes, full":                         {limit: 10_000},
		"10,000 attributes, full, duplicate keys allowed": {limit: 10_000, dup: true},
		"128 attributes, full":                            {limit: 128},
	}
}

func TestLogProcessorIsBounded(t *testing.T) {
	for name, h := range hugeRecords() {
		r := h.record(t)
		n := r.AttributesLen()
		p := otelclass.NewLogProcessor(nil)
		assert.LessOrEqual(t, allocated(func() { require.NoError(t, p.OnEmit(t.Context(), r)) }), uint64(maxAllocated), name)
		assert.GreaterOrEqual(t, r.AttributesLen(), n, name)
		if n < 10_000 {
			assert.Equal(t, unknown, classified(t, attributes(r)), name)
		}
	}
}

// mapLen depends on an unexported field of OpenTelemetry. This test fails if the
// field changes.
func TestMapLen(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 6, 100, 5000} {
		assert.Equal(t, n, otelclass.MapLen(attribute.MapValue(many(n, plain)...)))
	}
	assert.Zero(t, otelclass.MapLen(attribute.StringValue("a")))
}

func TestLogProcessorReadsImportantTexts(t *testing.T) {
	t.Parallel()
	long := func(end string) string { return noise(0, 100_000) + " " + end }
	tests := []struct {
		name string
		r    log.Record
		want string
	}{
		{"the end of a long body", record(log.SeverityError, long("alpha")), alpha},
		{"a body beside a long exception", record(log.SeverityError, "alpha", "exception.message", long("x")), alpha},
		{"a body beside long texts", record(log.SeverityError, long("alpha"),
			"exception.message", long("x"), "err", long("y"), "error", long("z"), "cause", long("x"), "stderr", long("y")), alpha},
		{"the last of long texts", record(log.SeverityError, "", "err", long("y"), "error", long("z"), "cause", long("x"), "stderr", long("beta")), beta},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := emitted(t, tt.r)
			assert.Equal(t, tt.want, classified(t, attributes(&got)))
		})
	}
}

// uncached returns the option for a standard classifier with an empty cache.
func uncached(b *testing.B) otelclass.Option {
	c, err := classify.New()
	require.NoError(b, err)
	return otelclass.WithClassifier(c)
}

// BenchmarkHuge measures the largest spans and records. No text is cached.
func BenchmarkHuge(b *testing.B) {
	for name, stub := range hugeSpans() {
		span := stub.Snapshot()
		b.Run("span/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				otelclass.NewSpanProcessor(nil, uncached(b)).OnEnd(span)
			}
		})
	}
	for name, h := range hugeRecords() {
		fresh := h.record(b)
		b.Run("record/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := fresh.Clone()
				_ = otelclass.NewLogProcessor(nil, uncached(b)).OnEmit(b.Context(), &r)
			}
		})
	}
}
