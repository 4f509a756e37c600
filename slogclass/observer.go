package slogclass

import (
	"context"
	"errors"
	"log/slog"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// observer is a function given to WithObserver.
type observer = func(context.Context, slog.Record, classify.Result)

// observe calls the observers. It returns err, joined with their panics.
func (h *Handler) observe(ctx context.Context, r *slog.Record, res *classify.Result, err error) error {
	for _, o := range h.cfg.observers {
		err = join(err, callObserver(ctx, o, r, res))
	}
	return err
}

// callObserver calls an observer and turns its panic into an error.
func callObserver(ctx context.Context, o observer, r *slog.Record, res *classify.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("slogclass: an observer panicked, see WithObserver: " + bound.Panic(p))
		}
	}()
	o(ctx, *r, *res)
	return nil
}

// join joins two errors. If one is nil, the other error is returned unchanged.
func join(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return errors.Join(a, b)
	}
}
