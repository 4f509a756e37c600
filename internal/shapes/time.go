package shapes

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// layouts are the layouts of times in text, the most common first. A time without a
// zone is UTC.
var layouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700", // zap's ISO8601 encoder
	"2006-01-02 15:04:05.999999999",      // Python's logging writes a comma, which time.Parse accepts too
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006/01/02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04:05.999999999 -0700", // Postgres, gunicorn
	time.RFC1123Z, time.RFC1123, time.UnixDate,
}

// Time returns the first valid time of the record. If there is none, Time returns
// false.
func (rec *Record) Time() (time.Time, bool) {
	f := rec.reader.fields
	for _, p := range rec.shape.times {
		if v := f.at(p); len(v) > 0 {
			if t, ok := parseTime(v, f.logfmt); ok {
				return t, true
			}
		}
	}
	if rec.inner != nil {
		return rec.inner.Time()
	}
	return time.Time{}, false
}

// longestTime is the maximum length of a time, in bytes.
const longestTime = 128

func parseTime(v []byte, logfmt bool) (time.Time, bool) {
	if len(v) > longestTime {
		return time.Time{}, false
	}
	raw := unquoted(v)
	if len(raw) == len(v) || bytes.IndexByte(raw, '\\') >= 0 {
		text, isText := text(v, logfmt)
		if !isText {
			return unixTime(v)
		}
		raw = []byte(text)
	}
	if t, ok := unixTime(raw); ok {
		return t, true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, string(raw)); err == nil { // does not allocate
			t = t.UTC()
			return t, 0 < t.Year() && t.Year() < 10_000 // RFC 3339 permits only years of four digits, and t.UTC can change the year
		}
	}
	return time.Time{}, false
}

// unixTime reads a number as the time since 1970. The unit is seconds, milliseconds,
// microseconds or nanoseconds. The size of the number decides the unit.
func unixTime(v []byte) (time.Time, bool) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || v[0] < '0' || v[0] > '9' {
		return time.Time{}, false
	}
	for _, c := range v { // most times are not numbers, and ParseFloat would allocate an error
		if (c < '0' || '9' < c) && c != '.' && c != 'e' && c != 'E' && c != '+' {
			return time.Time{}, false
		}
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil || n <= 0 || n >= math.MaxInt64 {
		return time.Time{}, false
	}
	unit := time.Nanosecond
	switch {
	case n < 1e11:
		unit = time.Second
	case n < 1e14:
		unit = time.Millisecond
	case n < 1e17:
		unit = time.Microsecond
	}
	if whole, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		perSecond := int64(time.Second / unit)
		return time.Unix(whole/perSecond, whole%perSecond*int64(unit)).UTC(), true
	}
	// A float64 that holds a present-day time is exact only to the microsecond.
	micro := n * (float64(unit) / float64(time.Microsecond))
	return time.UnixMicro(int64(math.Round(micro))).UTC(), true
}
