package slogclass_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/slogtest"

	slogmulti "github.com/samber/slog-multi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// everywhere has options to classify records of all levels, because slogtest logs at
// Info.
var everywhere = []slogclass.Option{slogclass.WithLevel(slog.LevelDebug), slogclass.WithClassifier(testClassifier)}

func TestHandlerConformance(t *testing.T) {
	discard := slog.DiscardHandler
	middleware := slogclass.Middleware(everywhere...)
	all := func(context.Context, slog.Record) bool { return true }
	rebuild := slogmulti.NewHandleInlineMiddleware(func(ctx context.Context, r slog.Record, next func(context.Context, slog.Record) error) error {
		return next(ctx, rebuilt(r))
	})
	tests := []struct {
		name  string
		build func(slog.Handler) slog.Handler
	}{
		{"bare", func(h slog.Handler) slog.Handler { return slogclass.New(h) }},
		{"every record", middleware},
		{"in itself", func(h slog.Handler) slog.Handler { return middleware(middleware(h)) }},
		{"in Pipe", func(h slog.Handler) slog.Handler { return slogmulti.Pipe(middleware).Handler(h) }},
		{"in Pipe above a rebuilding handler", func(h slog.Handler) slog.Handler { return slogmulti.Pipe(middleware, rebuild).Handler(h) }},
		{"in Pipe below a rebuilding handler", func(h slog.Handler) slog.Handler { return slogmulti.Pipe(rebuild, middleware).Handler(h) }},
		{"in Fanout", func(h slog.Handler) slog.Handler { return slogmulti.Fanout(middleware(h), discard) }},
		{"above Fanout", func(h slog.Handler) slog.Handler { return middleware(slogmulti.Fanout(discard, h)) }},
		{"in Router", func(h slog.Handler) slog.Handler { return slogmulti.Router().Add(middleware(h), all).Handler() }},
		{"above Router", func(h slog.Handler) slog.Handler { return middleware(slogmulti.Router().Add(h, all).Handler()) }},
		{"above MultiHandler", func(h slog.Handler) slog.Handler { return middleware(slog.NewMultiHandler(h, discard)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			newHandler := func(*testing.T) slog.Handler {
				buf.Reset()
				return tt.build(slog.NewJSONHandler(&buf, nil))
			}
			slogtest.Run(t, newHandler, func(t *testing.T) map[string]any {
				require.NoError(t, uniqueKeys(buf.String()))
				var m map[string]any
				require.NoError(t, json.Unmarshal(buf.Bytes(), &m))
				if tt.name != "bare" {
					assert.Equal(t, unknown, classified(m), "every record has the keys at the root")
				}
				return m
			})
		})
	}
}

// rebuilt returns a copy of r. It adds each attribute again, as many middlewares
// do.
func rebuilt(r slog.Record) slog.Record {
	c := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		c.AddAttrs(a)
		return true
	})
	return c
}

func TestHandlerBeforeRouter(t *testing.T) {
	t.Parallel()
	page, rest := &output{}, &output{}
	fatal := func(_ context.Context, r slog.Record) bool {
		found := false
		r.Attrs(func(a slog.Attr) bool {
			found = found || a.Equal(slog.String(slogclass.CategoryKey, "fatal"))
			return !found
		})
		return found
	}
	router := slogmulti.Router().
		Add(jsonHandler(page), fatal).
		Add(jsonHandler(rest), func(ctx context.Context, r slog.Record) bool { return !fatal(ctx, r) }).
		Handler()
	logger := slog.New(slogclass.New(router, slogclass.WithClassifier(testClassifier)))
	for _, l := range []*slog.Logger{logger, logger.With("n", 1), logger.WithGroup("g").With("n", 1)} {
		for range 2 {
			l.Error("alpha")
			l.Error("beta")
		}
	}
	for _, line := range page.lines(t) {
		assert.Equal(t, beta, classified(line))
	}
	for _, line := range rest.lines(t) {
		assert.Equal(t, alpha, classified(line))
	}
	assert.Len(t, page.lines(t), 6)
	assert.Len(t, rest.lines(t), 6)
}

// recorder is a handler that logs a line for each record. The line has the calls of
// WithAttrs and WithGroup that derived the handler, and the keys of the record.
type recorder struct {
	calls []string
	log   *[]string
	err   error
}

func (r *recorder) derive(call string) *recorder {
	return &recorder{calls: append(slices.Clone(r.calls), call), log: r.log, err: r.err}
}

func (r *recorder) Enabled(context.Context, slog.Level) bool { return true }

func (r *recorder) Handle(_ context.Context, rec slog.Record) error {
	line := slices.Clone(r.calls)
	rec.Attrs(func(a slog.Attr) bool {
		line = append(line, a.Key)
		return true
	})
	*r.log = append(*r.log, rec.Message+": "+join(line))
	return r.err
}

func (r *recorder) WithAttrs(attrs []slog.Attr) slog.Handler {
	keys := make([]string, len(attrs))
	for i, a := range attrs {
		keys[i] = a.Key
		attrs[i] = slog.String("overwritten", "") // a handler owns the slice
	}
	return r.derive("attrs(" + join(keys) + ")")
}

func (r *recorder) WithGroup(name string) slog.Handler { return r.derive("group(" + name + ")") }

func join(s []string) string {
	var b bytes.Buffer
	for i, w := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

func TestHandlerPassesCallsOn(t *testing.T) {
	t.Parallel()
	var log []string
	logger := slog.New(slogclass.New(&recorder{log: &log}, slogclass.WithClassifier(testClassifier)))
	deep := logger.With("a", 1, "b", 2).WithGroup("g").With("c", 3).WithGroup("h").With("d", 4)
	deep.Info("info", "e", 5)
	deep.Error("alpha", "e", 5)
	deep.Error("beta", "e", 5)
	deep.Error("alpha", "e", 5)
	deep.With("f", 6).Error("alpha")
	with := logger.With("a", 1)
	for range 5 {
		with.Error("alpha", "e", 5)
	}
	const keys = "attrs(error.category error.reason)"
	assert.Equal(t, []string{
		"info: attrs(a b) group(g) attrs(c) group(h) attrs(d) e",
		"alpha: attrs(a b) " + keys + " group(g) attrs(c) group(h) attrs(d) e",
		"beta: attrs(a b) " + keys + " group(g) attrs(c) group(h) attrs(d) e",
		"alpha: attrs(a b) " + keys + " group(g) attrs(c) group(h) attrs(d) e",
		"alpha: attrs(a b) " + keys + " group(g) attrs(c) group(h) attrs(d) attrs(f)",
		"alpha: attrs(a) error.category error.reason e",
		"alpha: attrs(a) error.category error.reason e",
		"alpha: attrs(a) error.category error.reason e",
		"alpha: attrs(a) error.category error.reason e",
		"alpha: attrs(a) " + keys + " e",
	}, log)
}

// TestHandlerManyCalls derives loggers with more than maxDepth calls of With and
// WithGroup.
func TestHandlerManyCalls(t *testing.T) {
	t.Parallel()
	var log, want []string
	logger := slog.New(slogclass.New(&recorder{log: &log}, slogclass.WithClassifier(testClassifier))).WithGroup("g")
	calls := "attrs(error.category error.reason) group(g)"
	var all []*slog.Logger
	for i := range 30 {
		key := fmt.Sprint("k", i)
		logger.With("sibling", i).WithGroup("other").Error("alpha")
		all = append(all, logger.With("late", i))
		want = append(want, "alpha: "+calls+" attrs(sibling) group(other)")
		logger, calls = logger.With(key, i), calls+" attrs("+key+")"
		if i%7 == 0 {
			logger, calls = logger.WithGroup(key), calls+" group("+key+")"
		}
	}
	logger.Error("alpha")
	want = append(want, "alpha: "+calls)
	assert.Equal(t, want, log)

	log = nil
	for i, l := range all {
		l.Error("alpha")
		assert.Equal(t, strings.Replace(want[i], "attrs(sibling) group(other)", "attrs(late)", 1), log[i])
	}
}

func TestHandlerEmptyDerivationReturnsTheReceiver(t *testing.T) {
	t.Parallel()
	h := slogclass.New(slog.DiscardHandler)
	assert.Same(t, h, h.WithGroup(""))
	assert.Same(t, h, h.WithAttrs(nil))
	assert.Same(t, h, h.WithAttrs([]slog.Attr{}))
	g := h.WithGroup("g")
	assert.Same(t, g, g.WithGroup(""))
	assert.Same(t, g, g.WithAttrs(nil))
}

func TestHandlerReturnsTheError(t *testing.T) {
	t.Parallel()
	want := errors.New("disk full")
	var log []string
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelError} {
		for _, h := range []slog.Handler{
			slogclass.New(&recorder{log: &log, err: want}),
			slogclass.New(&recorder{log: &log, err: want}).WithGroup("g"),
		} {
			assert.Equal(t, want, h.Handle(t.Context(), slog.Record{Level: level}))
		}
	}
}

func TestHandlerLeavesTheRecordAlone(t *testing.T) {
	t.Parallel()
	out := &output{}
	h := slogclass.New(jsonHandler(out), slogclass.WithClassifier(testClassifier)).WithAttrs([]slog.Attr{slog.Int("n", 1)})
	r := slog.NewRecord(slog.Record{}.Time, slog.LevelError, "alpha", 0)
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} { // more than a Record stores without a slice
		r.AddAttrs(slog.String(k, k))
	}
	shared := r // as a fan-out handler passes it on
	require.NoError(t, h.Handle(t.Context(), r))
	r.AddAttrs(slog.String("g", "g"))
	require.NoError(t, h.Handle(t.Context(), shared))
	assert.Equal(t, 7, r.NumAttrs())
	assert.Equal(t, 6, shared.NumAttrs())
	assert.NotContains(t, out.String(), "!BUG")
}

func TestHandlerEnabled(t *testing.T) {
	t.Parallel()
	h := slogclass.New(slog.NewTextHandler(&output{}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	assert.False(t, h.Enabled(t.Context(), slog.LevelInfo))
	assert.True(t, h.WithGroup("g").Enabled(t.Context(), slog.LevelWarn))
}
