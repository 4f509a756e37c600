package slogclass_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/slogclass"
)

// masking has its own Handle, as many handlers of programs do. WithAttrs and WithGroup
// are the methods of the embedded handler, so the handlers that they return do not mask.
type masking struct{ slog.Handler }

func (h masking) Handle(ctx context.Context, r slog.Record) error {
	c := slog.NewRecord(r.Time, r.Level, strings.ReplaceAll(r.Message, "hunter2", "***"), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		c.AddAttrs(slog.String(a.Key, strings.ReplaceAll(a.Value.String(), "hunter2", "***")))
		return true
	})
	return h.Handler.Handle(ctx, c)
}

// maskingGroups also masks in groups.
type maskingGroups struct{ masking }

func (h maskingGroups) WithGroup(name string) slog.Handler {
	return maskingGroups{masking{h.Handler.WithGroup(name)}}
}

// deaf ignores the attributes of With.
type deaf struct{ *slog.JSONHandler }

func (h deaf) WithAttrs([]slog.Attr) slog.Handler { return h }

// unfinished panics at With.
type unfinished struct{ *slog.JSONHandler }

func (unfinished) WithAttrs([]slog.Attr) slog.Handler { panic("not implemented") }

// TestHandlerEmbedded checks that error records pass through the next handler's Handle,
// also if WithAttrs of that handler returns something else, or does nothing.
func TestHandlerEmbedded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		next  func(*slog.JSONHandler) slog.Handler
		group string
	}{
		{name: "own Handle", next: func(h *slog.JSONHandler) slog.Handler { return masking{h} }},
		{name: "pointer with its own Handle", next: func(h *slog.JSONHandler) slog.Handler { return &masking{h} }},
		{name: "own Handle and WithGroup", next: func(h *slog.JSONHandler) slog.Handler { return maskingGroups{masking{h}} }, group: "app"},
		{name: "WithAttrs returns the receiver", next: func(h *slog.JSONHandler) slog.Handler { return deaf{h} }},
		{name: "WithAttrs panics", next: func(h *slog.JSONHandler) slog.Handler { return unfinished{h} }},
	} {
		for _, opts := range [][]slogclass.Option{nil, {slogclass.WithDetails()}} {
			var plain, classified bytes.Buffer
			log := func(h slog.Handler) {
				if tt.group != "" {
					h = h.WithGroup(tt.group)
				}
				for range 6 { // the handler caches after a few records
					slog.New(h).Error("key hunter2", "err", errors.New("401 invalid api key hunter2"))
				}
			}
			log(tt.next(slog.NewJSONHandler(&plain, nil)))
			log(slogclass.New(tt.next(slog.NewJSONHandler(&classified, nil)), opts...))
			assert.Equal(t, strings.Count(plain.String(), "hunter2"), strings.Count(classified.String(), "hunter2"), tt.name)
			assert.Equal(t, 6, strings.Count(classified.String(), `"error.category":"fatal","error.reason":"authentication"`), "%s: %s", tt.name, classified.String())
		}
	}
}
