package classify

import (
	"context"
	"errors"
)

// Cause returns what belongs into [Evidence.Cause]: nil while ctx has not ended,
// then ctx.Err(), joined with context.Cause(ctx) if that is another error. It
// needs both: the cause is the error that calls return, ctx.Err() tells whether a
// deadline passed or somebody cancelled. A nil ctx has not ended.
//
//	res := classify.Standard.Classify(classify.Evidence{Err: err, Cause: classify.Cause(ctx)})
func Cause(ctx context.Context) (ended error) {
	if ctx == nil {
		return nil
	}
	defer ignorePanic() // ctx may be of a foreign type
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && !same(cause, err) {
		return errors.Join(cause, err)
	}
	return err
}
