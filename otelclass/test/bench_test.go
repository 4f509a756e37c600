package test_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutlog"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/internal/benchpair"
	"github.com/errclass/errclass/otelclass"
)

// BenchmarkExport measures how long it takes to export an error record as JSON. The
// metric x-bare is the ratio to the time without package otelclass.
func BenchmarkExport(b *testing.B) {
	failed := errors.New("too many requests: the limit of 60 requests per minute was reached, please slow down and retry later")
	logger := func(wrap func(sdklog.Processor) sdklog.Processor) *slog.Logger {
		exporter, err := stdoutlog.New(stdoutlog.WithWriter(io.Discard))
		if err != nil {
			b.Fatal(err)
		}
		provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(wrap(sdklog.NewSimpleProcessor(exporter))))
		b.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
		return slog.New(otelslog.NewHandler("bench", otelslog.WithLoggerProvider(provider)))
	}
	bare := logger(func(next sdklog.Processor) sdklog.Processor { return next })
	ours := logger(func(next sdklog.Processor) sdklog.Processor { return otelclass.NewLogProcessor(next) })
	calls := map[string]func(*slog.Logger){
		"message": func(l *slog.Logger) { l.Error(failed.Error()) },
		"err":     func(l *slog.Logger) { l.Error("completion failed", "op", "complete", "attempt", 3, "err", failed) },
	}
	for name, call := range calls {
		b.Run(name, func(b *testing.B) {
			benchpair.Compare(b, func() { call(bare) }, func() { call(ours) })
		})
	}
}
