package form

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// LogPrefix begins the ids of the rules that recognize a report of several tries.
const LogPrefix = "log/"

// MaxTries limits how many tries of a report are read by themselves.
const MaxTries = 8

// mark is a word that names or numbers a try: text[at:end].
type mark struct{ at, end int }

// TryLog divides a text that reports several tries. It does so at marks, which do
// not overlap. The text between two marks is the message of one try.
//
//	attempt 1: HTTP 503, attempt 2: HTTP 401    →  2: HTTP 401   1: HTTP 503
//	HTTP 401 (attempt 1), HTTP 503 (attempt 2)  →  2)   1), HTTP 503 (   HTTP 401 (
//
// The number of a try may be before or after its message. So the caller uses the
// last part that is evidence.
type TryLog struct {
	text   string
	N      int            // number of marks
	recent [MaxTries]mark // the last marks; mark i is at i%MaxTries
	Final  int            // index after the last final mark, 0 = there is none
}

// NewTryLog finds the marks of a text.
func NewTryLog(text string) TryLog {
	l := TryLog{text: text}
	for at := 0; at < len(text); at++ {
		end := MarkAt(text, at)
		if end == 0 {
			continue
		}
		l.recent[l.N%MaxTries] = mark{at, end}
		l.N++
		if isFinal(text[at:]) {
			l.Final = end
		}
		at = end - 1
	}
	return l
}

// Part returns the text between a mark and the next one. back counts marks from the
// last one, which is 0. With back = N, Part returns the text before the first mark.
// ok is false if there is no such text.
func (l *TryLog) Part(back int) (part string, ok bool) {
	from, to := 0, len(l.text)
	if back > l.N || back >= MaxTries {
		return "", false
	}
	if back < l.N {
		from = l.recent[(l.N-1-back)%MaxTries].end
	}
	if back > 0 {
		to = l.recent[(l.N-back)%MaxTries].at
	}
	return l.text[from:to], from < to
}

// finals, ends and attempts are the words of the marks. They name or number a try.
var (
	finals   = [...]string{"final ", "last ", "most recent "}
	ends     = [...]string{"error", "failure", "exception", "cause", "attempt"}
	attempts = [...]string{"attempt", "retry", "try"}
)

// MarkAt returns the end of a mark that begins at index at, or 0 if there is none.
func MarkAt(text string, at int) int {
	switch text[at] | 0x20 {
	case 'f', 'l', 'm', 'a', 'r', 't', 'g':
	default:
		return 0
	}
	if at > 0 && (ascii.IsLetter(text[at-1]) || ascii.IsDigit(text[at-1]) || text[at-1] == '_') {
		return 0
	}
	rest := text[at:]
	if n := finalLength(rest); n > 0 {
		return at + n
	}
	for _, word := range attempts {
		if !ascii.HasPrefixFold(rest, word) {
			continue
		}
		n := len(word)
		gap := len(rest[n:]) - len(strings.TrimLeft(rest[n:], " #=:"))
		if gap == 0 || gap > 3 {
			return 0
		}
		number := ascii.Digits(rest[n+gap:])
		after := rest[n+gap+number:]
		if number == 0 || ascii.HasPrefixFold(after, " time") || ascii.HasPrefixFold(after, " more") {
			return 0 // "retry 3 times"
		}
		return at + n + gap + number
	}
	return 0
}

func isFinal(s string) bool { return finalLength(s) > 0 }

func finalLength(s string) int {
	for _, word := range [...]string{"final: ", "finally: ", "giving up: ", "gave up: "} {
		if ascii.HasPrefixFold(s, word) {
			return len(word)
		}
	}
	for _, word := range finals {
		if !ascii.HasPrefixFold(s, word) {
			continue
		}
		for _, end := range ends {
			if rest := s[len(word):]; ascii.HasPrefixFold(rest, end) && (len(rest) == len(end) || !ascii.IsLetter(rest[len(end)])) {
				return len(word) + len(end)
			}
		}
	}
	return 0
}
