package modelerrors_test

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/modelerrors"
)

func TestConstants(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 2, modelerrors.DefaultRetries)
	assert.Equal(t, time.Minute, modelerrors.DefaultCooldown)
	assert.Equal(t, time.Minute, modelerrors.MaxRetryAfterWait)
}

func TestCalculateBackoff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		attempt int
		nominal time.Duration
	}{
		{"the first", 0, 200 * time.Millisecond},
		{"the second", 1, 400 * time.Millisecond},
		{"the third", 2, 800 * time.Millisecond},
		{"the fourth", 3, 1600 * time.Millisecond},
		{"the cap", 4, 2 * time.Second},
		{"far beyond the cap", 64, 2 * time.Second},
		{"the last", math.MaxInt, 2 * time.Second},
		{"a negative one", -1, 200 * time.Millisecond},
		{"the most negative one", math.MinInt, 200 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			low, high := time.Duration(math.MaxInt64), time.Duration(0)
			for range 1000 {
				d := modelerrors.CalculateBackoff(tt.attempt)
				low, high = min(low, d), max(high, d)
			}
			tenth := tt.nominal / 10
			assert.GreaterOrEqual(t, low, tt.nominal-tenth)
			assert.LessOrEqual(t, high, tt.nominal+tenth)
			// The lowest of 1,000 values must be in the lowest quarter of the range,
			// and the highest in the highest quarter. By chance, this fails with a
			// probability of about 10^-125.
			assert.Less(t, low, tt.nominal-tenth/2, "it is jittered downwards")
			assert.Greater(t, high, tt.nominal+tenth/2, "it is jittered upwards")
		})
	}
}

func TestParseRetryAfterHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := func(d time.Duration, layout string) string { return time.Now().Add(d).UTC().Format(layout) }
		for _, tt := range []struct {
			name, value string
			want        time.Duration
		}{
			{"nothing", "", 0},
			{"blanks", "  ", 0},
			{"words", "soon", 0},
			{"zero", "0", 0},
			{"negative", "-1", 0},
			{"signed", "+5", 0},
			{"a fraction", "1.5", 0},
			{"a duration", "5s", 0},
			{"hexadecimal", "0x10", 0},
			{"seconds", "5", 5 * time.Second},
			{"seconds, with blanks", " 30 ", 30 * time.Second},
			{"seconds, with zeros", "0120", 2 * time.Minute},
			{"longer than anyone waits", "7200", 2 * time.Hour},
			{"years", "99999999", 99999999 * time.Second},
			{"more than a Duration holds", "9223372037", math.MaxInt64},
			{"more than an integer holds", strings.Repeat("9", 40), math.MaxInt64},
			{"a date", in(10*time.Second, http.TimeFormat), 10 * time.Second},
			{"a date of RFC 850", in(10*time.Second, "Monday, 02-Jan-06 15:04:05 GMT"), 10 * time.Second},
			{"a date of asctime", in(10*time.Second, time.ANSIC), 10 * time.Second},
			{"a date far ahead", in(72*time.Hour, http.TimeFormat), 72 * time.Hour},
			{"now", in(0, http.TimeFormat), 0},
			{"a date in the past", in(-10*time.Second, http.TimeFormat), 0},
			{"a date of another kind", in(time.Hour, time.RFC3339), 0},
		} {
			assert.Equal(t, tt.want, modelerrors.ParseRetryAfterHeader(tt.value), "%s: %q", tt.name, tt.value)
		}
	})
}

func TestParseRetryAfterHeaderAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		if d := modelerrors.ParseRetryAfterHeader(value); d < 0 {
			t.Fatalf("a wait of %v", d)
		}
	})
}

func TestSleepWithContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		sleep   time.Duration
		cancel  time.Duration // 0 = never
		want    bool
		elapsed time.Duration
	}{
		{"it completes", 3 * time.Second, 0, true, 3 * time.Second},
		{"it is cancelled", time.Hour, 2 * time.Second, false, 2 * time.Second},
		{"it completes before it is cancelled", time.Second, 2 * time.Second, true, time.Second},
		{"nothing to sleep", 0, 0, true, 0},
		{"less than nothing to sleep", -time.Second, 0, true, 0},
		{"cancelled before", time.Hour, -1, false, 0},
		{"cancelled before, and nothing to sleep", 0, -1, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case tt.cancel < 0:
					cancel()
				case tt.cancel > 0:
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				assert.Equal(t, tt.want, modelerrors.SleepWithContext(ctx, tt.sleep))
				assert.Equal(t, tt.elapsed, time.Since(start))
			})
		})
	}
}

func TestSleepWithContextDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.False(t, modelerrors.SleepWithContext(ctx, time.Hour))
	})
}
