package form

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// LogPrefix begins the id of each rule that matches reports of several attempts.
const LogPrefix = "log/"

// MaxAttempts is the maximum number of attempts that are read from one report. If a
// report has more attempts, only the last ones are read.
const MaxAttempts = 8

// mark is the phrase text[at:end], such as "last error" or "attempt 2".
type mark struct{ at, end int }

// AttemptLog divides a text that reports several attempts. A mark is a phrase such
// as "attempt 2". The text between two marks is the message of one attempt. Here are
// two texts and their parts, from the last to the first:
//
//	attempt 1: HTTP 503, attempt 2: HTTP 401    →  ": HTTP 401"  ": HTTP 503, "
//	HTTP 401 (attempt 1), HTTP 503 (attempt 2)  →  ")"  "), HTTP 503 ("  "HTTP 401 ("
//
// The number of an attempt can precede or follow the message. If the number follows, the
// last part has no message, as in the second text. So the caller reads the parts from the
// last to the first, until a part matches a rule other than those for a single word.
type AttemptLog struct {
	text   string
	N      int               // number of marks
	recent [MaxAttempts]mark // the last marks; mark i is at i%MaxAttempts
	Final  int               // index after the last mark such as "last error"; 0 = there is none
}

// NewAttemptLog finds the marks of a text.
func NewAttemptLog(text string) AttemptLog {
	l := AttemptLog{text: text}
	for at := 0; at < len(text); at++ {
		end := MarkAt(text, at)
		if end == 0 {
			continue
		}
		l.recent[l.N%MaxAttempts] = mark{at, end}
		l.N++
		if isFinal(text[at:]) {
			l.Final = end
		}
		at = end - 1
	}
	return l
}

// Part returns the text from a mark to the next mark. After the last mark, the part
// extends to the end of the text. The argument back counts the marks from the end: 0
// is the last mark, 1 the mark before it. If back is l.N, Part returns the text
// before the first mark. If there is no such text, ok is false.
func (l *AttemptLog) Part(back int) (part string, ok bool) {
	start, end := 0, len(l.text)
	if back > l.N || back >= MaxAttempts {
		return "", false
	}
	if back < l.N {
		start = l.recent[(l.N-1-back)%MaxAttempts].end
	}
	if back > 0 {
		end = l.recent[(l.N-back)%MaxAttempts].at
	}
	return l.text[start:end], start < end
}

// These are the words of marks, such as "last error" and "attempt 2".
var (
	finals     = [...]string{"final ", "last ", "most recent "}
	errorWords = [...]string{"error", "failure", "exception", "cause", "attempt"}
	attempts   = [...]string{"attempt", "retry", "try"}
)

// MarkAt returns the end of the mark that begins at text[at]. If no mark begins
// there, MarkAt returns 0.
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
		for _, end := range errorWords {
			if rest := s[len(word):]; ascii.HasPrefixFold(rest, end) && (len(rest) == len(end) || !ascii.IsLetter(rest[len(end)])) {
				return len(word) + len(end)
			}
		}
	}
	return 0
}
