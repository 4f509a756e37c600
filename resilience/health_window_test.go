package resilience

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The counts of the window must equal those of a plain list.
func TestHealthWindow(t *testing.T) {
	t.Parallel()
	const size = int64(HealthWindow / time.Second)
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			when   int64
			counts healthCounts
		}
		var all []entry
		var w healthWindow
		now := int64(0)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			now += rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 2*size), rapid.Just(size)).Draw(t, "step")
			when := now - rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(-5, 2*size)).Draw(t, "ago")
			c := healthCounts{calls: 1, failed: rapid.IntRange(0, 1).Draw(t, "failed"), latency: time.Duration(rapid.IntRange(0, 9).Draw(t, "latency"))}
			w.add(now, when, c)
			if when = min(when, now); when >= 0 {
				all = append(all, entry{when, c})
			}
			var want healthCounts
			for _, e := range all {
				if e.when > now-size {
					want.add(e.counts)
				}
			}
			if got := w.advance(now); got != want {
				t.Fatalf("at %d: got %+v, want %+v", now, got, want)
			}
		}
	})
}

// If the clock goes backwards, no outcome is lost.
func TestHealthWindowBackwards(t *testing.T) {
	t.Parallel()
	var w healthWindow
	w.add(100, 100, healthCounts{calls: 1})
	w.add(50, 50, healthCounts{calls: 1})
	assert.Equal(t, healthCounts{calls: 2}, w.advance(40))
}
