package slogclass_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

// changing is a LogValuer that returns the next of its values at each call, and
// the last one from then on. A nil value is a panic.
type changing struct {
	calls  *int
	values []any
}

func (c changing) LogValue() slog.Value {
	v := c.values[min(*c.calls, len(c.values)-1)]
	*c.calls++
	if v == nil {
		panic("boom")
	}
	return slog.AnyValue(v)
}

func valuer(values ...any) changing { return changing{new(int), values} }

func group(args ...any) slog.Value { return slog.Group("", args...).Value }

// changingError is a changing that is an error too.
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
				value := func() changing { return changing{new(int), tt.value.values} }
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
					assert.LessOrEqual(t, *ours.calls, *theirs.calls, "no more calls than slog's own handler makes")
				}
				lines, want := out.lines(t), bareOut.lines(t) // which refuse doubled keys
				require.Len(t, lines, 3)
				for i, line := range lines {
					assert.Equal(t, tt.want, classified(line), out)
					for _, key := range []string{cat, reason} {
						if _, own := want[i][key]; !own {
							delete(line, key)
						}
					}
					if tt.name != "that panics" { // the stack differs
						assert.Equal(t, want[i], line)
					}
				}
			})
		}
	}
}

// Below the level nothing is resolved, and under a group no key of the record is
// at the root.
func TestHandlerLeavesLogValuersAlone(t *testing.T) {
	t.Parallel()
	value := valuer(group(slogclass.CategoryKey, "mine"))
	h := slogclass.New(slog.DiscardHandler, slogclass.WithClassifier(words))
	var r slog.Record
	r.AddAttrs(slog.Any("", value))
	require.NoError(t, h.Handle(t.Context(), r))
	r.Level = slog.LevelError
	require.NoError(t, h.WithGroup("g").Handle(t.Context(), r))
	r = slog.Record{Level: slog.LevelError}
	r.AddAttrs(slog.Any("a", value), slog.Group("g", slog.Any("", value)))
	require.NoError(t, h.Handle(t.Context(), r))
	assert.Zero(t, *value.calls)
}

// Groups that share their members have 2^40 of them: the handler below gives up
// (this one does not ask), and here the work is bounded.
func TestHandlerGroupsThatShareMembers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "g"} {
		shared := slog.Group(key, "a", 1)
		for range 40 {
			shared = slog.Group(key, shared, shared)
		}
		h := slogclass.New(slog.DiscardHandler, slogclass.WithClassifier(words))
		r := slog.Record{Level: slog.LevelError, Message: "alpha"}
		r.AddAttrs(shared, slog.Any("", valuer(group("b", 2))), slog.Attr{Key: slogclass.CategoryKey, Value: shared.Value})
		require.NoError(t, h.Handle(t.Context(), r))
		h.WithAttrs([]slog.Attr{shared, slog.Any("", valuer(group("b", 2)))})
	}
}
