package slogclass_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/slogclass"
)

// op is a call of With or WithGroup.
type op struct {
	group string
	attrs []any
}

func (o op) apply(l *slog.Logger) *slog.Logger {
	if o.attrs != nil {
		return l.With(o.attrs...)
	}
	return l.WithGroup(o.group)
}

func (o op) String() string {
	if o.attrs != nil {
		return fmt.Sprintf("With%v", o.attrs)
	}
	return fmt.Sprintf("WithGroup(%q)", o.group)
}

// attrsGen returns a generator of attributes with unique keys. The keys begin with n,
// except for the keys of this package.
func attrsGen(n string) *rapid.Generator[[]any] {
	one := rapid.Custom(func(t *rapid.T) slog.Attr {
		key := n + rapid.StringMatching(`[a-c]`).Draw(t, "key")
		return rapid.SampledFrom([]slog.Attr{
			slog.String(key, "text"), slog.Int(key, 7), slog.Any(key, nil), {},
			slog.Any(key, errors.New("beta")), slog.Group(key, "x", 1, "err", errors.New("gamma")), slog.Group(key),
			slog.Group("", key, "inline"), slog.Any(key, valuerError{errors.New("delta")}),
			slog.String(slogclass.CategoryKey, "mine"), slog.String(slogclass.ReasonKey, "own"),
			slog.String(slogclass.RuleKey, "mine"), slog.Int(slogclass.RetryAfterMSKey, 7), slog.String(slogclass.FingerprintKey, "mine"),
			slog.Group("", slogclass.CategoryKey, "mine"), slog.Group("", slogclass.RuleKey, "mine"), slog.Group(key, slogclass.ReasonKey, "deep"),
		}).Draw(t, "attr")
	})
	return rapid.Custom(func(t *rapid.T) []any {
		attrs := rapid.SliceOfNDistinct(one, 0, 4, keyOf).Draw(t, "attrs")
		args := make([]any, len(attrs))
		for i, a := range attrs {
			args[i] = a
		}
		return args
	})
}

// keyOf returns the key under which a handler writes the attribute a.
func keyOf(a slog.Attr) string {
	if a.Value.Kind() == slog.KindGroup && a.Key == "" && len(a.Value.Group()) > 0 {
		return a.Value.Group()[0].Key
	}
	return a.Key
}

// ourKeys are the keys that a Handler may write.
var ourKeys = []string{slogclass.CategoryKey, slogclass.ReasonKey, slogclass.RuleKey, slogclass.ConfidenceKey, slogclass.RetryAfterMSKey, slogclass.FingerprintKey}

// A Handler's lines may differ from a JSON handler's lines only in the added keys.
func TestHandlerAgainstBare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bareOut, out := &output{}, &output{}
		bare := slog.New(jsonHandler(bareOut))
		opts := []slogclass.Option{slogclass.WithClassifier(testClassifier)}
		must := ourKeys[:2]
		if rapid.Bool().Draw(t, "details") {
			opts, must = append(opts, slogclass.WithDetails(), slogclass.WithFingerprint()), ourKeys
		}
		ours := slog.New(slogclass.New(jsonHandler(out), opts...))
		set := map[string]bool{} // the package's keys that an earlier With has set in the current object
		root, depth := true, rapid.IntRange(0, 14).Draw(t, "depth")
		loggers := [][2]*slog.Logger{{bare, ours}}
		for i := range depth {
			o := op{group: rapid.SampledFrom([]string{"", "g", "h", slogclass.CategoryKey, slogclass.ReasonKey}).Draw(t, "group")}
			if set[o.group] {
				o.group = "g" // otherwise the JSON handler would write a duplicate key
			}
			if rapid.Bool().Draw(t, "with") {
				o = op{attrs: attrsGen(fmt.Sprint(i)).Filter(func(args []any) bool { return fresh(args, set) }).Draw(t, "args")}
				if root {
					remember(o.attrs, set)
				}
			} else if o.group != "" {
				root, set = false, map[string]bool{} // each group is an object of its own
			}
			if o.attrs != nil && !root {
				remember(o.attrs, set)
			}
			bare, ours = o.apply(bare), o.apply(ours)
			loggers = append(loggers, [2]*slog.Logger{bare, ours})
		}
		args := attrsGen("r").Filter(func(args []any) bool { return fresh(args, set) }).Draw(t, "record")
		for range 6 { // some before the handler caches, some after
			bare.Error("alpha, try again in 2s", args...)
			ours.Error("alpha, try again in 2s", args...)
		}
		for _, pair := range loggers { // derived loggers must not change their parents
			pair[0].Error("alpha, try again in 2s")
			pair[1].Error("alpha, try again in 2s")
		}

		want, got := bareOut.lines(t), out.lines(t)
		require.Len(t, got, len(want))
		for i := range want {
			pruned(want[i])
			pruned(got[i])
			for _, key := range must {
				if key != slogclass.RetryAfterMSKey || got[i][slogclass.RuleKey] == "alpha" {
					assert.NotEmpty(t, got[i][key], key)
				}
			}
			for _, key := range must {
				if _, mine := want[i][key]; !mine {
					delete(got[i], key)
				}
			}
			assert.Equal(t, want[i], got[i])
		}
	})
}

// fresh reports whether none of the keys of args is in the map used.
func fresh(args []any, used map[string]bool) bool {
	for _, a := range args {
		if used[keyOf(a.(slog.Attr))] {
			return false
		}
	}
	return true
}

func remember(args []any, set map[string]bool) {
	for _, a := range args {
		if k := keyOf(a.(slog.Attr)); slices.Contains(ourKeys, k) {
			set[k] = true
		}
	}
}
