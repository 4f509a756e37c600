// Package hint reads how long a provider asks to wait: the waiting time.
package hint

import (
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/internal/ascii"
)

// MaxWait is the longest waiting time that is reported. A longer one is reduced to
// MaxWait.
const MaxWait = 365 * 24 * time.Hour

// longWait is the longest waiting time for which [Hint.Exhausted] returns false.
const longWait = time.Hour

// Hint collects what a provider says about when to call again.
type Hint struct {
	Explicit    time.Duration // the longest wait in headers, RetryInfo and texts
	hasExplicit bool
	Derived     time.Duration // the longest wait until a used-up limit is reset
	hasDerived  bool
	withUnit    time.Duration // the longest wait that a text or RetryInfo gives with a unit
}

// AddExplicit adds a waiting time that the provider asks for.
func (h *Hint) AddExplicit(wait time.Duration) {
	h.Explicit, h.hasExplicit = max(h.Explicit, wait), true
}

// AddDerived adds a waiting time that was computed from the time at which a rate limit
// is reset.
func (h *Hint) AddDerived(wait time.Duration) {
	h.Derived, h.hasDerived = max(h.Derived, wait), true
}

// Resolve returns the waiting time for an error with reason r. derived reports
// whether this time was computed from a reset header. A derived time counts only for a
// rate limit.
func (h Hint) Resolve(r signal.Reason) (wait time.Duration, ok, derived bool) {
	if h.hasExplicit {
		return h.Explicit, true, false
	}
	if h.hasDerived && r == signal.ReasonRateLimit {
		return h.Derived, true, true
	}
	return 0, false, false
}

// Exhausted reports whether the provider asks to wait for more than an hour. Then a
// rate limit counts as a spent quota.
//
// Only a waiting time with a unit counts, such as "2 hours" in a text or the retryDelay
// "7200s" of a RetryInfo. Neither a Retry-After header nor its copy in a log counts.
func (h Hint) Exhausted() bool { return h.withUnit > longWait }

// LongestHeader is the length of the longest header value that is parsed, in
// bytes.
const LongestHeader = 256

// ParseRetryAfter implements classify.ParseRetryAfter.
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

// numberWait returns the waiting time for a number without a unit. Large numbers are
// Unix times.
func numberWait(n float64, now time.Time) time.Duration {
	switch {
	case n >= 1e15: // too large for a Unix time, so these are seconds
		return MaxWait
	case n >= 1e12:
		return until(time.UnixMilli(int64(n)), now)
	case n >= 1e9:
		return until(time.Unix(int64(n), 0), now)
	default:
		return WaitSeconds(n)
	}
}

// WaitSeconds returns a duration of n seconds, but at least 0 and at most [MaxWait].
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

// until returns the time from now to t, but at least 0 and at most [MaxWait].
func until(t, now time.Time) time.Duration {
	return min(max(t.Sub(now), 0), MaxWait)
}

// ParseNumber parses a number of digits, with at most one point and one sign. It
// refuses "inf", "0x10" and "1e9".
func ParseNumber(s string) (float64, bool) {
	digits := strings.TrimLeft(s, "+-")
	if digits == "" || len(s)-len(digits) > 1 || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && (n == 0 || n-n == 0) { // a number out of range is infinite, and valid
		return 0, false
	}
	return n, true
}

// These are two of the three layouts of an HTTP-date. The third is time.ANSIC (RFC
// 9110 5.6.7).
const (
	imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850     = "Monday, 02-Jan-06 15:04:05 GMT"
)

// ParseDate parses a date. If a date with a two-digit year seems more than fifty years
// ahead, ParseDate returns the date a hundred years earlier (RFC 9110 5.6.7).
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

// layoutOf returns the only layout that s can have. Trying all layouts would be
// slow, because a failed time.Parse allocates.
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
