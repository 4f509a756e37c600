package classify

import (
	"time"

	"github.com/errclass/errclass/classify/internal/collect/hint"
)

// ParseRetryAfter parses the value of a Retry-After header (RFC 9110 10.2.3): a
// number of seconds, also fractional, or an HTTP-date in any of its three forms. It
// also parses the values of providers' reset headers: durations ("6m0s", "20ms"),
// RFC 3339 times and Unix times. A number of at least 1e9 is a Unix time in
// seconds. A number of at least 1e12 is a Unix time in milliseconds. If the
// value is a date or a Unix time, wait is the time from now until then.
//
// wait is 0 for a negative number and for a time in the past. It is at most a year.
// ok is false if value has none of these forms or is longer than 256 bytes.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	return hint.ParseRetryAfter(value, now)
}
