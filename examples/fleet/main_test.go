package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain runs the worker instead of the tests if the environment variable
// asWorker is set.
func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// With sharing, no call of a small fleet fails. After the circuit breakers have opened,
// all workers together send at most two requests within 250 ms to the failing endpoint.
func TestRun(t *testing.T) {
	t.Parallel()
	p := plan{workers: 5, calm: 500 * time.Millisecond, trouble: 5 * time.Second, rest: 4 * time.Second}
	addr, _, stop, err := startServer(t.Context())
	require.NoError(t, err)
	defer stop()
	f, err := round(t.Context(), p, addr)
	require.NoError(t, err)
	away, limited := f.byPath[awayPath], f.byPath[limitedPath]
	assert.LessOrEqual(t, away.atOnce, 2, "trials at the same time")
	assert.Positive(t, away.late, "trials")
	assert.LessOrEqual(t, away.late, 4, "trials")
	assert.Equal(t, p.workers, away.recovered)
	assert.Equal(t, p.workers, limited.recovered)
	assert.Positive(t, f.answered)
	assert.Zero(t, f.failed)

	var text bytes.Buffer
	report(&text, f, f)
	assert.Contains(t, text.String(), "time to recover")
}
