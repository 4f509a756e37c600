package cputime_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/cputime"
)

func TestOf(t *testing.T) {
	t.Parallel()
	const pause = 20 * time.Millisecond
	slept := cputime.Of(func() { time.Sleep(pause) })
	if runtime.GOOS == "linux" {
		assert.Less(t, slept, pause/2, "sleeping takes no CPU time")
	}
	sum := 0
	assert.Positive(t, cputime.Of(func() {
		for i := range 1 << 20 {
			sum += i
		}
	}), "a loop takes CPU time")
	assert.Positive(t, sum)
}
