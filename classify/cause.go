package classify

import (
	"context"
	"errors"

	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// Cause returns the value for [Evidence.Cause]: nil while ctx is alive, then
// ctx.Err(), joined with context.Cause(ctx) if that is a different error. Both are
// needed: calls return the cause, and ctx.Err() tells a deadline from a
// cancellation. A nil ctx is alive.
//
//	res := classify.Standard.Classify(classify.Evidence{Err: err, Cause: classify.Cause(ctx)})
func Cause(ctx context.Context) (ended error) {
	if ctx == nil {
		return nil
	}
	defer chain.IgnorePanic() // ctx may be of a foreign type
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && !chain.Same(cause, err) {
		return errors.Join(cause, err)
	}
	return err
}
