package slogclass_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/slogclass"
)

// counting is a handler that counts the calls of WithAttrs and WithGroup. It writes
// nothing.
type counting struct{ derived *int }

func (counting) Enabled(context.Context, slog.Level) bool  { return true }
func (counting) Handle(context.Context, slog.Record) error { return nil }
func (c counting) WithAttrs([]slog.Attr) slog.Handler      { *c.derived++; return c }
func (c counting) WithGroup(string) slog.Handler           { *c.derived++; return c }

// After n calls of With under a group, the total cost must have grown linearly with n.
// The test counts the allocations and the calls that derive the next handler.
func TestHandlerNestedWithIsLinear(t *testing.T) {
	err := [2]error{errors.New("alpha"), errors.New("beta")}
	fork := func(l *slog.Logger, n int) []*slog.Logger {
		var all []*slog.Logger
		for i := range n {
			all = append(all, l.With("child", i))
		}
		return all
	}
	shapes := []struct {
		name string
		do   func(l *slog.Logger, n int)
	}{
		{"an error at each", func(l *slog.Logger, n int) {
			for i := range n {
				l = l.With("n", i)
				l.Error("failed", "err", err[0])
			}
		}},
		{"an error at each, all loggers kept", func(l *slog.Logger, n int) {
			kept := []*slog.Logger{l}
			for i := range n {
				l = l.With("n", i)
				l.Error("failed", "err", err[0])
				kept = append(kept, l)
			}
			for _, l := range kept {
				l.Error("failed", "err", err[1])
			}
		}},
		{"two kinds of errors in turn", func(l *slog.Logger, n int) {
			for i := range n {
				l = l.With("n", i)
				l.Error("failed", "err", err[i%2])
			}
		}},
		{"an error at every tenth", func(l *slog.Logger, n int) {
			for i := range n {
				if l = l.With("n", i); i%10 == 0 {
					l.Error("failed", "err", err[0])
				}
			}
		}},
		{"one error at the end", func(l *slog.Logger, n int) {
			for i := range n {
				l = l.With("n", i)
			}
			l.Error("failed", "err", err[0])
		}},
		{"groups", func(l *slog.Logger, n int) {
			for range n {
				l = l.WithGroup("g").With("a", 1)
				l.Error("failed", "err", err[0])
			}
		}},
		{"children of a deep logger", func(l *slog.Logger, n int) {
			for i := range n {
				l = l.With("n", i)
			}
			for _, child := range fork(l, n) {
				child.Error("failed", "err", err[0])
			}
			l.Error("failed", "err", err[0])
		}},
		{"grandchildren of a deep logger", func(l *slog.Logger, n int) {
			for i := range n {
				l = l.With("n", i)
			}
			for i := range n {
				l.With("child", i).With("grandchild", i).Error("failed", "err", err[0])
			}
			l.Error("failed", "err", err[1])
		}},
	}
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			measure := func(n int) (calls, allocs float64) {
				derived := 0
				allocs = testing.AllocsPerRun(1, func() {
					derived = 0
					h := slogclass.New(counting{&derived}, slogclass.WithClassifier(testClassifier))
					tt.do(slog.New(h).WithGroup("g"), n)
				})
				return float64(derived), allocs
			}
			calls, allocs := measure(250)
			for _, n := range []int{1000, 4000} {
				c, a := measure(n)
				assert.LessOrEqual(t, c, 4.5*calls, "calls at %d", n)
				assert.LessOrEqual(t, a, 4.5*allocs, "allocations at %d", n)
				calls, allocs = c, a
			}
		})
	}
}
