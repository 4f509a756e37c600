package otelclass

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// observer is told about an error. See WithObserver.
type observer = func(context.Context, Signal, classify.Result)

// observe calls the observers and returns the panics of those that panicked.
func (c *config) observe(ctx context.Context, signal Signal, res classify.Result) (err error) {
	for _, o := range c.observers {
		err = join(err, tell(ctx, o, signal, res))
	}
	return err
}

// tell calls an observer and turns its panic into an error.
func tell(ctx context.Context, o observer, signal Signal, res classify.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &failure{kind: "observer_panic", text: "an observer panicked, see WithObserver: " + bound.Panic(p)}
		}
	}()
	o(ctx, signal, res)
	return nil
}

// join is errors.Join that leaves a lone error as it is.
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

// unreported keeps the first error that its owner has nobody to return to, for
// the next call that has.
type unreported struct{ first atomic.Pointer[error] }

func (u *unreported) keep(err error) {
	if err != nil {
		u.first.CompareAndSwap(nil, &err)
	}
}

// take returns what is kept, once.
func (u *unreported) take() error {
	if u.first.Load() == nil {
		return nil // no write where there is nothing
	}
	if err := u.first.Swap(nil); err != nil {
		return *err
	}
	return nil
}
