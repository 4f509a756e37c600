package shapes

import (
	"bytes"
	"time"
)

// HeaderTime returns the time in the prefix or the header of a line. It reads the
// formats of CRI, syslog, klog and Apache.
//
// Syslog and klog write no year. HeaderTime takes the latest year for which the time
// is at most one day after now. For a line of a file, set the argument now to the time
// at which the file was written.
func HeaderTime(line []byte, now time.Time) (time.Time, bool) {
	line = line[:min(lineEnd(line), longestHeader)]
	if i := bytes.IndexByte(line, '>'); i > 0 && line[0] == '<' { // the priority of syslog
		line = bytes.TrimPrefix(line[i+1:], []byte("1 "))
	}
	for _, l := range headerLayouts {
		if len(line) < len(l) {
			continue
		}
		if t, err := time.Parse(l, string(line[:len(l)])); err == nil {
			if t.Year() != 0 {
				return t.UTC(), true
			}
			return lastYear(t, now), true
		}
	}
	if i := bytes.IndexByte(line, ' '); i >= len("2006-01-02T15:04:05") && isDigit(line[0]) {
		return parseTime(line[:i], true)
	}
	return time.Time{}, false
}

// headerLayouts are layouts of a fixed width. If the parsed year is 0, the time has
// no year.
var headerLayouts = []string{
	time.Stamp,
	"E0102 15:04:05.000000", "F0102 15:04:05.000000", "W0102 15:04:05.000000", "I0102 15:04:05.000000",
	"[Mon Jan 02 15:04:05.000000 2006]", "[Mon Jan 02 15:04:05 2006]",
}

// lastYear returns t in the latest year for which t is at most one day after now.
// The year of t must be 0.
func lastYear(t, now time.Time) time.Time {
	limit := now.UTC().AddDate(0, 0, 1)
	t = t.AddDate(limit.Year(), 0, 0)
	if t.After(limit) {
		t = t.AddDate(-1, 0, 0)
	}
	return t
}
