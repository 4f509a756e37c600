package slogclass_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// changing is a LogValuer that returns its values in order. The last value repeats.
// For a nil value, LogValue panics. calls is atomic, because parallel tests may share
// a LogValuer within a group.
type changing struct {
	calls  *atomic.Int64
	values []any
}

func (c changing) LogValue() slog.Value {
	call := int(c.calls.Add(1)) - 1
	v := c.values[min(call, len(c.values)-1)]
	if v == nil {
		panic("boom")
	}
	return slog.AnyValue(v)
}

func valuer(values ...any) changing { return changing{new(atomic.Int64), values} }

func group(args ...any) slog.Value { return slog.Group("", args...).Value }

// changingError is an error and a LogValuer.
type changingError struct {
	changing
	error
}

func TestHandlerInlineLogValuer(t *testing.T) {
	t.Parallel()
	const cat, reason = slogclass.CategoryKey, slogclass.ReasonKey
	tests := []struct {
		name  string
		attr  func(changing) slog.Attr
		value changing
		want  string
	}{
		{"a category", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group(cat, "mine")), "mine/rate_limit"},
		{"both", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group(cat, "mine", reason, "own")), "mine/own"},
		{"neither", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group("a", 1)), alpha},
		{"in a nameless group", func(v changing) slog.Attr { return slog.Group("", slog.Group("", slog.Any("", v))) }, valuer(group(cat, "mine")), "mine/rate_limit"},
		{"that returns a LogValuer", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(valuer(group(reason, "own"))), "retryable/own"},
		{"whose group holds one", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group("", valuer(group(reason, "own")))), "retryable/own"},
		{"in a named group", func(v changing) slog.Attr { return slog.Group("g", slog.Any("", v)) }, valuer(group(cat, "mine")), alpha},
		{"that has the keys at the second call", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group("a", 1), group(cat, "mine")), alpha},
		{"that has them at the first call", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(group(cat, "mine"), group("a", 1)), "mine/rate_limit"},
		{"that panics", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(nil), alpha},
		{"that returns an error", func(v changing) slog.Attr { return slog.Any("", v) }, valuer(errors.New("beta")), alpha},
		{"that is an error", func(v changing) slog.Attr { return slog.Any("", changingError{v, errors.New("beta")}) }, valuer(group(reason, "own")), "fatal/own"},
		{"under a key", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer("mine"), "mine/rate_limit"},
		{"under a key, an empty group", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer(group()), alpha},
		{"under a key, a group of empty groups", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer(group(slog.Group("a"), slog.Group("b", slog.Group("c")))), alpha},
		{"under a key, whose only member is an empty one", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer(group("a", valuer(group()))), alpha},
		{"under a key, whose only member is an empty one, without a key", func(v changing) slog.Attr { return slog.Any(reason, v) }, valuer(group("", valuer(group()))), alpha},
		{"under a key, empty at the fourth level", func(v changing) slog.Attr { return slog.Any(reason, v) },
			valuer(group("a", valuer(group(slog.Group("b", "c", valuer(group())))))), alpha},
		{"under a key, empty and then not", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer(group("a", valuer(group()), "b", valuer("mine"))), "map[b:mine]/rate_limit"},
		{"under a key, at the third level", func(v changing) slog.Attr { return slog.Any(cat, v) }, valuer(group("a", valuer(group("b", valuer(7))))), "map[a:map[b:7]]/rate_limit"},
		{"in a group under a key, an empty one", func(v changing) slog.Attr { return slog.Group(cat, "a", v) }, valuer(group()), alpha},
		{"in a group under a key", func(v changing) slog.Attr { return slog.Group(cat, "a", v) }, valuer("mine"), "map[a:mine]/rate_limit"},
		{"in a group under a key, nil", func(v changing) slog.Attr { return slog.Group(cat, "", v) }, valuer(slog.AnyValue(nil)), alpha},
		{"in a group under a key, in a nameless group", func(v changing) slog.Attr { return slog.Group("", slog.Group(reason, "a", v)) }, valuer(group()), alpha},
		{"under a key, empty at the second call", func(v changing) slog.Attr { return slog.Group(cat, "a", v) }, valuer("mine", group()), "map[a:mine]/rate_limit"},
		{"under a key, empty at the first call", func(v changing) slog.Attr { return slog.Group(cat, "a", v) }, valuer(group(), "mine"), alpha},
	}
	for _, tt := range tests {
		for _, with := range []bool{false, true} {
			name := tt.name + ", in the record"
			if with {
				name = tt.name + ", with With"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				logger, out := newLogger()
				bareOut := &output{}
				bare := slog.New(jsonHandler(bareOut))
				value := func() changing { return changing{new(atomic.Int64), tt.value.values} }
				ours, theirs := value(), value()
				for i := range 3 {
					if i == 0 && with {
						logger, bare = logger.With(tt.attr(ours)), bare.With(tt.attr(theirs))
					}
					var args []any
					if !with {
						ours, theirs = value(), value()
						args = []any{tt.attr(ours)}
					}
					logger.Error("alpha", args...)
					if !with {
						args = []any{tt.attr(theirs)}
					}
					bare.Error("alpha", args...)
					assert.LessOrEqual(t, ours.calls.Load(), theirs.calls.Load(), "no more calls than slog's own handler makes")
				}
				lines, want := out.lines(t), bareOut.lines(t)
				require.Len(t, lines, 3)
				for i, line := range lines {
					assert.Equal(t, tt.want, classified(line), out)
					line, want[i] = pruned(line), pruned(want[i])
					for _, key := range []string{cat, reason} {
						if _, own := want[i][key]; !own {
							delete(line, key)
						}
					}
					if tt.name != "that panics" { // the stacks differ
						assert.Equal(t, want[i], line)
					}
				}
			})
		}
	}
}

// LogValue is not called for a record below the level, or under a group.
func TestHandlerLeavesLogValuersAlone(t *testing.T) {
	t.Parallel()
	value := valuer(group(slogclass.CategoryKey, "mine"))
	h := slogclass.New(slog.DiscardHandler, slogclass.WithClassifier(testClassifier))
	var r slog.Record
	r.AddAttrs(slog.Any("", value))
	require.NoError(t, h.Handle(t.Context(), r))
	r.Level = slog.LevelError
	require.NoError(t, h.WithGroup("g").Handle(t.Context(), r))
	r = slog.Record{Level: slog.LevelError}
	r.AddAttrs(slog.Any("a", value), slog.Group("g", slog.Any("", value)))
	require.NoError(t, h.Handle(t.Context(), r))
	assert.Zero(t, value.calls.Load())
}

// Each of these groups contains the next one twice, so the first has 2^40 members.
func TestHandlerGroupsThatShareMembers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "g"} {
		shared := slog.Group(key, "a", 1)
		for range 40 {
			shared = slog.Group(key, shared, shared)
		}
		h := slogclass.New(slog.DiscardHandler, slogclass.WithClassifier(testClassifier))
		r := slog.Record{Level: slog.LevelError, Message: "alpha"}
		r.AddAttrs(shared, slog.Any("", valuer(group("b", 2))), slog.Attr{Key: slogclass.CategoryKey, Value: shared.Value})
		require.NoError(t, h.Handle(t.Context(), r))
		h.WithAttrs([]slog.Attr{shared, slog.Any("", valuer(group("b", 2)))})
	}
}

// counted is a LogValuer that counts its calls.
type counted struct {
	calls *int
	value slog.Value
}

func (c counted) LogValue() slog.Value { *c.calls++; return c.value }

// Each of these LogValuers returns the next one twice, so the first has 2^40
// members. The Handler calls only some of them.
func TestHandlerLogValuersThatShareMembers(t *testing.T) {
	t.Parallel()
	wide := make([]slog.Attr, 5000)
	for i := range wide {
		wide[i] = slog.Int("a", i)
	}
	for _, key := range []string{"", slogclass.CategoryKey} {
		for _, inner := range []string{"", "g"} {
			for _, last := range [][]slog.Attr{{}, wide} {
				calls := 0
				shared := slog.Any(inner, counted{&calls, slog.GroupValue()})
				for range 40 {
					shared = slog.Any(inner, counted{&calls, slog.GroupValue(append([]slog.Attr{shared, shared}, last...)...)})
				}
				out := &output{}
				h := slogclass.New(first{jsonHandler(out)}, slogclass.WithClassifier(testClassifier))
				shared.Key = key
				for range 2 {
					calls = 0
					r := slog.Record{Level: slog.LevelError, Message: "alpha"}
					r.AddAttrs(slog.Int("n", 1), shared, slog.Group(key, shared), slog.Group(key, shared))
					require.NoError(t, h.Handle(t.Context(), r))
					assert.LessOrEqual(t, calls, 1<<10, "calls of LogValue under %q", key)
				}
				calls = 0
				h.WithAttrs([]slog.Attr{slog.Int("n", 1), shared, slog.Group(key, shared)})
				assert.LessOrEqual(t, calls, 1<<10, "calls of LogValue under %q with With", key)
				for _, line := range out.lines(t) {
					if key == "" && inner == "g" { // the members are not at the root
						assert.Equal(t, "retryable", line[slogclass.CategoryKey])
					} else if len(last) == 0 {
						assert.NotContains(t, line, slogclass.CategoryKey, "a LogValuer that was not called may hold it")
					}
				}
			}
		}
	}
}

// first is a handler that keeps only the first attribute of each WithAttrs call.
type first struct{ slog.Handler }

func (f first) Handle(ctx context.Context, r slog.Record) error {
	passed := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		passed.AddAttrs(a)
		return false
	})
	return f.Handler.Handle(ctx, passed)
}

func (f first) WithAttrs(attrs []slog.Attr) slog.Handler {
	return first{f.Handler.WithAttrs(attrs[:1])}
}
