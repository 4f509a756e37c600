package modelerrors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/modelerrors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// panicky panics in every method.
type panicky struct{}

func (panicky) Error() string { panic("Error") }
func (panicky) Unwrap() error { panic("Unwrap") }
func (panicky) As(any) bool   { panic("As") }

// convertible has an As method that sets its target to a StatusError.
type convertible struct{ as *modelerrors.StatusError }

func (convertible) Error() string { return "convertible" }
func (c convertible) As(target any) bool {
	p, ok := target.(**modelerrors.StatusError)
	if ok {
		*p = c.as
	}
	return ok
}

// A StatusError is found even if the chain does not contain it, but an error of the
// chain has an As method that provides it.
func TestAs(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("outer: %w", convertible{&modelerrors.StatusError{StatusCode: 503}})
	assert.Equal(t, 503, modelerrors.ExtractHTTPStatusCode(err))
	assert.True(t, modelerrors.IsRetryableModelError(err))
	assert.Zero(t, modelerrors.ExtractHTTPStatusCode(convertible{nil}))
}

// No error makes a function of package modelerrors panic or loop forever.
func TestHostile(t *testing.T) {
	t.Parallel()
	circle := &modelerrors.StatusError{StatusCode: 503}
	circle.Err = circle
	overflow := &modelerrors.ContextOverflowError{}
	overflow.Underlying = fmt.Errorf("again: %w", overflow)
	joined := &modelerrors.ContextOverflowError{}
	joined.Underlying = errors.Join(textError("x"), joined)
	var noStatus *modelerrors.StatusError
	var noOverflow *modelerrors.ContextOverflowError
	wide := make([]error, 5000)
	for i := range wide {
		wide[i] = textError("boom")
	}
	for _, tt := range []struct {
		name      string
		err       error
		code      int
		retryable bool
		overflow  bool
	}{
		{"panics", panicky{}, 0, false, false},
		{"panics, wrapped by a status", status(503, panicky{}), 503, true, false},
		{"panics, beside a status", errors.Join(panicky{}, status(503, textError("x"))), 503, true, false},
		{"a status that wraps itself", circle, 503, true, false},
		{"an overflow that wraps itself", overflow, 0, false, true},
		{"an overflow that joins itself", joined, 0, false, true},
		{"a nil status", noStatus, 0, false, false},
		{"a nil overflow", noOverflow, 0, false, true},
		{"thousands", errors.Join(wide...), 0, false, false},
		{"a long text", textError(strings.Repeat("HTTP 500 ", 1<<16)), 500, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.code, modelerrors.ExtractHTTPStatusCode(tt.err))
			assert.Equal(t, tt.retryable, modelerrors.IsRetryableModelError(tt.err))
			assert.Equal(t, tt.overflow, modelerrors.IsContextOverflowError(tt.err))
			assert.NotPanics(t, func() { modelerrors.FormatError(tt.err) })
		})
	}
}
