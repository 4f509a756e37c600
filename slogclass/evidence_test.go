package slogclass_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

// panicError is an error that panics in Error.
type panicError struct{}

func (panicError) Error() string { panic("Error panicked") }

// pointerError is an error that panics in Error on a nil pointer.
type pointerError struct{ text string }

func (e *pointerError) Error() string { return e.text }

// valuerError is an error that slog writes as a group. The errors of samber/oops
// are similar.
type valuerError struct{ error }

func (e valuerError) LogValue() slog.Value { return slog.GroupValue(slog.String("text", "hidden")) }

// panicValuer is a LogValuer with a LogValue that panics.
type panicValuer struct{}

func (panicValuer) LogValue() slog.Value { panic("alpha") }

// panicValuerError is an error that panics in LogValue.
type panicValuerError struct{ error }

func (panicValuerError) LogValue() slog.Value { panic("beta") }

func TestHandlerEvidence(t *testing.T) {
	t.Parallel()
	a, b, c, none := errors.New("alpha"), errors.New("beta"), errors.New("gamma"), errors.New("went wrong")
	tests := []struct {
		name string
		with []any
		msg  string
		args []any
		want string
	}{
		{"an error under err", nil, "failed", []any{"err", a}, alpha},
		{"an error under any key", nil, "failed", []any{"zzz", a}, alpha},
		{"an error without a key", nil, "failed", []any{a}, alpha},
		{"the first error decides", nil, "failed", []any{"err", b, "cause", a}, beta},
		{"an unknown error leaves it to the next", nil, "failed", []any{"err", none, "cause", a}, alpha},
		{"wrapped", nil, "failed", []any{"err", fmt.Errorf("calling: %w", a)}, alpha},
		{"joined", nil, "failed", []any{"err", errors.Join(none, a)}, alpha},
		{"in a group", nil, "failed", []any{slog.Group("call", "n", 1, "err", a)}, alpha},
		{"in a group in a group", nil, "failed", []any{slog.Group("call", slog.Group("last", "err", a))}, alpha},
		{"in a group without a name", nil, "failed", []any{slog.Group("", "err", a)}, alpha},
		{"a LogValuer", nil, "failed", []any{"err", valuerError{a}}, alpha},
		{"given to With", []any{"err", a}, "failed", nil, alpha},
		{"given to With in a group", []any{slog.Group("call", "err", a)}, "failed", nil, alpha},
		{"the record's own before With's", []any{"err", a}, "failed", []any{"cause", b}, beta},
		{"With's where the record's own is unknown", []any{"err", a}, "failed", []any{"cause", none}, alpha},
		{"With's error before the record's string", []any{"err", a}, "failed", []any{"error", "beta"}, alpha},
		{"a string under error", nil, "failed", []any{"error", "alpha"}, alpha},
		{"a string under stderr", nil, "failed", []any{"stderr", "warning\nbeta"}, beta},
		{"a string under exception.message", nil, "failed", []any{"exception.message", "gamma"}, gamma},
		{"a string in a group", nil, "failed", []any{slog.Group("call", "err", "gamma")}, gamma},
		{"a string given to With", []any{"err", "gamma"}, "failed", nil, gamma},
		{"a string under another key", nil, "failed", []any{"user", "alpha"}, unknown},
		{"an error before a string", nil, "failed", []any{"error", "alpha", "e", b}, beta},
		{"an empty string", nil, "gamma failed", []any{"error", ""}, gamma},
		{"the message", nil, "gamma failed", nil, gamma},
		{"an error before the message", nil, "gamma failed", []any{"err", a}, alpha},
		{"an unknown error leaves it to the message", nil, "gamma failed", []any{"err", none}, gamma},
		{"a string before the message", nil, "gamma failed", []any{"err", "alpha"}, alpha},
		{"nothing known", nil, "failed", []any{"err", none}, unknown},
		{"nothing at all", nil, "", nil, unknown},
		{"a nil error", nil, "gamma", []any{"err", nil}, gamma},
		{"a nil pointer that is an error", nil, "gamma", []any{"err", (*pointerError)(nil)}, gamma},
		{"a nil pointer and a true error", nil, "failed", []any{"err", (*pointerError)(nil), "cause", c}, gamma},
		{"a panicking error", nil, "gamma", []any{"err", panicError{}}, gamma},
		{"a panicking error, wrapped", nil, "gamma", []any{"err", fmt.Errorf("x: %w", valuerError{panicIs{}})}, gamma},
		{"a panicking LogValue is no error", nil, "failed", []any{"req", panicValuer{}}, unknown},
		{"an error with a panicking LogValue", nil, "failed", []any{"err", panicValuerError{a}}, alpha},
		{"status", nil, "failed", []any{"status", 429}, alpha},
		{"status_code", nil, "failed", []any{"status_code", 401}, beta},
		{"http.response.status_code", nil, "failed", []any{"http.response.status_code", 403}, beta},
		{"an unsigned status", nil, "failed", []any{"status", uint16(429)}, alpha},
		{"a status in a group", nil, "failed", []any{slog.Group("http", slog.Group("response", "status_code", 429))}, alpha},
		{"a status given to With", []any{"status", 429}, "failed", nil, alpha},
		{"the record's status before With's", []any{"status", 429}, "failed", []any{"status_code", 401}, beta},
		{"several in an []error", nil, "failed", []any{"errs", []error{none, a}}, alpha},
		{"an []error given to With", []any{"errs", []error{none, a}}, "failed", nil, alpha},
		{"an []error in a group", nil, "failed", []any{slog.Group("g", "errs", []error{a})}, alpha},
		{"an []error with nothing in it", nil, "gamma", []any{"errs", []error{nil, nil}, "none", []error{}, "nil", []error(nil)}, gamma},
		{"an []error with more than is read", nil, "gamma", []any{"errs", append(slices.Repeat([]error{none}, 1000), a)}, gamma},
		{"an []error with one that panics", nil, "failed", []any{"errs", []error{panicError{}, syscall.ECONNREFUSED}}, gamma},
		{"an exit status", nil, "gamma", []any{"status", 1}, gamma},
		{"a status that says nothing, and one that does", nil, "failed", []any{"status", 200, "status_code", 429}, alpha},
		{"a status out of range", nil, "gamma", []any{"status", uint64(1<<64 - 1), "status_code", -401}, gamma},
		{"a status as text", nil, "failed", []any{"status", "429"}, unknown},
		{"more errors than are tried", nil, "gamma", []any{"a", none, "b", none, "c", none, "d", none, "e", none, "f", none}, gamma},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger()
			logger.With(tt.with...).Error(tt.msg, tt.args...)
			line := out.line(t)
			assert.Equal(t, tt.want, classified(line), out)
			assert.Equal(t, tt.msg, line["msg"])

			// In a group, log twice: the second record may use a cached handler.
			grouped, out := newLogger()
			grouped = grouped.WithGroup("g").With(tt.with...)
			for range 2 {
				grouped.Error(tt.msg, tt.args...)
			}
			for _, line := range out.lines(t) {
				assert.Equal(t, tt.want, classified(line), out)
			}
		})
	}
}

// panicIs is an error that panics in Is. Its Error method must not panic,
// because fmt.Errorf calls it.
type panicIs struct{}

func (panicIs) Error() string { return "" }
func (panicIs) Is(error) bool { panic("Is panicked") }

func TestHandlerLaterWithFirst(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	logger.With("err", errors.New("alpha")).With("n", 1).With("cause", errors.New("beta")).Error("failed")
	assert.Equal(t, beta, classified(out.line(t)))
}

func TestHandlerWithDoesNotChangeTheParent(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	first := logger.With("err", errors.New("alpha"))
	second := logger.With("err", errors.New("beta"))
	third := first.With("cause", errors.New("gamma"))
	first.Error("failed")
	second.Error("failed")
	third.Error("failed")
	logger.Error("failed")
	var got []string
	for _, line := range out.lines(t) {
		got = append(got, classified(line))
	}
	assert.Equal(t, []string{alpha, beta, gamma, unknown}, got)
}

func TestHandlerLevel(t *testing.T) {
	t.Parallel()
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	tests := []struct {
		name string
		opt  slogclass.Option
		from slog.Level
	}{
		{"default", nil, slog.LevelError},
		{"nil keeps it", slogclass.WithLevel(nil), slog.LevelError},
		{"fixed", slogclass.WithLevel(slog.LevelInfo), slog.LevelInfo},
		{"dynamic", slogclass.WithLevel(level), slog.LevelWarn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for l := slog.LevelDebug; l <= slog.LevelError+4; l++ {
				logger, out := newLogger(tt.opt)
				logger.Log(context.Background(), l, "failed", "err", errors.New("alpha"))
				want := alpha
				if l < tt.from {
					want = nothing
				}
				assert.Equal(t, want, classified(out.line(t)), "level %v", l)
			}
		})
	}
}

func TestHandlerDynamicLevelAndFixedAfterIt(t *testing.T) {
	t.Parallel()
	level := new(slog.LevelVar)
	logger, out := newLogger(slogclass.WithLevel(level))
	logger.Info("alpha")
	level.Set(slog.LevelError)
	logger.Info("alpha")
	lines := out.lines(t)
	assert.Equal(t, alpha, classified(lines[0]))
	assert.Equal(t, nothing, classified(lines[1]))

	logger, out = newLogger(slogclass.WithLevel(slog.LevelError), slogclass.WithLevel(new(slog.LevelVar)), slogclass.WithLevel(slog.LevelWarn))
	logger.Info("alpha")
	assert.Equal(t, nothing, classified(out.line(t)))
}

func TestHandlerNilContext(t *testing.T) {
	t.Parallel()
	out := &output{}
	h := slogclass.New(jsonHandler(out), slogclass.WithClassifier(testClassifier))
	var ctx context.Context // a handler that wraps this one may pass nil
	assert.NoError(t, h.Handle(ctx, slog.NewRecord(time.Time{}, slog.LevelError, "alpha", 0)))
	assert.Equal(t, alpha, classified(out.line(t)))
}

// A classifier that has only rules for texts ignores the status.
func TestHandlerTextClassifierIgnoresStatus(t *testing.T) {
	t.Parallel()
	for _, attrs := range [][]any{{"status", 500}, {"status", 500, "err", errors.New("so it goes")}} {
		logger, out := newLogger(slogclass.WithClassifier(classify.Minimal))
		logger.Error("", attrs...)
		line := out.line(t)
		assert.Equal(t, "fatal", line[slogclass.CategoryKey])
		assert.Equal(t, "unknown", line[slogclass.ReasonKey])
	}
}

// hostileContext is a context that panics in Err.
type hostileContext struct{ context.Context }

func (hostileContext) Err() error { panic("Err panicked") }

func TestHandlerEmptyRecordAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := &output{}
	assert.NoError(t, slogclass.New(jsonHandler(out)).Handle(ctx, slog.NewRecord(time.Time{}, slog.LevelError, "", 0)))
	line := out.line(t)
	assert.Equal(t, "fatal", line[slogclass.CategoryKey])
	assert.Equal(t, "unknown", line[slogclass.ReasonKey])
}

func TestHandlerHostileContextKeepsTheLine(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	logger.ErrorContext(hostileContext{context.Background()}, "alpha")
	assert.Equal(t, alpha, classified(out.line(t)))
}

func TestHandlerCopiesNoText(t *testing.T) {
	t.Parallel()
	const secret = "sk-ant-secret alpha"
	out := &output{}
	inner := slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "err" || a.Key == slog.MessageKey || a.Key == slog.TimeKey {
			return slog.Attr{} // redacted
		}
		return a
	}})
	logger := slog.New(slogclass.New(inner, slogclass.WithClassifier(testClassifier)))
	for range 2 {
		logger.Error(secret, "err", fmt.Errorf("%s: %w", secret, io.EOF))
		logger.WithGroup("g").With("err", errors.New(secret)).Error(secret)
	}
	assert.Len(t, out.lines(t), 4)
	assert.NotContains(t, out.String(), "secret")
}
