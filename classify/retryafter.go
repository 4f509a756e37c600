package classify

import (
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/signal"
)

// maxWait is the longest wait that is reported. What asks for more (a counter
// that overflowed, a date in another century) is cut to it: no caller may wait
// that long, but that somebody asked stays known.
const maxWait = 365 * 24 * time.Hour

// longWait is from when on a rate limit is no longer one that a retry
// outlives: see [retryHint.exhausted].
const longWait = time.Hour

// retryHint is what a provider says about when to call again.
type retryHint struct {
	explicit    time.Duration // the longest of headers, RetryInfo and text
	hasExplicit bool
	derived     time.Duration // the longest reset of a limit that is used up
	hasDerived  bool
	said        time.Duration // the longest wait that words or RetryInfo name, with its unit
}

// addExplicit takes a wait into account that the provider asks for.
func (h *retryHint) addExplicit(wait time.Duration) {
	h.explicit, h.hasExplicit = max(h.explicit, wait), true
}

// addDerived takes the reset of a limit into account that is used up.
func (h *retryHint) addDerived(wait time.Duration) {
	h.derived, h.hasDerived = max(h.derived, wait), true
}

// resolve gives the hint that counts for an error with the given reason. A
// derived hint is one for rate limits only: providers send the reset of their
// limits with every answer.
func (h retryHint) resolve(r signal.Reason) (wait time.Duration, ok, derived bool) {
	if h.hasExplicit {
		return h.explicit, true, false
	}
	if h.hasDerived && r == signal.ReasonRateLimit {
		return h.derived, true, true
	}
	return 0, false, false
}

// exhausted reports whether the provider says of a rate limit that it stays
// shut for more than an hour, which is a spent quota. Only words and RetryInfo
// say so; a Retry-After header alone does not, nor does its copy in a log.
func (h retryHint) exhausted() bool { return h.said > longWait }

// ParseRetryAfter parses the value of a Retry-After header (RFC 9110 10.2.3):
// seconds, also fractional, or an HTTP-date in any of its three forms. It also
// parses the values of providers' reset headers: durations ("6m0s", "20ms"),
// RFC 3339 times and Unix times. A number from 1e9 is a Unix time in seconds, one
// from 1e12 in milliseconds. Times are relative to now.
//
// A negative number and a time in the past give 0. The longest wait is a year.
// ok is false for any other value, and for a value of more than 256 bytes.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	if len(value) > longestHeader {
		return 0, false
	}
	value = strings.TrimSpace(value)
	if n, ok := parseNumber(value); ok {
		return numberWait(n, now), true
	}
	if n, end, ok := scanDuration(value); ok && end == len(value) {
		return waitSeconds(n), true
	}
	if at, ok := parseDate(value, now); ok {
		return until(at, now), true
	}
	return 0, false
}

// numberWait is the wait that a number without a unit stands for.
func numberWait(n float64, now time.Time) time.Duration {
	switch {
	case n >= 1e15: // no time of this age; as a number of seconds it is cut
		return maxWait
	case n >= 1e12:
		return until(time.UnixMilli(int64(n)), now)
	case n >= 1e9:
		return until(time.Unix(int64(n), 0), now)
	default:
		return waitSeconds(n)
	}
}

// waitSeconds is a wait of n seconds, between 0 and [maxWait].
func waitSeconds(n float64) time.Duration {
	switch {
	case !(n > 0):
		return 0
	case n >= maxWait.Seconds():
		return maxWait
	default:
		return time.Duration(n * float64(time.Second)).Round(time.Microsecond)
	}
}

// until is the wait from now until at, between 0 and [maxWait].
func until(at, now time.Time) time.Duration {
	return min(max(at.Sub(now), 0), maxWait)
}

// parseNumber reads digits with at most one point and a sign: not "inf", not
// "0x10", not "1e9", which strconv would take.
func parseNumber(s string) (float64, bool) {
	digits := strings.TrimLeft(s, "+-")
	if digits == "" || len(s)-len(digits) > 1 || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && (n == 0 || n-n == 0) { // out of range is a number, an infinite one
		return 0, false
	}
	return n, true
}

// The forms of an HTTP-date are these two and time.ANSIC (RFC 9110 5.6.7);
// layoutOf names what is also sent.
const (
	imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850     = "Monday, 02-Jan-06 15:04:05 GMT"
)

// parseDate reads a date. A year of two digits that is more than fifty years
// ahead is one of the last century (RFC 9110 5.6.7).
func parseDate(s string, now time.Time) (time.Time, bool) {
	if len(s) < len(time.ANSIC)-4 || len(s) > 40 {
		return time.Time{}, false
	}
	layout := layoutOf(s)
	at, err := time.Parse(layout, s)
	if err != nil {
		return time.Time{}, false
	}
	if layout == rfc850 && at.After(now.AddDate(50, 0, 0)) {
		at = at.AddDate(-100, 0, 0)
	}
	return at, true
}

// layoutOf returns the only layout that s may have: a failed time.Parse
// allocates, and a hostile text holds thousands of near dates.
func layoutOf(s string) string {
	switch zoned := s[3] == ','; {
	case isDigit(s[0]):
		return time.RFC3339
	case zoned && strings.HasSuffix(s, "GMT"):
		return imfFixdate
	case zoned && strings.HasSuffix(s, "UTC"):
		return "Mon, 02 Jan 2006 15:04:05 UTC"
	case zoned:
		return time.RFC1123Z
	case s[3] == ' ':
		return time.ANSIC
	default:
		return rfc850
	}
}
