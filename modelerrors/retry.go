package modelerrors

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/resilience"
)

// Defaults for retry loops.
const (
	// DefaultRetries is the number of retries per model, after the first call.
	DefaultRetries = 2
	// DefaultCooldown is one minute. For this time after an error that is not
	// retryable, each call tries the fallback model first.
	DefaultCooldown = resilience.DefaultFallbackCooldown
	// MaxRetryAfterWait is 60 s. It is the longest pause that callers should accept
	// from a Retry-After header. This package does not apply the limit.
	MaxRetryAfterWait = resilience.MaxRetryAfterWait
)

var backoff = resilience.ShortSchedule.Schedule()

// CalculateBackoff returns the pause after an attempt. Attempts are counted from 0.
// The pause is 200 ms · 2^attempt, at most 2 s, with ± 10 % jitter. A negative
// attempt counts as 0.
func CalculateBackoff(attempt int) time.Duration {
	return backoff.Delay(attempt, rand.Float64())
}

// ParseRetryAfterHeader returns the pause that a Retry-After header asks for. The
// value is a whole number of seconds or an HTTP date. All three date formats are
// accepted (RFC 9110 10.2.3). For a past date and for any other value, the result is
// 0. The result has no upper limit: see [MaxRetryAfterWait].
func ParseRetryAfterHeader(value string) time.Duration {
	value = strings.TrimSpace(value)
	if strings.Trim(value, "0123456789") == "" && value != "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > math.MaxInt64/int64(time.Second) {
			return math.MaxInt64
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, time.Until(at))
}

// SleepWithContext waits for d or until ctx ends. It reports whether it waited for
// all of d.
func SleepWithContext(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
