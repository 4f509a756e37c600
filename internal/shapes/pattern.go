package shapes

import (
	"bytes"
	"strings"
)

// A pattern describes how a text line begins. The pattern is matched from left to
// right without backtracking, in linear time. Verbs:
//
//	%T  a date and a time, or one of them, with a zone
//	%t  a date or a time or both, without spaces
//	%b  a time of RFC 3164 such as "Jan  2 03:04:05"
//	%d  digits
//	%w  a word
//	%n  a name: letters, digits and the punctuation of keys
//	%l  the name of a level
//	%L  the name of a level in upper case
//	%k  the letter of a level: I, W, E or F
//	%p  a priority of syslog: facility times 8 plus severity
//	%s  stdout or stderr
//	%*  any text before the next byte of the pattern
//	%?  any text, the name of a level, and punctuation; the name must be in
//	    upper case or in brackets
//	%_  spaces or tabs
//	%m  the rest: the message
//
// All other bytes match themselves. Colours are skipped.
type pattern string

// matched is the result of matching a pattern.
type matched struct {
	severity Severity
	stderr   bool
	message  int // index of the message

	timeStart, timeEnd int // indexes of the time; 0 if there is none
}

const (
	// longestHeader is the maximum number of bytes that match searches for the end of
	// the text of the verb %*, or for the level of the verb %?.
	longestHeader = 256
	// headerWords is the maximum number of words that match searches for the level of
	// the verb %?.
	headerWords = 10
)

// match matches p with the start of line. l caches the match of the first verb.
func (p pattern) match(line []byte, l *lead) (m matched, ok bool) {
	i := 0
	for k := 0; k < len(p); k++ {
		for i < len(line) && line[i] == '\x1b' {
			i = afterColour(line, i)
		}
		c := p[k]
		if c != '%' {
			if i >= len(line) || line[i] != c {
				return m, false
			}
			i++
			continue
		}
		k++
		next := -1
		switch p[k] {
		case 'T':
			if i == 0 {
				next = l.find(leadDateTime, line)
			} else {
				next = dateTime(line, i)
			}
			m.timeStart, m.timeEnd = i, max(next, 0)
		case 't':
			if i == 0 {
				next = l.find(leadTime, line)
			} else {
				next = timeWord(line, i)
			}
			m.timeStart, m.timeEnd = i, max(next, 0)
		case 'b':
			next = syslogTime(line, i)
		case 'd':
			next = run(line, i, isDigit)
		case 'w':
			if i == 0 {
				next = l.find(leadWord, line)
			} else {
				next = run(line, i, isWord)
			}
		case 'n':
			next = run(line, i, keyByte)
		case '_':
			next = run(line, i, isSpace)
		case 'l', 'L':
			if i == 0 {
				next, m.severity = l.level(p[k] == 'L', line)
			} else {
				next, m.severity = levelName(line, i, p[k] == 'L')
			}
		case 'k':
			next, m.severity = levelLetter(line, i)
		case 'p':
			next, m.severity = priority(line, i)
		case 's':
			next = run(line, i, isWord)
			if next > 0 {
				m.stderr = string(line[i:next]) == "stderr"
				if !m.stderr && string(line[i:next]) != "stdout" {
					next = -1
				}
			}
		case '*':
			if n := bytes.IndexByte(line[i:min(len(line), i+longestHeader)], p[k+1]); n >= 0 {
				next = i + n
			}
		case '?':
			next, m.severity = seekLevel(line, i)
			for next > 0 && next < len(line) && strings.IndexByte("])}:|- \t", line[next]) >= 0 {
				next++
			}
		case 'm':
			m.message = i
			return m, true
		}
		if next < 0 {
			return m, false
		}
		i = next
	}
	m.message = i
	return m, true
}

// run returns the index after the bytes at i for which class returns true. If there
// are none, the index is -1.
func run(line []byte, i int, class func(byte) bool) int {
	start := i
	for i < len(line) && class(line[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isWord(c byte) bool { return c > ' ' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// afterColour returns the index after the escape sequence that begins at i.
func afterColour(line []byte, i int) int {
	i++
	if i < len(line) && line[i] == '[' {
		i++
		for i < len(line) && (isDigit(line[i]) || line[i] == ';') {
			i++
		}
	}
	return min(i+1, len(line))
}

// timeWord returns the index after the date or time at i, or -1. The date or time
// must have
//   - only digits, punctuation and the letters T, Z, A, P and M,
//   - a colon, or at least two of the bytes "-", "/" and ".".
func timeWord(line []byte, i int) int {
	if i >= len(line) || !isDigit(line[i]) {
		return -1
	}
	colons, marks := 0, 0
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case isDigit(c) || c == ',' || c == '+' || c == 'T' || c == 'Z' || c == 'A' || c == 'P' || c == 'M':
		case c == ':':
			colons++
			if i+1 == len(line) || !isDigit(line[i+1]) { // the colon ends the time
				if colons--; colons > 0 || marks >= 2 {
					return i
				}
				return -1
			}
		case c == '-' || c == '/' || c == '.':
			marks++
		default:
			if colons > 0 || marks >= 2 {
				return i
			}
			return -1
		}
	}
	if colons > 0 || marks >= 2 {
		return i
	}
	return -1
}

// dateTime returns the index after the date at i and any time and zone. Without a
// date, the index is -1.
func dateTime(line []byte, i int) int { return afterDate(line, timeWord(line, i)) }

// afterDate returns the index after any time and zone at i, the end of a date. If i
// is -1, the index is -1.
func afterDate(line []byte, i int) int {
	if i < 0 {
		return -1
	}
	if i < len(line) && line[i] == ' ' {
		if next := timeWord(line, i+1); next > 0 {
			i = next
		}
	}
	if i+1 < len(line) && line[i] == ' ' {
		next := i + 1
		if c := line[next]; c == '+' || c == '-' {
			if end := run(line, next+1, isDigit); end == next+5 {
				return end
			}
			return i
		}
		for next < len(line) && 'A' <= line[next] && line[next] <= 'Z' {
			next++
		}
		if zone := line[i+1 : next]; len(zone) >= 3 && len(zone) <= 5 && next < len(line) && line[next] == ' ' && wordLevel(zone) == Unknown {
			return next
		}
	}
	return i
}

// syslogTime returns the index after a time such as "Jan  2 03:04:05", or -1.
func syslogTime(line []byte, i int) int {
	const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "
	if len(line)-i < len("Jan  2 03:04:05") {
		return -1
	}
	if at := strings.Index(months, string(line[i:i+len("Jan ")])); at < 0 || at%len("Jan ") != 0 {
		return -1
	}
	day := firstByte(line, i+len("Jan "))
	if day = run(line, day, isDigit); day < 0 || day == len(line) || line[day] != ' ' {
		return -1
	}
	return timeWord(line, day+1)
}

// wordLevel returns the severity of the level with this name, or Unknown.
func wordLevel[T string | []byte](word T) Severity {
	if len(word) > longestLevel {
		return Unknown
	}
	var lower [longestLevel]byte
	for i := range len(word) {
		lower[i] = lowerByte(word[i])
	}
	return levelNamed(lower[:len(word)])
}

// levelName returns the index after the level at i, and the severity. If there is
// no level, the index is -1.
func levelName(line []byte, i int, upper bool) (int, Severity) {
	end := i
	for end < len(line) && end-i <= longestLevel && (isLetter(line[end]) || end > i && isDigit(line[end])) {
		if upper && 'a' <= line[end] && line[end] <= 'z' {
			return -1, Unknown
		}
		end++
	}
	s := wordLevel(line[i:end])
	if s == Unknown {
		return -1, Unknown
	}
	return end, s
}

func levelLetter(line []byte, i int) (int, Severity) {
	if i < len(line) {
		switch line[i] {
		case 'E', 'F':
			return i + 1, Error
		case 'I', 'W':
			return i + 1, Below
		}
	}
	return -1, Unknown
}

// priority returns the index after the syslog priority at i, and the severity. If
// there is no priority, the index is -1.
func priority(line []byte, i int) (int, Severity) {
	end := run(line, i, isDigit)
	if end < 0 || end-i > len("191") {
		return -1, Unknown
	}
	n := 0
	for _, c := range line[i:end] {
		n = 10*n + int(c-'0')
	}
	if n > 191 {
		return -1, Unknown
	}
	if n%8 <= 3 {
		return end, Error
	}
	return end, Below
}

// seekLevel searches the next words for a level, in upper case or in brackets. It
// returns the index after the level, and the severity. If there is no level, the
// index is -1.
func seekLevel(line []byte, i int) (int, Severity) {
	limit := min(len(line), i+longestHeader)
	for words := 0; i < limit && words < headerWords; words++ {
		for i < limit && (isSpace(line[i]) || line[i] == '[' || line[i] == '|' || line[i] == '(' || line[i] == '\x1b') {
			if line[i] == '\x1b' {
				i = afterColour(line, i)
				continue
			}
			i++
		}
		bracket := i > 0 && (line[i-1] == '[' || line[i-1] == '(')
		if end, s := levelName(line, i, !bracket); end > 0 && (end == len(line) || !isLetter(line[end]) && line[end] != '.' && line[end] != '_' && line[end] != '=') {
			return end, s
		}
		for i < limit && !isSpace(line[i]) && line[i] != '[' && line[i] != '|' {
			if c := line[i]; (c == '.' || c == ':') && i+1 < limit { // monolog's app.ERROR, Apache's core:error
				if end, s := levelName(line, i+1, !bracket); end > 0 && end < len(line) && (line[end] == ':' || line[end] == ']') {
					return end, s
				}
			}
			i++
		}
	}
	return -1, Unknown
}
