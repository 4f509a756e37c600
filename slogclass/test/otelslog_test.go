package test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/slogclass"
)

func TestHandlerAboveOtelslog(t *testing.T) {
	t.Parallel()
	derive := map[string]func(*slog.Logger) *slog.Logger{
		"at the root":       func(l *slog.Logger) *slog.Logger { return l },
		"with With":         func(l *slog.Logger) *slog.Logger { return l.With("n", 1) },
		"under a group":     func(l *slog.Logger) *slog.Logger { return l.WithGroup("g") },
		"With, group, With": func(l *slog.Logger) *slog.Logger { return l.With("n", 1).WithGroup("g").With("m", 2) },
	}
	for name, derive := range derive {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exporter := &exporter{}
			provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewSimpleProcessor(exporter)))
			defer func() { require.NoError(t, provider.Shutdown(t.Context())) }()
			bridge := otelslog.NewHandler("test", otelslog.WithLoggerProvider(provider))
			logger := derive(slog.New(slogclass.New(bridge)))
			for range 2 {
				logger.Error("failed", "err", errRateLimit)
			}
			require.Len(t, exporter.records, 2)
			for _, r := range exporter.records {
				got := map[attribute.Key]attribute.Value{}
				r.WalkAttributes(func(kv attribute.KeyValue) bool {
					got[kv.Key] = kv.Value
					return true
				})
				assert.Equal(t, "retryable", got[slogclass.CategoryKey].AsString())
				assert.Equal(t, "rate_limit", got[slogclass.ReasonKey].AsString())
				assert.Equal(t, errRateLimit.Error(), got["exception.message"].AsString(), "%v", got)
				assert.Equal(t, "*errors.errorString", got["exception.type"].AsString())
			}
		})
	}
}
