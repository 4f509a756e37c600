package slogclass_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/slogclass"
)

// panicking is an error without a readable text.
type panicking struct{}

func (panicking) Error() string { panic("no text") }

func TestWithFingerprint(t *testing.T) {
	t.Parallel()
	id := func(l *slog.Logger) *slog.Logger { return l }
	of := func(text string) string { return fingerprint.Sum(text).String() }
	cyclic := &cycle{}
	cyclic.err = cyclic
	for _, tt := range []struct {
		name   string
		logger func(*slog.Logger) *slog.Logger
		opts   []slogclass.Option
		args   []any
		want   any
	}{
		{"an error", id, nil, []any{"err", errors.New("alpha 5")}, of("alpha <num>")},
		{"the error that a rule knows", id, nil, []any{"a", errors.New("so it goes"), "b", errors.New("beta 7")}, of("beta 8")},
		{"a text", id, nil, []any{"err", "gamma at 10.0.0.1"}, of("gamma at 10.0.0.2")},
		{"the text before the message", id, nil, []any{"err", "so it goes"}, of("so it goes")},
		{"the message", id, nil, nil, of("failed 1 time")},
		{"the message that a rule knows", id, []slogclass.Option{slogclass.WithClassifier(classify.Standard)}, []any{"n", 1}, of("failed 1 time")},
		{"a classifier without rules", id, []slogclass.Option{slogclass.WithClassifier(classify.None)}, []any{"err", errors.New("alpha")}, of("alpha")},
		{"an error in With under a group", func(l *slog.Logger) *slog.Logger {
			return l.With("err", errors.New("alpha 1")).WithGroup("g").With("a", 1)
		}, nil,
			nil, of("alpha 2")},
		{"an error that panics", id, nil, []any{"err", panicking{}}, of("failed 1 time")},
		{"an error that wraps itself", id, nil, []any{"other", cyclic}, of("failed 1 time")},
		{"with details", id, []slogclass.Option{slogclass.WithDetails()}, []any{"err", errors.New("alpha")}, of("alpha")},
		{"the caller's", id, nil, []any{"err", errors.New("alpha"), slogclass.FingerprintKey, "mine"}, "mine"},
		{"the caller's with With", func(l *slog.Logger) *slog.Logger { return l.With(slogclass.FingerprintKey, "mine").WithGroup("g") }, nil,
			[]any{"err", errors.New("alpha")}, "mine"},
		{"a category under its key", id, []slogclass.Option{slogclass.WithKeys(slogclass.FingerprintKey, "")}, []any{"err", errors.New("alpha")}, "retryable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := &output{}
			opts := append([]slogclass.Option{slogclass.WithClassifier(testClassifier), slogclass.WithFingerprint()}, tt.opts...)
			logger := tt.logger(slog.New(slogclass.New(slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: withoutErrors}), opts...)))
			for range 3 {
				logger.Error("failed 4 time", tt.args...)
			}
			for _, line := range out.lines(t) {
				assert.Equal(t, tt.want, line[slogclass.FingerprintKey], out)
			}
		})
	}
}

// withoutErrors replaces errors by a text, so that the JSON handler does not call
// their methods.
func withoutErrors(_ []string, a slog.Attr) slog.Attr {
	if _, ok := a.Value.Any().(error); ok {
		return slog.String(a.Key, "an error")
	}
	return a
}

// cycle is an error that wraps itself. Its Error method never returns.
type cycle struct{ err error }

func (c *cycle) Error() string { return "alpha: " + c.err.Error() }
func (c *cycle) Unwrap() error { return c.err }

// Without WithFingerprint the attribute is not added, even with details.
func TestWithoutFingerprint(t *testing.T) {
	t.Parallel()
	logger, out := newLogger(slogclass.WithDetails())
	logger.Error("failed", "err", errors.New("alpha"))
	assert.NotContains(t, out.line(t), slogclass.FingerprintKey)
}

// Records below the level get no fingerprint.
func TestWithFingerprintBelowTheLevel(t *testing.T) {
	t.Parallel()
	logger, out := newLogger(slogclass.WithFingerprint())
	logger.Info("alpha")
	assert.NotContains(t, out.line(t), slogclass.FingerprintKey)
}

// The fingerprint needs one allocation, for the value of the attribute.
func TestWithFingerprintAllocations(t *testing.T) {
	l := slog.New(slogclass.New(slog.NewJSONHandler(io.Discard, nil), slogclass.WithFingerprint(), slogclass.WithClassifier(testClassifier)))
	err := errors.New("alpha: dial tcp 10.0.0.7:5432")
	log := func() { l.LogAttrs(context.Background(), slog.LevelError, "failed", slog.Any("err", err)) }
	fewest := testing.AllocsPerRun(1, log)
	for range 100 { // under the race detector a sync.Pool drops some of what it is given
		fewest = min(fewest, testing.AllocsPerRun(1, log))
	}
	assert.LessOrEqual(t, fewest, 1.0)
}
