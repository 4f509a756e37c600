package test_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/samber/oops"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

// quiet is an error with an HTTP status and a text that no rule matches.
type quiet struct{ StatusCode int }

func (quiet) Error() string { return "request failed" }

// quietValuer is a quiet error that also has a LogValue method.
type quietValuer struct{ quiet }

func (quietValuer) LogValue() slog.Value { return slog.StringValue("request failed") }

// Each row is one way to log an error with slog. Each way is tried with two errors: one
// has the HTTP status in its text, and one has it only in the field StatusCode.
// docs/opentelemetry.md has the same table.
func TestOtelslog(t *testing.T) {
	t.Parallel()
	const auth, unknown = "fatal/authentication", "fatal/unknown"
	text, value := errors.New("HTTP 401"), fmt.Errorf("call: %w", quiet{401})
	tests := []struct {
		name string
		log  func(l *slog.Logger, err error)
		slog [2]string // with slogclass: text, value
		otel [2]string // with the LogProcessor alone
	}{
		{"error value", func(l *slog.Logger, err error) { l.Error("failed", "err", err) },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"any key", func(l *slog.Logger, err error) { l.Error("failed", "problem", err) },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"With", func(l *slog.Logger, err error) { l.With("err", err).Error("failed") },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"WithGroup", func(l *slog.Logger, err error) { l.WithGroup("g").Error("failed", "err", err) },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"group", func(l *slog.Logger, err error) { l.Error("failed", slog.Group("g", "err", err)) },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"LogValuer of oops", func(l *slog.Logger, err error) { l.Error("failed", "err", oops.Wrapf(err, "call")) },
			[2]string{auth, auth}, [2]string{auth, unknown}},
		{"string", func(l *slog.Logger, err error) { l.Error("failed", "err", err.Error()) },
			[2]string{auth, unknown}, [2]string{auth, unknown}},
		{"message", func(l *slog.Logger, err error) { l.Error(err.Error()) },
			[2]string{auth, unknown}, [2]string{auth, unknown}},
		{"two errors", func(l *slog.Logger, err error) { l.Error("failed", "err", err, "cause", errors.New("no")) },
			[2]string{auth, auth}, [2]string{unknown, unknown}}, // otelslog keeps only the last error
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, err := range []error{text, value} {
				above, counts := logged(t, true, func(l *slog.Logger) { tt.log(l, err) })
				assert.Equal(t, tt.slog[i], above, "slogclass above, error %d", i)
				assert.Equal(t, map[string]int64{tt.slog[i] + " log": 1}, counts, "counted once")
				below, counts := logged(t, false, func(l *slog.Logger) { tt.log(l, err) })
				assert.Equal(t, tt.otel[i], below, "LogProcessor alone, error %d", i)
				assert.Equal(t, map[string]int64{tt.otel[i] + " log": 1}, counts)
			}
		})
	}
	own, _ := logged(t, true, func(l *slog.Logger) { l.Error("failed", "err", quietValuer{quiet{401}}) })
	assert.Equal(t, auth, own, "a LogValuer of the program's own")
}

// logged calls log with a logger that writes through otelslog and a LogProcessor. It
// returns "category/reason" of the exported record, and the metrics.
func logged(t *testing.T, withSlogclass bool, log func(*slog.Logger)) (string, map[string]int64) {
	t.Helper()
	reader := metric.NewManualReader()
	meters := metric.NewMeterProvider(metric.WithReader(reader))
	counter, err := otelclass.NewCounter(meters.Meter("test"))
	require.NoError(t, err)
	exporter := &records{}
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(
		otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter), otelclass.WithCounter(counter))))
	var handler slog.Handler = otelslog.NewHandler("test", otelslog.WithLoggerProvider(loggers))
	if withSlogclass {
		handler = slogclass.New(handler, slogclass.WithObserver(counter.Observe))
	}
	logger := slog.New(handler)
	logger.Info("no error")
	log(logger)
	require.NoError(t, loggers.Shutdown(t.Context()))
	results := exporter.classified(t)
	require.Len(t, results, 2)
	require.Equal(t, nothing, results[0])

	counts := map[string]int64{}
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	for _, p := range all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64]).DataPoints {
		if p.Value != 0 {
			label := func(key attribute.Key) string {
				v, _ := p.Attributes.Value(key)
				return v.AsString()
			}
			counts[label("error.category")+"/"+label("error.reason")+" "+label("signal")] = p.Value
		}
	}
	require.NoError(t, meters.Shutdown(t.Context()))
	return results[1], counts
}
