package otelclass_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testClassifier is the standard classifier with three more rules.
var testClassifier = func() *classify.Classifier {
	c, err := classify.New(classify.WithModel(false), classify.WithRules( // the results of the model change with each training
		classify.Rule{ID: "alpha", Reason: classify.ReasonRateLimit, Pattern: `\balpha\b`},
		classify.Rule{ID: "beta", Reason: classify.ReasonAuthentication, Pattern: `\bbeta\b`},
		classify.Rule{ID: "gamma", Reason: classify.ReasonNetwork, Pattern: `\bgamma\b`},
	))
	if err != nil {
		panic(err)
	}
	return c
}()

// The function classified returns these strings. The first three are the results of
// the rules that testClassifier adds.
const (
	alpha   = "retryable/rate_limit"
	beta    = "fatal/authentication"
	gamma   = "retryable/network"
	unknown = "fatal/unknown"
	nothing = "<nil>/<nil>"
)

// classified returns the category and reason of attributes as "category/reason".
// It fails on a duplicate key.
func classified(t require.TestingT, attrs []attribute.KeyValue) string {
	category, reason := "<nil>", "<nil>"
	seen := map[attribute.Key]bool{}
	for _, kv := range attrs {
		require.False(t, seen[kv.Key], "duplicate key %q", kv.Key)
		seen[kv.Key] = true
		switch kv.Key {
		case otelclass.CategoryKey:
			category = kv.Value.AsString()
		case otelclass.ReasonKey:
			reason = kv.Value.AsString()
		}
	}
	return category + "/" + reason
}

// events returns "category/reason" for each event of a span.
func events(t require.TestingT, s tracetest.SpanStub) []string {
	all := []string{}
	for _, e := range s.Events {
		all = append(all, classified(t, e.Attributes))
	}
	return all
}

// exportedSpan starts a span, passes it to the function use, ends it and returns
// the exported span.
func exportedSpan(t *testing.T, use func(trace.Span), opts ...otelclass.Option) tracetest.SpanStub {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	opts = append([]otelclass.Option{otelclass.WithClassifier(testClassifier)}, opts...)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(
		otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter), opts...)))
	_, span := provider.Tracer("test").Start(t.Context(), "work")
	use(span)
	span.End()
	spans := exporter.GetSpans()
	require.Len(t, spans, 1)
	require.NoError(t, provider.Shutdown(t.Context()))
	return spans[0]
}

// observeReasons returns an observer that appends each reason to observed.
func observeReasons(observed *[]string) otelclass.Option {
	return otelclass.WithObserver(func(_ context.Context, _ otelclass.Signal, res classify.Result) {
		*observed = append(*observed, string(res.Reason))
	})
}

// logs is an exporter that stores the records.
type logs struct{ records []sdklog.Record }

func (e *logs) Export(_ context.Context, records []sdklog.Record) error {
	for _, r := range records {
		e.records = append(e.records, r.Clone())
	}
	return nil
}

func (*logs) Shutdown(context.Context) error   { return nil }
func (*logs) ForceFlush(context.Context) error { return nil }

func attributes(r *sdklog.Record) []attribute.KeyValue {
	var all []attribute.KeyValue
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		all = append(all, kv)
		return true
	})
	return all
}

// meter is a meter provider together with its reader.
type meter struct {
	metric.Reader
	provider *metric.MeterProvider
}

func newMeter(t *testing.T) meter {
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	t.Cleanup(func() { require.NoError(t, provider.Shutdown(context.Background())) })
	return meter{reader, provider}
}

// read returns the values of an instrument by their labels: "key=value,key=value",
// sorted.
func (m meter) read(t *testing.T, name string) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, m.Collect(t.Context(), &all))
	values := map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, instrument := range scope.Metrics {
			if instrument.Name != name {
				continue
			}
			var points []metricdata.DataPoint[int64]
			switch data := instrument.Data.(type) {
			case metricdata.Sum[int64]:
				require.True(t, data.IsMonotonic)
				points = data.DataPoints
			case metricdata.Gauge[int64]:
				points = data.DataPoints
			}
			for _, p := range points {
				values[p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
			}
		}
	}
	return values
}

// nonZero returns the series with values other than 0.
func nonZero(values map[string]int64) map[string]int64 {
	left := map[string]int64{}
	for labels, v := range values {
		if v != 0 {
			left[labels] = v
		}
	}
	return left
}
