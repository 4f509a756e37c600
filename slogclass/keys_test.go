package slogclass_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

func TestHandlerKeepsTheCallersKeys(t *testing.T) {
	t.Parallel()
	const cat, reason = slogclass.CategoryKey, slogclass.ReasonKey
	id := func(l *slog.Logger) *slog.Logger { return l }
	tests := []struct {
		name   string
		logger func(*slog.Logger) *slog.Logger
		args   []any
		want   string
	}{
		{"none", id, nil, alpha},
		{"category in the record", id, []any{cat, "mine"}, "mine/rate_limit"},
		{"reason in the record", id, []any{reason, "mine"}, "retryable/mine"},
		{"both in the record", id, []any{reason, "mine", cat, "own"}, "own/mine"},
		{"in a nameless group of the record", id, []any{slog.Group("", slog.Group("", cat, "mine"))}, "mine/rate_limit"},
		{"in a named group of the record", id, []any{slog.Group("g", cat, "mine")}, alpha},
		{"as an empty group, which is not written", id, []any{slog.Group(cat)}, alpha},
		{"not a string", id, []any{cat, 7}, "7/rate_limit"},
		{"an error", id, []any{cat, errors.New("mine")}, "mine/rate_limit"},
		{"category with With", func(l *slog.Logger) *slog.Logger { return l.With(cat, "mine") }, nil, "mine/rate_limit"},
		{"reason with With", func(l *slog.Logger) *slog.Logger { return l.With("a", 1).With(reason, "mine").With("b", 2) }, nil, "retryable/mine"},
		{"one with With, one in the record", func(l *slog.Logger) *slog.Logger { return l.With(reason, "mine") }, []any{cat, "own"}, "own/mine"},
		{"both with With", func(l *slog.Logger) *slog.Logger { return l.With(reason, "mine", cat, "own") }, nil, "own/mine"},
		{"in the record under a group", func(l *slog.Logger) *slog.Logger { return l.WithGroup("g") }, []any{cat, "mine"}, alpha},
		{"with With under a group", func(l *slog.Logger) *slog.Logger { return l.WithGroup("g").With(cat, "mine") }, nil, alpha},
		{"with With before a group", func(l *slog.Logger) *slog.Logger { return l.With(cat, "mine").WithGroup("g").With("a", 1) }, nil, "mine/rate_limit"},
		{"both with With before a group", func(l *slog.Logger) *slog.Logger { return l.With(cat, "mine", reason, "own").WithGroup("g") }, nil, "mine/own"},
		{"a group of that name", func(l *slog.Logger) *slog.Logger { return l.WithGroup(cat) }, []any{"a", 1}, "map[a:1 err:alpha]/rate_limit"},
		{"a group of the other name", func(l *slog.Logger) *slog.Logger { return l.With("b", 2).WithGroup(reason) }, nil, "retryable/map[err:alpha]"},
		{"a group in a group of that name", func(l *slog.Logger) *slog.Logger { return l.WithGroup(cat).WithGroup("g").With("a", 1) }, nil, "map[g:map[a:1 err:alpha]]/rate_limit"},
		{"both as names of groups", func(l *slog.Logger) *slog.Logger { return l.WithGroup(cat).WithGroup(reason) }, nil, "map[error.reason:map[err:alpha]]/rate_limit"},
		{"a group of that name under a group", func(l *slog.Logger) *slog.Logger { return l.WithGroup("g").WithGroup(cat) }, nil, alpha},
		{"a group of that name, the other with With", func(l *slog.Logger) *slog.Logger { return l.With(reason, "own").WithGroup(cat) }, nil, "map[err:alpha]/own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger()
			logger = tt.logger(logger)
			for range 3 { // the first error of a handler bypasses the cache
				logger.Error("failed", append([]any{"err", errors.New("alpha")}, tt.args...)...)
			}
			lines := out.lines(t)
			require.Len(t, lines, 3)
			for _, line := range lines {
				assert.Equal(t, tt.want, classified(line), out)
			}
		})
	}
}

func TestHandlerRecordKeysDoNotAffectTheNextRecord(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	logger.Error("alpha", slogclass.CategoryKey, "mine")
	logger.Error("alpha")
	logger.Error("alpha", slogclass.ReasonKey, "mine")
	lines := out.lines(t)
	assert.Equal(t, "mine/rate_limit", classified(lines[0]))
	assert.Equal(t, alpha, classified(lines[1]))
	assert.Equal(t, "retryable/mine", classified(lines[2]))
}

func TestWithKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		category, reason string
		want             map[string]any
	}{
		{"own", "app.category", "app.reason", map[string]any{"app.category": "retryable", "app.reason": "rate_limit"}},
		{"empty keeps the default", "", "why", map[string]any{"error.category": "retryable", "why": "rate_limit"}},
		{"both empty", "", "", map[string]any{"error.category": "retryable", "error.reason": "rate_limit"}},
		{"equal", "error", "error", map[string]any{"error": "retryable"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger(slogclass.WithKeys(tt.category, tt.reason))
			for range 2 {
				logger.With("n", 1).Error("alpha")
				logger.WithGroup("g").Error("alpha", "n", 1)
			}
			for _, line := range out.lines(t) {
				for _, k := range []string{"level", "msg", "n", "g"} {
					delete(line, k)
				}
				assert.Equal(t, tt.want, line)
			}
		})
	}
}

func TestWithTextKeys(t *testing.T) {
	t.Parallel()
	keys := []string{"problem"}
	opt := slogclass.WithTextKeys(keys...)
	keys[0] = "error" // must have no effect: the option has a copy
	logger, out := newLogger(opt)
	logger.Error("failed", "error", "alpha", "problem", "beta")
	logger, none := newLogger(slogclass.WithTextKeys())
	logger.Error("failed", "error", "alpha")
	assert.Equal(t, beta, classified(out.line(t)))
	assert.Equal(t, unknown, classified(none.line(t)))
}

func TestHandlerInHandler(t *testing.T) {
	t.Parallel()
	out := &output{}
	inner := slogclass.New(jsonHandler(out), slogclass.WithClassifier(testClassifier))
	same := slogclass.New(inner, slogclass.WithClassifier(testClassifier))
	other := slogclass.New(inner, slogclass.WithClassifier(testClassifier), slogclass.WithKeys("cat", "why"))
	for _, h := range []slog.Handler{same, other} {
		for _, l := range []*slog.Logger{slog.New(h), slog.New(h).With("a", 1), slog.New(h).WithGroup("g").With("a", 1)} {
			for range 3 {
				l.Error("alpha", "b", 2)
			}
		}
	}
	lines := out.lines(t)
	require.Len(t, lines, 18)
	for i, line := range lines {
		assert.Equal(t, alpha, classified(line))
		if i >= 9 {
			assert.Equal(t, "retryable", line["cat"])
			assert.Equal(t, "rate_limit", line["why"])
		}
	}
}

// slog's JSON handler omits the comma after a group of empty attributes. The line
// with the added keys must still be valid.
func TestHandlerAfterAGroupOfEmptyAttributes(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	logger = logger.With("a", 1)
	for range 3 {
		logger.Error("alpha", "b", 2, slog.Group("g", slog.Attr{}))
	}
	for _, line := range out.lines(t) {
		assert.Equal(t, alpha, classified(line))
	}
}

// A group without attributes is omitted, so it does not replace a key.
func TestHandlerEmptyGroupNamedAsAKey(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	group := logger.WithGroup(slogclass.CategoryKey)
	for range 3 {
		group.Error("alpha")
		group.With(slog.Group("a")).WithGroup("b").Error("alpha", slog.Group("c"))
		logger.Error("alpha")
	}
	for _, line := range out.lines(t) {
		assert.Equal(t, alpha, classified(line))
	}
	logger, out = newLogger()
	logger.WithGroup(slogclass.CategoryKey).With("a", 1).Error("alpha")
	assert.Equal(t, "map[a:1]/rate_limit", classified(out.line(t)))
}
