package classify

import (
	"time"

	"github.com/errclass/errclass/classify/internal/collect/hint"
)

// ParseRetryAfter parses the value of a Retry-After header (RFC 9110 10.2.3). It
// accepts these forms:
//
//   - a number of seconds, with or without a fraction
//   - an HTTP-date in any of its three forms
//   - a Unix time in seconds, if the number is at least 1e9
//   - a Unix time in milliseconds, if the number is from 1e12 to below 1e15
//   - a duration such as "6m0s" or "20ms", as in reset headers of providers
//   - an RFC 3339 time
//
// For a date or a Unix time, wait is the time from now until then. For a negative
// number or a time in the past, wait is 0. In every case, wait is at most a year.
//
// If the value has none of these forms, ok is false. If the value is longer than 256
// bytes, ok is false too.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	return hint.ParseRetryAfter(value, now)
}
