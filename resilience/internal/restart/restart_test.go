package restart_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience/internal/restart"
)

// Stored tasks are found by their ids, so the id of a task must not change.
func TestID(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "b0bd78e15a23114a5f413f116aedea3f", restart.ID("kind", "key"))
	assert.NotEqual(t, restart.ID("a", `"b`), restart.ID(`a"`, "b"))
	one := restart.ID("kind", "")
	assert.NotEqual(t, one, restart.ID("kind", ""), "without a key")
}

func TestRun(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	require.ErrorIs(t, restart.Run(t.Context(), func(context.Context, []byte) error { return failed }, nil), failed)
	require.EqualError(t, restart.Run(t.Context(), func(context.Context, []byte) error { panic("x") }, nil), "the function panicked: x")
}

type panics struct{}

func (*panics) Error() string { panic("x") }

func TestErrorText(t *testing.T) {
	t.Parallel()
	assert.Empty(t, restart.ErrorText(nil))
	assert.Equal(t, "failed", restart.ErrorText(errors.New("failed")))
	assert.Equal(t, "*restart_test.panics", restart.ErrorText(&panics{}))
}
