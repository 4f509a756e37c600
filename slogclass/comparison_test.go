package slogclass_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	slogmulti "github.com/samber/slog-multi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/benchpair"
	"github.com/errclass/errclass/slogclass"
)

// mapping is an example of the hand-written functions with which programs classify
// errors.
func mapping(err error) classify.Category {
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return classify.CategoryTimeout
	case errors.Is(err, context.Canceled):
		return classify.CategoryAborted
	case errors.As(err, &network) && network.Timeout():
		return classify.CategoryRetryable
	}
	text := strings.ToLower(err.Error())
	for _, phrase := range []string{"context length", "too many tokens", "prompt is too long"} {
		if strings.Contains(text, phrase) {
			return classify.CategoryContextOverflow
		}
	}
	for _, phrase := range []string{"429", "too many requests", "rate limit", "502", "503", "504", "overloaded", "timeout", "timed out", "connection reset", "connection refused", "eof"} {
		if strings.Contains(text, phrase) {
			return classify.CategoryRetryable
		}
	}
	return classify.CategoryFatal
}

// mapped is a middleware for slog-multi. It classifies errors with the function mapping.
var mapped = slogmulti.NewHandleInlineMiddleware(func(ctx context.Context, r slog.Record, next func(context.Context, slog.Record) error) error {
	if r.Level < slog.LevelError {
		return next(ctx, r)
	}
	category := classify.CategoryFatal
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		if ok {
			category = mapping(err)
		}
		return !ok
	})
	r = r.Clone()
	r.AddAttrs(slog.String(slogclass.CategoryKey, string(category)))
	return next(ctx, r)
})

// BenchmarkComparison measures the figures in docs/comparison.md. The metric x-bare
// is the time divided by the time with a JSON handler alone. The case "error-new" logs
// more different texts than the classifier can cache.
func BenchmarkComparison(b *testing.B) {
	ctx := context.Background()
	bare := slog.NewJSONHandler(io.Discard, nil)
	texts := make([]error, 1<<16)
	for i := range texts {
		texts[i] = errors.New(errBench.Error() + " request " + strconv.Itoa(i))
	}
	for _, h := range []struct {
		name    string
		handler slog.Handler
	}{
		{"slog-multi with a mapping", slogmulti.Pipe(mapped).Handler(bare)},
		{"slogclass", slogclass.New(bare)},
	} {
		log := func(l *slog.Logger, level slog.Level, next func() error) func() {
			return func() {
				l.LogAttrs(ctx, level, "completion failed", slog.String("op", "complete"), slog.Int("attempt", 3), slog.Any("err", next()))
			}
		}
		seen := func() error { return errBench }
		fresh := func() func() error {
			i := 0
			return func() error { i++; return texts[i%len(texts)] }
		}
		b.Run(h.name+"/info", func(b *testing.B) {
			benchpair.Compare(b, log(slog.New(bare), slog.LevelInfo, seen), log(slog.New(h.handler), slog.LevelInfo, seen))
		})
		b.Run(h.name+"/error-seen", func(b *testing.B) {
			benchpair.Compare(b, log(slog.New(bare), slog.LevelError, seen), log(slog.New(h.handler), slog.LevelError, seen))
		})
		b.Run(h.name+"/error-new", func(b *testing.B) {
			benchpair.Compare(b, log(slog.New(bare), slog.LevelError, fresh()), log(slog.New(h.handler), slog.LevelError, fresh()))
		})
	}
}

// TestComparisonWithAMapping compares the function mapping with the standard rules on
// the corpus. With -v it prints the two figures that docs/comparison.md quotes. The
// rules have an advantage, because they are developed with this corpus. If they are
// not better by more than ten percentage points, the test fails.
func TestComparisonWithAMapping(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../classify/testdata/corpus.jsonl")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var of, byMapping, byRules int
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var entry struct {
			Message  string
			Category classify.Category
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &entry))
		of++
		if mapping(errors.New(entry.Message)) == entry.Category {
			byMapping++
		}
		if classify.Message(entry.Message).Category == entry.Category {
			byRules++
		}
	}
	t.Logf("of %d: the mapping %.1f %%, the standard rules %.1f %%", of, 100*float64(byMapping)/float64(of), 100*float64(byRules)/float64(of))
	assert.Greater(t, byRules, byMapping+of/10)
}
