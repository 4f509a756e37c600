package classify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// customContext is a context that has ended. Package context does not know this type.
type customContext struct{ context.Context }

var errCustom = errors.New("custom end")

func (customContext) Err() error { return errCustom }

func TestCauseOfContext(t *testing.T) {
	t.Parallel()
	own := errors.New("shutting down")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	withCause, cancelCause := context.WithCancelCause(t.Context())
	cancelCause(own)
	expired, cancelExpired := context.WithDeadlineCause(t.Context(), time.Time{}, own)
	defer cancelExpired()
	below, cancelBelow := context.WithCancel(withCause)
	defer cancelBelow()
	tests := []struct {
		name string
		ctx  context.Context
		want []error
	}{
		{"no context", nil, nil},
		{"alive", t.Context(), nil},
		{"cancelled", cancelled, []error{context.Canceled}},
		{"cancelled for a reason", withCause, []error{own, context.Canceled}},
		{"expired for a reason", expired, []error{own, context.DeadlineExceeded}},
		{"below one", below, []error{own, context.Canceled}},
		{"a type of its own", customContext{t.Context()}, []error{errCustom}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Cause(tt.ctx)
			if len(tt.want) == 0 {
				assert.NoError(t, got)
			}
			if len(tt.want) == 1 {
				assert.Equal(t, tt.want[0], got, "a single error is not wrapped")
			}
			for _, want := range tt.want {
				assert.ErrorIs(t, got, want)
			}
		})
	}
}

type panicking struct{ context.Context }

func (panicking) Err() error { panic("no") }

func TestCauseOfPanickingContext(t *testing.T) {
	t.Parallel()
	assert.NoError(t, classify.Cause(panicking{t.Context()}))
	assert.NoError(t, classify.Cause((*panicking)(nil)))
}

func ExampleCause() {
	draining := errors.New("the server is shutting down")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(draining)

	err := fmt.Errorf("load the profile: %w", context.Cause(ctx))
	res := classify.Standard.Classify(classify.Evidence{Err: err, Cause: classify.Cause(ctx)})
	fmt.Println(res.Category, res.Retryable())
	// Output: aborted false
}
