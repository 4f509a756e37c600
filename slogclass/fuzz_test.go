package slogclass_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

// cyclicError is an error that wraps itself.
type cyclicError struct{ text string }

func (e *cyclicError) Error() string { return e.text }
func (e *cyclicError) Unwrap() error { return e }

// panicky is an error with Is and Unwrap methods that panic.
type panicky struct{}

func (panicky) Error() string { return "panicky" }
func (panicky) Is(error) bool { panic("is") }
func (panicky) Unwrap() error { panic("unwrap") }

type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func joined(n int) error {
	all := make([]error, n)
	for i := range all {
		all[i] = fmt.Errorf("item %d: %w", i, &cyclicError{"HTTP 503"})
	}
	return errors.Join(all...)
}

var texts = []string{
	"", " ", "alpha", "attempt 1: HTTP 503; last attempt 2: zz", "x\n  at a.B(C:1) \n", `{"error":{"code":"context.Canceled"}}`,
	"connection refused", "\xff", strings.Repeat("  at a.B(C:1) [", 300), strings.Repeat("boom ", 30_000),
}

// drawAttr draws an attribute of any kind. The prefix n makes its keys unique.
func drawAttr(t *rapid.T, n string, depth int) slog.Attr {
	key := n + rapid.SampledFrom([]string{"err", "status", "x", "error"}).Draw(t, "key")
	kinds := 12
	if depth == 0 {
		kinds = 9
	}
	member := func() slog.Attr { return drawAttr(t, n+"m", depth-1) }
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return slog.Int(key, rapid.SampledFrom([]int{0, 401, 503}).Draw(t, "int"))
	case 1:
		return slog.String(key, rapid.SampledFrom(texts).Draw(t, "text"))
	case 2:
		return slog.Any(key, rapid.SampledFrom([]error{
			(*nilError)(nil), &cyclicError{"alpha"}, panicky{}, joined(300), context.Canceled, context.DeadlineExceeded,
		}).Draw(t, "error"))
	case 3:
		return slog.Any(key, rapid.SampledFrom([]any{nil, 1.5, []string{"a"}, map[string]int{"a": 1}}).Draw(t, "any"))
	case 4:
		return slog.Any(key, valuer(rapid.SampledFrom([]any{nil, "text", 7, group("a", 1)}).Draw(t, "value")))
	case 5:
		return slog.Any("", valuer(group(n+"v", 1)))
	case 6:
		if depth < 3 {
			return slog.Bool(key, true) // slog's JSON handler omits the comma after a group of empty attributes
		}
		return slog.Attr{}
	case 7:
		return slog.Group(key)
	case 8:
		return slog.Uint64(key, 1<<63)
	case 9:
		return slog.Group(key, member())
	case 10:
		return slog.Group("", member())
	default:
		return slog.Any("", valuer(group(member())))
	}
}

// ownKey draws attributes of the caller. Some have the key for category or for reason.
func ownKey(t *rapid.T) []slog.Attr {
	key := rapid.SampledFrom([]string{slogclass.CategoryKey, slogclass.ReasonKey}).Draw(t, "own key")
	return rapid.SampledFrom([][]slog.Attr{
		nil, nil, {slog.String(key, "mine")}, {slog.Any("", valuer(group(key, "mine")))}, {slog.Group("", slog.Any("", valuer(group(key, "mine"))))},
		{slog.Any(key, valuer("mine"))}, {slog.Any(key, valuer(group()))}, {slog.Group("ownGroup", slog.String(key, "mine"))},
		{slog.Any(key, valuer(group("a", valuer(group()))))}, {slog.Group(key, "a", valuer(group(slog.Group("b"))), "c", valuer(7))},
	}).Draw(t, "own")
}

// A Handler's lines may differ from a JSON handler's lines only in category and reason.
func checkRecord(t *rapid.T) {
	bareOut, out := &output{}, &output{}
	observe := slogclass.WithObserver(func(_ context.Context, _ slog.Record, res classify.Result) {
		require.NotContains(t, res.Rule, "+panic")
	})
	bare, ours := slog.New(jsonHandler(bareOut)), slog.New(slogclass.New(jsonHandler(out), observe))
	draw := func(n string, own []slog.Attr) (args []any) {
		for i := range rapid.IntRange(0, 4).Draw(t, "attrs") {
			args = append(args, drawAttr(t, fmt.Sprint(n, i), 3))
		}
		for _, a := range own {
			args = append(args, a)
		}
		return args
	}
	own := ownKey(t)
	where := rapid.IntRange(0, 1).Draw(t, "where")
	for i := range rapid.IntRange(0, 12).Draw(t, "depth") {
		o := op{group: "g"}
		if rapid.IntRange(0, 3).Draw(t, "with") > 0 {
			o = op{attrs: append([]any{slog.Int(fmt.Sprint("n", i), i)}, draw(fmt.Sprint("w", i), own[:len(own)*where])...)}
			if len(own) > 0 && where == 1 {
				own = nil
			}
		}
		bare, ours = o.apply(bare), o.apply(ours)
	}
	args := draw("r", own)
	message := rapid.SampledFrom(texts).Draw(t, "message")
	for range 2 {
		bare.Error(message, args...)
		ours.Error(message, args...)
	}
	want, got := bareOut.lines(t), out.lines(t)
	require.Len(t, got, len(want))
	for i := range want {
		pruned(want[i])
		pruned(got[i])
		for _, key := range []string{slogclass.CategoryKey, slogclass.ReasonKey} {
			require.NotEmpty(t, got[i][key])
			if _, mine := want[i][key]; !mine {
				delete(got[i], key)
			}
		}
		require.Equal(t, withoutStacks(want[i]), withoutStacks(got[i]))
	}
}

// withoutStacks removes the stacks that slog writes after a panic in LogValue,
// because they differ between calls.
func withoutStacks(line map[string]any) map[string]any {
	for key, v := range line {
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "LogValue panicked") {
				line[key] = "LogValue panicked"
			}
		case map[string]any:
			withoutStacks(v)
		}
	}
	return line
}

func TestHandlerRandomRecords(t *testing.T) { t.Parallel(); rapid.Check(t, checkRecord) }

func FuzzHandler(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRecord)) }

// TestHandlerDerivedConcurrentSafe uses derived loggers in many goroutines. Run it
// with -race.
func TestHandlerDerivedConcurrentSafe(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			logger, out := newLogger()
			deep := logger.WithGroup("g")
			for i := range 12 {
				deep = deep.With(fmt.Sprint("d", i), i)
			}
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					child := deep.With("child", i)
					child.Error([]string{"alpha", "beta"}[i%2], "", valuer(group("a", 1)))
					deep.Error("gamma")
				})
			}
			wg.Wait()
			lines := out.lines(t)
			require.Len(t, lines, 2*n)
			for _, line := range lines {
				assert.Equal(t, map[any]string{"alpha": alpha, "beta": beta, "gamma": gamma}[line["msg"]], classified(line))
			}
		})
	}
}
