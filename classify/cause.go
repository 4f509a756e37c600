package classify

import (
	"context"
	"errors"

	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// Cause returns the value for [Evidence.Cause]. It is nil while ctx has not ended,
// and for a nil ctx. After that it is ctx.Err(). If context.Cause(ctx) is a
// different error, Cause joins the two: a failed call may return either, and only
// ctx.Err() tells a deadline from a cancellation.
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
