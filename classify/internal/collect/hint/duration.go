package hint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// scanDuration reads a duration at the start of s, such as "34s" or "6m0s". It
// returns the seconds and the end offset.
func scanDuration(s string) (total float64, end int, ok bool) {
	at := 0
	for range maxParts {
		n, size := scanNumber(s[at:])
		if size == 0 {
			return total, end, ok
		}
		at += size
		at += spaces(s[at:])
		unit, size := scanUnit(s[at:])
		if size == 0 {
			return total, end, ok
		}
		at += size
		total, end, ok = total+n*unit, at, true
		at += spaces(s[at:])
		for _, separator := range [...]string{"and ", ", and ", ", "} {
			if len(s)-at > len(separator) && strings.EqualFold(s[at:at+len(separator)], separator) {
				at += len(separator)
				break
			}
		}
	}
	return total, end, ok
}

// maxParts is the largest number of parts of a duration: one for each unit.
const maxParts = 9

// scanNumber reads an unsigned number such as "1,200.5" at the start of s. If there
// is none, size is 0.
func scanNumber(s string) (n float64, size int) {
	for size < len(s) && ascii.IsDigit(s[size]) {
		size++
	}
	if size == 0 {
		return 0, 0
	}
	thousands := size <= 3
	for thousands && size+3 < len(s) && s[size] == ',' && ascii.Digits(s[size+1:]) == 3 {
		size += 1 + 3
	}
	if size+1 < len(s) && s[size] == '.' && ascii.IsDigit(s[size+1]) {
		size++
		for size < len(s) && ascii.IsDigit(s[size]) {
			size++
		}
	}
	text := s[:size]
	if strings.IndexByte(text, ',') >= 0 {
		text = strings.ReplaceAll(text, ",", "")
	}
	n, _ = ParseNumber(text)
	return n, size
}

// scanUnit reads a unit of time, such as "min", at the start of s. If there is none,
// or a letter follows, size is 0.
func scanUnit(s string) (inSeconds float64, size int) {
	for size < len(s) && size < 16 && (ascii.IsLetter(s[size]) || s[size] >= 0x80) {
		size++
	}
	if size == 0 || size == 16 {
		return 0, 0
	}
	word := s[:size]
	for _, u := range timeUnits {
		for _, name := range u.names {
			if strings.EqualFold(word, name) {
				return u.seconds, size
			}
		}
	}
	return 0, 0
}

var timeUnits = [...]struct {
	seconds float64
	names   []string
}{
	{1, []string{"s", "sec", "secs", "second", "seconds"}},
	{1e-3, []string{"ms", "msec", "msecs", "millis", "millisecond", "milliseconds"}},
	{60, []string{"m", "min", "mins", "minute", "minutes"}},
	{3600, []string{"h", "hr", "hrs", "hour", "hours"}},
	{86400, []string{"d", "day", "days"}},
	{7 * 86400, []string{"w", "week", "weeks"}},
	{30 * 86400, []string{"month", "months"}},
	{1e-6, []string{"us", "µs", "μs"}},
	{1e-9, []string{"ns"}},
}

// spaces counts the spaces at the start of s.
func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }
