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

// panicky panics wherever it is asked.
type panicky struct{}

func (panicky) Error() string { panic("Error") }
func (panicky) Unwrap() error { panic("Unwrap") }
func (panicky) As(any) bool   { panic("As") }

// looking is a StatusError to errors.As alone.
type looking struct{ as *modelerrors.StatusError }

func (looking) Error() string { return "looks like one" }
func (l looking) As(target any) bool {
	p, ok := target.(**modelerrors.StatusError)
	if ok {
		*p = l.as
	}
	return ok
}

// What only says that it is a StatusError is one.
func TestAs(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("outer: %w", looking{&modelerrors.StatusError{StatusCode: 503}})
	assert.Equal(t, 503, modelerrors.ExtractHTTPStatusCode(err))
	assert.True(t, modelerrors.IsRetryableModelError(err))
	assert.Zero(t, modelerrors.ExtractHTTPStatusCode(looking{nil}))
}

// No error may bring a retry loop down, or keep it for ever.
func TestHostile(t *testing.T) {
	t.Parallel()
	circle := &modelerrors.StatusError{StatusCode: 503}
	circle.Err = circle
	overflow := &modelerrors.ContextOverflowError{}
	overflow.Underlying = fmt.Errorf("again: %w", overflow)
	joined := &modelerrors.ContextOverflowError{}
	joined.Underlying = errors.Join(say("x"), joined)
	var noStatus *modelerrors.StatusError
	var noOverflow *modelerrors.ContextOverflowError
	wide := make([]error, 5000)
	for i := range wide {
		wide[i] = say("boom")
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
		{"panics, beside a status", errors.Join(panicky{}, status(503, say("x"))), 503, true, false},
		{"a status that wraps itself", circle, 503, true, false},
		{"an overflow that wraps itself", overflow, 0, false, true},
		{"an overflow that joins itself", joined, 0, false, true},
		{"a nil status", noStatus, 0, false, false},
		{"a nil overflow", noOverflow, 0, false, true},
		{"thousands", errors.Join(wide...), 0, false, false},
		{"a long text", say(strings.Repeat("HTTP 500 ", 1<<16)), 500, true, false},
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
