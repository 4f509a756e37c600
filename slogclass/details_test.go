package slogclass_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

// waiting is an error with a retry-after time.
type waiting struct{ RetryAfter time.Duration }

func (waiting) Error() string { return "alpha" }

func TestWithDetails(t *testing.T) {
	t.Parallel()
	const cat, reason, rule, wait = slogclass.CategoryKey, slogclass.ReasonKey, slogclass.RuleKey, slogclass.RetryAfterMSKey
	const sure = slogclass.ConfidenceKey
	id := func(l *slog.Logger) *slog.Logger { return l }
	deep := func(l *slog.Logger) *slog.Logger {
		l = l.With("first", 1).WithGroup("g")
		for range 20 { // more than maxDepth
			l = l.With("a", 1).WithGroup("h")
		}
		return l.With("last", 1)
	}
	for _, tt := range []struct {
		name   string
		logger func(*slog.Logger) *slog.Logger
		opts   []slogclass.Option
		args   []any
		want   map[string]any // nil = the key is not there
	}{
		{"rule alone", id, nil, []any{"err", errors.New("beta")}, map[string]any{cat: "fatal", reason: "authentication", rule: "beta", sure: 1.0, wait: nil}},
		{"rule and hint", id, nil, []any{"err", waiting{1500 * time.Millisecond}}, map[string]any{rule: "alpha", wait: 1500.0}},
		{"less than a millisecond is rounded up", id, nil, []any{"err", waiting{1}}, map[string]any{rule: "alpha", wait: 1.0}},
		{"what nothing recognises", id, nil, []any{"err", errors.New("so it goes")}, map[string]any{cat: "fatal", reason: "unknown", rule: "default", sure: 0.5, wait: nil}},
		{"under a group", func(l *slog.Logger) *slog.Logger { return l.WithGroup("g").With("a", 1) }, nil, []any{"err", waiting{time.Second}},
			map[string]any{cat: "retryable", reason: "rate_limit", rule: "alpha", wait: 1000.0}},
		{"under many groups", deep, nil, []any{"err", waiting{time.Second}}, map[string]any{cat: "retryable", rule: "alpha", wait: 1000.0, "first": 1.0}},
		{"the caller's confidence", id, nil, []any{"err", waiting{time.Second}, sure, 0.25}, map[string]any{cat: "retryable", rule: "alpha", sure: 0.25, wait: 1000.0}},
		{"the caller's rule", id, nil, []any{"err", waiting{time.Second}, rule, "mine"}, map[string]any{cat: "retryable", rule: "mine", wait: 1000.0}},
		{"the caller's rule and wait with With", func(l *slog.Logger) *slog.Logger { return l.With(rule, "mine", wait, 7).WithGroup("g") }, nil,
			[]any{"err", waiting{time.Second}}, map[string]any{cat: "retryable", rule: "mine", wait: 7.0}},
		{"the caller's pair", func(l *slog.Logger) *slog.Logger { return l.With(cat, "mine", reason, "own") }, nil,
			[]any{"err", waiting{time.Second}}, map[string]any{cat: "mine", reason: "own", rule: "alpha", wait: 1000.0}},
		{"a category under the rule's key", id, []slogclass.Option{slogclass.WithKeys(rule, wait)}, []any{"err", waiting{time.Second}},
			map[string]any{rule: "retryable", wait: "rate_limit", cat: nil, reason: nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger(append(tt.opts, slogclass.WithDetails())...)
			logger = tt.logger(logger)
			for range 3 {
				logger.Error("failed", tt.args...)
			}
			lines := out.lines(t)
			require.Len(t, lines, 3)
			for _, line := range lines {
				for key, want := range tt.want {
					assert.Equal(t, want, line[key], "%s: %s", key, out)
				}
			}
		})
	}
}

// Without WithDetails, no details are added. An attribute error.rule of the caller
// is passed on unchanged.
func TestWithoutDetails(t *testing.T) {
	t.Parallel()
	logger, out := newLogger()
	logger.Error("failed", "err", waiting{time.Second}, slogclass.RuleKey, "mine")
	logger.WithGroup("g").Error("failed", "err", waiting{time.Second})
	lines := out.lines(t)
	require.Len(t, lines, 2)
	assert.Equal(t, "mine", lines[0][slogclass.RuleKey])
	assert.NotContains(t, lines[0], slogclass.RetryAfterMSKey)
	assert.NotContains(t, lines[1], slogclass.RuleKey)
	assert.NotContains(t, lines[1], slogclass.RetryAfterMSKey)
}

// A Handler may wrap another Handler. Then the inner Handler adds only the keys that
// the outer Handler has not added.
func TestWithDetailsInHandler(t *testing.T) {
	t.Parallel()
	out := &output{}
	details := []slogclass.Option{slogclass.WithClassifier(testClassifier), slogclass.WithDetails()}
	for _, outer := range [][]slogclass.Option{details, {slogclass.WithClassifier(testClassifier)}} {
		slog.New(slogclass.New(slogclass.New(jsonHandler(out), details...), outer...)).Error("failed", "err", waiting{time.Second})
	}
	for _, line := range out.lines(t) {
		assert.Equal(t, alpha, classified(line))
		assert.Equal(t, "alpha", line[slogclass.RuleKey])
		assert.InDelta(t, 1000, line[slogclass.RetryAfterMSKey], 0)
	}
}

// The rule attribute is an id from the list of rules, without the matched text.
func TestWithDetailsCopiesNoText(t *testing.T) {
	t.Parallel()
	out := &output{}
	logger := slog.New(slogclass.New(jsonHandler(out), slogclass.WithDetails()))
	logger.Error("failed", "err", errors.New("429 Too Many Requests sk-secret"))
	line := out.line(t)
	var ids []string
	for _, r := range classify.Standard.Rules() {
		ids = append(ids, r.ID)
	}
	assert.Contains(t, ids, line[slogclass.RuleKey])
}

// If a group is named like the key of a detail and has an attribute, the group is
// written and the detail is not.
func TestGroupNamedAsADetail(t *testing.T) {
	t.Parallel()
	for _, key := range []string{slogclass.RuleKey, slogclass.ConfidenceKey, slogclass.RetryAfterMSKey, slogclass.FingerprintKey} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger(slogclass.WithDetails(), slogclass.WithFingerprint())
			for range 3 {
				logger.WithGroup(key).Error("failed", "err", waiting{time.Second})
				logger.WithGroup(key).WithGroup("g").With("err", waiting{time.Second}).Error("failed")
			}
			for _, line := range out.lines(t) { // no key is there twice
				assert.Equal(t, alpha, classified(line))
				assert.IsType(t, map[string]any{}, line[key], out)
			}
			logger.With("err", waiting{time.Second}).WithGroup(key).Error("failed")
			last := out.lines(t)[6]
			assert.NotNil(t, last[key], "an empty group is not written")
			_, group := last[key].(map[string]any)
			assert.False(t, group, out)
		})
	}
}
