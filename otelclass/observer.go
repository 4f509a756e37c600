package otelclass

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// observer is a function given to WithObserver.
type observer = func(context.Context, Signal, classify.Result)

// observe calls the observers and returns their panics as errors.
func (c *config) observe(ctx context.Context, signal Signal, res classify.Result) (err error) {
	for _, o := range c.observers {
		err = join(err, callObserver(ctx, o, signal, res))
	}
	return err
}

// callObserver calls an observer and turns its panic into an error.
func callObserver(ctx context.Context, o observer, signal Signal, res classify.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &failure{kind: "observer_panic", text: "an observer panicked, see WithObserver: " + bound.Panic(p)}
		}
	}()
	o(ctx, signal, res)
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

// pendingError stores the first error until a method can return it.
type pendingError struct{ first atomic.Pointer[error] }

func (p *pendingError) keep(err error) {
	if err != nil {
		kept := err // only this copy is on the heap
		p.first.CompareAndSwap(nil, &kept)
	}
}

// take removes the stored error and returns it.
func (p *pendingError) take() error {
	if p.first.Load() == nil {
		return nil // avoids the write
	}
	if err := p.first.Swap(nil); err != nil {
		return *err
	}
	return nil
}
