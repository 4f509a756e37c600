package fingerprint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// digitsAt counts the digits at i, at most 9.
func (s *scanner) digitsAt(i int) (n int) {
	for n < 9 && ascii.IsDigit(s.at(i+n)) {
		n++
	}
	return n
}

// time returns the end of the date or time at i, or 0 if there is none.
func (s *scanner) time(i int) int {
	if end := s.date(i); end > 0 {
		return s.restOfTime(end, false)
	}
	end, exact := s.clock(i)
	if end == 0 || exact && s.at(end) == ':' {
		return 0
	}
	if after := s.zone(end); exact || after > end { // 9:10 AM
		return after
	}
	return 0
}

// date returns the end of the date at i, or 0 if there is none.
func (s *scanner) date(i int) int {
	n := s.digitsAt(i)
	i += n
	sep := s.at(i)
	switch {
	case n == 8 && sep == 'T' && s.digitsAt(i+1) == 6: // 20261123T092328
		return i + 7
	case n == 4 && (sep == '-' || sep == '/'): // 2026-11-23
		return s.dateParts(i, sep, 1, 2)
	case n == 0 || n > 2:
		return 0
	case sep == '/' && ascii.IsDigit(s.at(i+1)): // 11/23/2026
		return s.dateParts(i, sep, 2, 4)
	case sep == '/' || sep == '-' || sep == ' ': // 23/Nov/2026
		end := s.month(i + 1)
		if end == 0 || s.at(end) != sep {
			return 0
		}
		if n := s.digitsAt(end + 1); n == 2 || n == 4 {
			return end + 1 + n
		}
	}
	return 0
}

// dateParts reads the rest of a date: a separator, a number, the separator, and a
// number with minDigits to maxDigits digits. It returns the end, or 0 if there is no
// date.
func (s *scanner) dateParts(i int, sep byte, minDigits, maxDigits int) int {
	n := s.digitsAt(i + 1)
	if n == 0 || n > 2 || s.at(i+1+n) != sep {
		return 0
	}
	i += 2 + n
	if n = s.digitsAt(i); n < minDigits || n > maxDigits {
		return 0
	}
	return i + n
}

// clock returns the end of the time of day at i, or 0 if there is none. exact reports
// whether the time has seconds.
func (s *scanner) clock(i int) (end int, exact bool) {
	n := s.digitsAt(i)
	if n == 0 || n > 2 || s.at(i+n) != ':' || s.digitsAt(i+n+1) != 2 {
		return 0, false
	}
	i += n + 3
	if s.at(i) != ':' || s.digitsAt(i+1) != 2 {
		return i, false
	}
	return s.fraction(i + 3), true
}

// fraction returns the end of the fraction of a second at i, or i if there is none.
func (s *scanner) fraction(i int) int {
	if c := s.at(i); (c == '.' || c == ',') && ascii.IsDigit(s.at(i+1)) {
		return s.endOfDigits(i + 1)
	}
	return i
}

// restOfTime reads the time of day after a date that ends at i. If year is true, it also
// reads a year. It returns the end of what it has read.
func (s *scanner) restOfTime(i int, year bool) int {
	if s.at(i) == '.' || s.at(i) == 'Z' {
		return s.zone(s.fraction(i))
	}
	for range 3 {
		next := i
		if strings.HasPrefix(s.text[i:], " at ") {
			next += len(" at")
		} else if strings.IndexByte("T ,:_", s.at(next)) >= 0 {
			next++
		}
		if s.at(next) == ' ' {
			next++
		}
		if next == i {
			break
		}
		if end, _ := s.clock(next); end > 0 {
			i = s.zone(end)
			continue
		}
		if year && s.digitsAt(next) == 4 && !isAlnum(s.at(next+4)) {
			i, year = next+4, false
			continue
		}
		break
	}
	return i
}

// zone returns the end of the time zone at i. A monotonic clock reading after the
// time zone is included. If neither is there, zone returns i.
func (s *scanner) zone(i int) int {
	if s.at(i) == 'Z' && !isAlnum(s.at(i+1)) {
		return i + 1
	}
	for range 2 { // time.Time.String writes the offset and the name: +0000 UTC
		next := i
		if s.at(next) == ' ' {
			next++
		}
		switch c := s.at(next); {
		case c == '+' || c == '-':
			n := s.digitsAt(next + 1)
			switch {
			case n == 4:
				i = next + 5
			case n == 2 && s.at(next+3) == ':' && s.digitsAt(next+4) == 2:
				i = next + 6
			}
		case ascii.IsLetter(c):
			if end := s.endOfAlnum(next); isZone(s.text[next:end]) {
				i = end
			}
		}
	}
	if strings.HasPrefix(s.text[i:], " m=+") || strings.HasPrefix(s.text[i:], " m=-") { // monotonic clock
		i, _ = s.digits(i + 4)
	}
	return i
}

func isZone(name string) bool {
	switch name {
	case "UTC", "GMT", "CET", "CEST", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "BST", "IST", "JST", "AM", "PM", "am", "pm":
		return true
	}
	return false
}

// namedDate returns the end of the date that begins with s.text[i:end], a weekday or
// a month. If there is no date, it returns 0.
func (s *scanner) namedDate(i, end int) int {
	if isWeekday(s.text[i:end]) {
		i = end
		if s.at(i) == ',' {
			i++
		}
		if s.at(i) != ' ' {
			return 0
		}
		i++
		if end := s.date(i); end > 0 {
			return s.restOfTime(end, false)
		}
	} else if c := s.at(end + 1); c != ' ' && kinds[c] != digit {
		return 0
	}
	if i = s.month(i); i == 0 || s.at(i) != ' ' {
		return 0
	}
	if i++; s.at(i) == ' ' {
		i++
	}
	n := s.digitsAt(i)
	if n == 0 || n > 2 || isAlnum(s.at(i+n)) {
		return 0
	}
	return s.restOfTime(i+n, true)
}

func isWeekday(word string) bool {
	switch word {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
		"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday":
		return true
	}
	return false
}

// month returns the end of the month name at i, or 0 if there is none.
func (s *scanner) month(i int) int {
	end := i
	for end < len(s.text) && end-i <= len("September") && kinds[s.text[end]] == letter {
		end++
	}
	switch s.text[min(i, end):end] {
	case "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "January", "February", "March",
		"April", "June", "July", "August", "September", "October", "November", "December":
		return end
	}
	return 0
}
