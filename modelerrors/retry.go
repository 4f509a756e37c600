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

// How a model is given up and returned to.
const (
	// DefaultRetries is how often a call to one model is repeated where its
	// errors are retryable: three calls in all.
	DefaultRetries = 2
	// DefaultCooldown, a minute, is how long to stay with a fallback model,
	// after an error that was not retryable, before the primary is tried again.
	DefaultCooldown = resilience.DefaultFallbackCooldown
	// MaxRetryAfterWait, 60 s, is the longest Retry-After to honour: a server
	// that is out of order must not hold its clients for hours. Nothing here
	// applies it; callers do, to what they are about to wait.
	MaxRetryAfterWait = resilience.MaxRetryAfterWait
)

var backoff = resilience.ShortSchedule.Schedule()

// CalculateBackoff returns how long to wait after attempt number attempt,
// counted from 0: 200 ms · 2^attempt, at most 2 s, ± 10 % at random. A negative
// attempt is taken for 0.
func CalculateBackoff(attempt int) time.Duration {
	return backoff.Delay(attempt, rand.Float64())
}

// ParseRetryAfterHeader reads the value of a Retry-After header: whole seconds,
// or an HTTP-date in any of its three forms (RFC 9110 10.2.3), of which the time
// until then is taken. It returns 0 for what is empty, neither of the two, zero,
// or past. What it returns is not capped, but for the longest Duration; see
// [MaxRetryAfterWait].
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

// SleepWithContext waits for d, or until ctx ends. It reports whether it has
// waited all of d: false where ctx had ended before, or ended meanwhile.
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
