package slogclass_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/benchpair"
	"github.com/errclass/errclass/slogclass"
)

// These are the errors of the benchmark records. The text of errBench has 106
// bytes.
var (
	errBench = errors.New("too many requests: the limit of 60 requests per minute was reached, please slow down and try again shortly")
	urlBench = &url.Error{Op: "Post", URL: "https://api.example.com/v1/messages", Err: errBench}
)

func benchAttrs(v any) []slog.Attr {
	return []slog.Attr{slog.String("op", "complete"), slog.Int("attempt", 3), slog.Duration("took", 120*time.Millisecond), slog.Any("err", v)}
}

// BenchmarkHandler compares a Handler with a JSON handler alone. The metric x-bare is
// the ratio of the times. The metric more-allocs is the number of additional
// allocations.
//
//   - The case "none" has a classifier without rules, so it measures the Handler
//     itself.
//   - The case "request" logs one error after a call of With. The case "request-3"
//     logs three.
func BenchmarkHandler(b *testing.B) {
	ctx := context.Background()
	json := slog.NewJSONHandler(io.Discard, nil)
	handlers := []struct {
		name string
		h    slog.Handler
		c    *classify.Classifier
	}{
		{"none", slogclass.New(json, slogclass.WithClassifier(classify.None)), classify.None},
		{"standard", slogclass.New(json), classify.Standard},
	}
	for _, h := range handlers {
		log := func(l *slog.Logger, level slog.Level, v any) func() {
			attrs := benchAttrs(v)
			return func() { l.LogAttrs(ctx, level, "completion failed", attrs...) }
		}
		bare, ours := slog.New(json), slog.New(h.h)
		b.Run(h.name+"/classification", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.c.Error(errBench)
			}
		})
		b.Run(h.name+"/disabled", func(b *testing.B) {
			benchpair.Compare(b, log(bare, slog.LevelDebug, errBench), log(ours, slog.LevelDebug, errBench))
		})
		b.Run(h.name+"/info", func(b *testing.B) {
			benchpair.Compare(b, log(bare, slog.LevelInfo, errBench), log(ours, slog.LevelInfo, errBench))
		})
		b.Run(h.name+"/error-root", func(b *testing.B) {
			benchpair.Compare(b, log(bare, slog.LevelError, errBench), log(ours, slog.LevelError, errBench))
		})
		b.Run(h.name+"/error-group", func(b *testing.B) {
			benchpair.Compare(b, log(bare.WithGroup("llm").With("model", "m"), slog.LevelError, errBench), log(ours.WithGroup("llm").With("model", "m"), slog.LevelError, errBench))
		})
		b.Run(h.name+"/error-url", func(b *testing.B) {
			benchpair.Compare(b, log(bare, slog.LevelError, urlBench), log(ours, slog.LevelError, urlBench))
		})
		perRequest := func(l *slog.Logger, group string, errs int) func() {
			attrs := benchAttrs(errBench)
			return func() {
				l := l.WithGroup(group).With("request_id", "8f14e45f")
				for range errs {
					l.LogAttrs(ctx, slog.LevelError, "completion failed", attrs...)
				}
			}
		}
		b.Run(h.name+"/request", func(b *testing.B) {
			benchpair.Compare(b, perRequest(bare, "", 1), perRequest(ours, "", 1))
		})
		b.Run(h.name+"/request-3", func(b *testing.B) {
			benchpair.Compare(b, perRequest(bare, "", 3), perRequest(ours, "", 3))
		})
		b.Run(h.name+"/request-group", func(b *testing.B) {
			benchpair.Compare(b, perRequest(bare, "llm", 1), perRequest(ours, "llm", 1))
		})
		long, bareLong := ours.WithGroup("llm"), bare.WithGroup("llm")
		b.Run(h.name+"/request-in-group", func(b *testing.B) {
			benchpair.Compare(b, perRequest(bareLong, "", 1), perRequest(long, "", 1))
		})
	}
}
