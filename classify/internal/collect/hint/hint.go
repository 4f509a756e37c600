// Package hint reads how long a provider asks to wait.
package hint

import (
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/ascii"
)

// MaxWait is the longest wait that is reported. What asks for more (a counter
// that overflowed, a date in another century) is cut to it: no caller may wait
// that long, but that somebody asked stays known.
const MaxWait = 365 * 24 * time.Hour

// longWait is from when on a rate limit is no longer one that a retry
// outlives: see [retryHint.exhausted].
const longWait = time.Hour

// Hint is what a provider says about when to call again.
type Hint struct {
	Explicit    time.Duration // the longest of headers, RetryInfo and text
	hasExplicit bool
	Derived     time.Duration // the longest reset of a limit that is used up
	hasDerived  bool
	said        time.Duration // the longest wait that words or RetryInfo name, with its unit
}

// AddExplicit takes a wait into account that the provider asks for.
func (h *Hint) AddExplicit(wait time.Duration) {
	h.Explicit, h.hasExplicit = max(h.Explicit, wait), true
}

// AddDerived takes the reset of a limit into account that is used up.
func (h *Hint) AddDerived(wait time.Duration) {
	h.Derived, h.hasDerived = max(h.Derived, wait), true
}

// Resolve gives the hint that counts for an error with the given reason. A
// derived hint is one for rate limits only: providers send the reset of their
// limits with every answer.
func (h Hint) Resolve(r signal.Reason) (wait time.Duration, ok, derived bool) {
	if h.hasExplicit {
		return h.Explicit, true, false
	}
	if h.hasDerived && r == signal.ReasonRateLimit {
		return h.Derived, true, true
	}
	return 0, false, false
}

// Exhausted reports whether the provider says of a rate limit that it stays
// shut for more than an hour, which is a spent quota. Only words and RetryInfo
// say so; a Retry-After header alone does not, nor does its copy in a log.
func (h Hint) Exhausted() bool { return h.said > longWait }

// LongestHeader is the length beyond which a value is no wait, no date and no
// number.
const LongestHeader = 256

// ParseRetryAfter is classify.ParseRetryAfter.
func ParseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	if len(value) > LongestHeader {
		return 0, false
	}
	value = strings.TrimSpace(value)
	if n, ok := ParseNumber(value); ok {
		return numberWait(n, now), true
	}
	if n, end, ok := scanDuration(value); ok && end == len(value) {
		return WaitSeconds(n), true
	}
	if at, ok := ParseDate(value, now); ok {
		return until(at, now), true
	}
	return 0, false
}

// numberWait is the wait that a number without a unit stands for.
func numberWait(n float64, now time.Time) time.Duration {
	switch {
	case n >= 1e15: // no time of this age; as a number of seconds it is cut
		return MaxWait
	case n >= 1e12:
		return until(time.UnixMilli(int64(n)), now)
	case n >= 1e9:
		return until(time.Unix(int64(n), 0), now)
	default:
		return WaitSeconds(n)
	}
}

// WaitSeconds is a wait of n seconds, between 0 and [maxWait].
func WaitSeconds(n float64) time.Duration {
	switch {
	case !(n > 0):
		return 0
	case n >= MaxWait.Seconds():
		return MaxWait
	default:
		return time.Duration(n * float64(time.Second)).Round(time.Microsecond)
	}
}

// until is the wait from now until at, between 0 and [maxWait].
func until(at, now time.Time) time.Duration {
	return min(max(at.Sub(now), 0), MaxWait)
}

// ParseNumber reads digits with at most one point and a sign: not "inf", not
// "0x10", not "1e9", which strconv would take.
func ParseNumber(s string) (float64, bool) {
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

// ParseDate reads a date. A year of two digits that is more than fifty years
// ahead is one of the last century (RFC 9110 5.6.7).
func ParseDate(s string, now time.Time) (time.Time, bool) {
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
	case ascii.IsDigit(s[0]):
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
