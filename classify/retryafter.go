package classify

import (
	"time"

	"github.com/errclass/errclass/classify/internal/collect/hint"
)

// ParseRetryAfter parses the value of a Retry-After header (RFC 9110 10.2.3):
// seconds, also fractional, or an HTTP-date in any of its three forms. It also
// parses the values of providers' reset headers: durations ("6m0s", "20ms"),
// RFC 3339 times and Unix times. A number from 1e9 is a Unix time in seconds, one
// from 1e12 in milliseconds. Times are relative to now.
//
// A negative number and a time in the past give 0. The longest wait is a year.
// ok is false for any other value, and for a value of more than 256 bytes.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	return hint.ParseRetryAfter(value, now)
}
