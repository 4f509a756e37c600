package classify

import (
	"context"
	"errors"

	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// Cause returns the value for [Evidence.Cause], which says how ctx has ended. If ctx is
// nil or has not ended, Cause returns nil. If context.Cause(ctx) and ctx.Err() are the
// same error, Cause returns this error. If they differ, Cause returns both, joined by
// [errors.Join].
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
