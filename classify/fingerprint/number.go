package fingerprint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// number replaces the value whose first digit is at i, and returns the end of the
// value. start is the index of the value with its sign.
func (s *scanner) number(start, i int) int {
	before := s.at(start - 1)
	end := s.endOfDigits(i)
	next := s.at(end)
	if start == i && !isAlnum(before) && (sets[next]&inAtom != 0 || next == ':' || next == ' ' && end-i <= 2) {
		if s.isUUID(i) {
			return s.replace(i, i+uuidLen, placeholderID)
		}
		if before != ':' {
			if next == ':' || sets[next]&hexByte != 0 {
				if end, placeholder := s.colons(i); end > 0 {
					return s.replace(i, end, placeholder)
				}
			}
			if kinds[next] != letter || next == 'T' {
				if end := s.time(i); end > 0 {
					return s.replace(i, end, placeholderTime)
				}
			}
		}
		if i >= s.atomEnd && before != '.' {
			if end := s.atom(i); end > 0 {
				return end
			}
		}
	}
	if next == '.' || next == ',' || next|0x20 == 'e' {
		var isIP bool
		if end, isIP = s.digits(i); isIP && start == i && before != '.' {
			return s.replace(i, end, placeholderIP)
		}
	}
	unit, after := s.unit(end)
	if end-i <= maxCode {
		if word := s.endOfAlnum(end); unit == "" && s.isCode(start, i, end) || s.isSQLState(i, word) {
			return word
		}
	}
	if unit == "" {
		return s.withLongUnit(start, end)
	}
	switch {
	case isSize(unit) && !isAlnum(s.at(after)):
		return s.replace(start, after, placeholderSize)
	case isDuration(unit):
		for ascii.IsDigit(s.at(after)) && unit != "" && isDuration(unit) {
			end, _ = s.digits(after)
			unit, after = s.unit(end)
		}
		if isDuration(unit) && !isAlnum(s.at(after)) {
			return s.replace(start, after, placeholderDuration)
		}
	}
	return s.id(start, s.endOfAlnum(end))
}

// digits returns the end of the number at i. isIP reports whether it is an IPv4
// address.
func (s *scanner) digits(i int) (end int, isIP bool) {
	groups, commas, long := 1, false, false
	for group := i; ; i++ {
		i = s.endOfDigits(i)
		long = long || i-group > 3
		if c := s.at(i); c != '.' && c != ',' || !ascii.IsDigit(s.at(i+1)) {
			break
		} else if c == ',' {
			commas = true
		}
		groups++
		group = i + 1
	}
	if s.at(i)|0x20 == 'e' && (s.at(i+1) == '-' || s.at(i+1) == '+') && ascii.IsDigit(s.at(i+2)) {
		i = s.endOfDigits(i + 2)
	}
	return i, groups == 4 && !commas && !long
}

// endOfDigits returns the end of the digits at i.
func (s *scanner) endOfDigits(i int) int {
	for i < len(s.text) && kinds[s.text[i]] == digit {
		i++
	}
	return i
}

// unit returns the letters at i, possibly a unit such as µs, and the index after
// them.
func (s *scanner) unit(i int) (unit string, end int) {
	text := s.text[min(i, len(s.text)):]
	n := 0
	if strings.HasPrefix(text, "µ") || strings.HasPrefix(text, "μ") {
		n = len("µ")
	}
	for n < len(text) && n <= 12 && kinds[text[n]] == letter {
		n++
	}
	return text[:n], i + n
}

// withLongUnit replaces the number s.text[start:end]. It also replaces a unit after a
// space, as in "250 ms".
func (s *scanner) withLongUnit(start, end int) int {
	if s.at(end) == ' ' {
		switch unit, after := s.unit(end + 1); {
		case isAlnum(s.at(after)):
		case isLongDuration(unit):
			return s.replace(start, after, placeholderDuration)
		case isLongSize(unit):
			return s.replace(start, after, placeholderSize)
		}
	}
	return s.replace(start, end, placeholderNum)
}

// colons reads an IPv6 or a MAC address at i, and returns its end and placeholder.
// If there is no address, end is 0.
func (s *scanner) colons(i int) (end int, placeholder string) {
	groups, pairs, short, digits := 0, true, false, false
	if strings.HasPrefix(s.text[i:], "::") {
		short = true
		i += 2
	}
	for groups < 9 {
		n := 0
		for ; n < 5 && sets[s.at(i+n)]&hexByte != 0; n++ {
			digits = digits || ascii.IsDigit(s.text[i+n])
		}
		if n == 0 {
			break
		}
		if n == 5 {
			return 0, ""
		}
		groups++
		pairs = pairs && n == 2
		i += n
		if s.at(i) != ':' {
			break
		}
		switch next := s.at(i + 1); {
		case next == ':' && !short:
			short = true
			i += 2
			continue
		case sets[next]&hexByte != 0:
			i++
			continue
		}
		break
	}
	if groups > 1 && s.at(i) == '.' && ascii.IsDigit(s.at(i+1)) { // ::ffff:10.0.0.1
		i, _ = s.digits(i + 1)
		groups = max(groups, 2)
	}
	if isAlnum(s.at(i)) {
		return 0, ""
	}
	switch {
	case groups == 6 && pairs && !short:
		return i, placeholderID
	case short && groups > 0 && groups < 8 && digits, groups == 8 && !short:
		if s.at(i) == '%' && isAlnum(s.at(i+1)) {
			i = s.endOfAlnum(i + 1)
		}
		return i, placeholderIP
	}
	return 0, ""
}
