package slogclass_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "tenant")
	var got []string
	out := &output{}
	observe := func(name string) slogclass.Option {
		return slogclass.WithObserver(func(ctx context.Context, r slog.Record, res classify.Result) {
			assert.Equal(t, "tenant", ctx.Value(key{}))
			assert.Contains(t, out.String(), r.Message, "the line is written first")
			r.Attrs(func(a slog.Attr) bool { // the caller's record, without the keys
				assert.NotEqual(t, slogclass.ReasonKey, a.Key)
				return true
			})
			got = append(got, name+" "+r.Message+" "+string(res.Category)+"/"+string(res.Reason)+" "+res.Rule)
		})
	}
	logger := slog.New(slogclass.New(jsonHandler(out), slogclass.WithClassifier(testClassifier), observe("a"), observe("b")))
	logger.InfoContext(ctx, "alpha")
	logger.ErrorContext(ctx, "alpha", "n", 1)
	logger.With(slogclass.CategoryKey, "mine", slogclass.ReasonKey, "own").ErrorContext(ctx, "beta")
	logger.WithGroup("g").ErrorContext(ctx, "gamma")
	assert.Equal(t, []string{
		"a alpha " + alpha + " alpha", "b alpha " + alpha + " alpha",
		"a beta " + beta + " beta", "b beta " + beta + " beta", // the result, not the caller's keys
		"a gamma " + gamma + " gamma", "b gamma " + gamma + " gamma",
	}, got)
	assert.Equal(t, "mine/own", classified(out.lines(t)[2]))
}

func TestWithObserverPanics(t *testing.T) {
	t.Parallel()
	var after int
	opts := []slogclass.Option{
		slogclass.WithClassifier(testClassifier),
		slogclass.WithObserver(func(context.Context, slog.Record, classify.Result) { panic("boom") }),
		slogclass.WithObserver(func(context.Context, slog.Record, classify.Result) { after++ }),
		slogclass.WithObserver(func(context.Context, slog.Record, classify.Result) { panic(nil) }),
	}
	out := &output{}
	err := slogclass.New(jsonHandler(out), opts...).Handle(t.Context(), slog.Record{Level: slog.LevelError, Message: "alpha"})
	require.ErrorContains(t, err, "an observer panicked, see WithObserver: boom")
	assert.ErrorContains(t, err, "panic called with nil")
	assert.Equal(t, alpha, classified(out.line(t)))
	assert.Equal(t, 1, after)

	var log []string
	full := errors.New("disk full")
	err = slogclass.New(&recorder{log: &log, err: full}, opts...).Handle(t.Context(), slog.Record{Level: slog.LevelError, Message: "alpha"})
	assert.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "boom")
	assert.Equal(t, 2, after, "observers are called if the next handler fails too")
}

func TestWithObserverThatEndsTheGoroutine(t *testing.T) {
	t.Parallel()
	logger, out := newLogger(slogclass.WithObserver(func(context.Context, slog.Record, classify.Result) { runtime.Goexit() }))
	done := make(chan struct{})
	go func() {
		defer close(done)
		logger.Error("alpha")
	}()
	<-done
	assert.Equal(t, alpha, classified(out.line(t)))
}
