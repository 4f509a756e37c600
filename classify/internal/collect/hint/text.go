package hint

import (
	"strings"
	"time"

	"github.com/errclass/errclass/internal/ascii"
	"github.com/errclass/errclass/internal/form"
)

// anchor is a phrase before a waiting time, such as "again in". A space in Words matches
// spaces, punctuation or nothing, as in "Retry-After", "retryAfter" and
// "retry_delay { seconds".
type anchor struct {
	Words       string
	defaultUnit float64 // the unit, in seconds, of a number without a unit; 0 = a unit is required
}

// Anchors has the phrases that precede a waiting time, in the order in which they
// are tried.
var Anchors = [...]anchor{
	{"again in", 0}, {"again after", 0},
	{"retry after ms", 1e-3}, {"retry after seconds", 1}, {"retry after", 1},
	{"retry delay ms", 1e-3}, {"retry delay seconds", 1}, {"retry delay", 1},
	{"retry in", 0}, {"request after", 0},
	{"reset in", 0}, {"resets in", 0}, {"reset after", 0}, {"resets after", 0}, {"available in", 0},
	{"please wait", 0}, {"must wait", 0}, {"need to wait", 0},
}

// Fillers are words that may stand between an anchor and its number.
var Fillers = [...]string{"for", "about", "approximately", "around", "another", "at least"}

// LastLetters are the last letters of all anchors and fillers.
const LastLetters = "nrsytd"

// ReadLines reads the waiting times in a text, outside the frames of stack traces.
// It reads at most *left of them and subtracts their number from *left. Call it only
// if a rule whose id begins with "hint/" matches the text.
func (h *Hint) ReadLines(text string, now time.Time, left *int) {
	if text == "" {
		return
	}
	frames := form.NewFrameReader(text)
	for at := 0; at < len(text) && *left > 0; {
		var between string
		between, at = frames.Next(at)
		h.readText(between, now, left)
	}
}

// readText reads the waiting times in a text without stack frames.
func (h *Hint) readText(text string, now time.Time, left *int) {
	for i := 0; i < len(text) && *left > 0; i++ {
		if !ascii.IsDigit(text[i]) {
			continue
		}
		_, size := scanNumber(text[i:])
		if i == 0 || ascii.IsDigit(text[i-1]) || ascii.IsLetter(text[i-1]) || strings.IndexByte("-.+_", text[i-1]) >= 0 {
			i += size - 1
			continue
		}
		if i >= len("Fri, ") && text[i-2] == ',' && ascii.IsLetter(text[i-3]) {
			if n := h.readDate(text, i-len("Fri, "), now); n > 0 {
				*left--
				i += n - 1
				continue
			}
		}
		a, ok := anchorBefore(text[:i])
		if !ok {
			i += size - 1
			continue
		}
		*left--
		i += h.readWait(text[i:], a, now) - 1
	}
}

// readDate reads an HTTP-date at index start. It returns the length of the date without
// the weekday, or 0 if it reads no date.
func (h *Hint) readDate(text string, start int, now time.Time) (length int) {
	const layout = time.RFC1123 // http.TimeFormat, except for the zone
	if len(text)-start < len(layout) {
		return 0
	}
	if text[start+len("Fri, 06 Nov 2026 08")] != ':' {
		return 0
	}
	if a, ok := anchorBefore(text[:start]); !ok || a.defaultUnit != 1 {
		return 0
	}
	at, ok := ParseDate(text[start:start+len(layout)], now)
	if !ok {
		return 0
	}
	h.AddExplicit(until(at, now))
	return len(layout) - len("Fri, ")
}

// readWait adds the waiting time at the start of s, if there is one. end is the end
// of the time or number.
func (h *Hint) readWait(s string, a anchor, now time.Time) (end int) {
	if n, end, ok := scanDuration(s); ok {
		h.AddExplicit(WaitSeconds(n))
		h.withUnit = max(h.withUnit, WaitSeconds(n))
		return end
	}
	n, size := scanNumber(s)
	if a.defaultUnit == 0 {
		return size
	}
	word := s[:min(len(s), len("2006-01-02T15:04:05.999999999+00:00"))]
	if end := strings.IndexFunc(word, func(r rune) bool { return !strings.ContainsRune("0123456789-+:.TZ", r) }); end >= 0 {
		word = word[:end]
	}
	word = strings.TrimRight(word, ".:")
	if at, ok := ParseDate(word, now); ok {
		h.AddExplicit(until(at, now))
		return len(word)
	}
	if !endsNumber(s[size:]) {
		return size // "retry after 3 attempts", a date, a version
	}
	if a.defaultUnit == 1 {
		h.AddExplicit(numberWait(n, now))
	} else {
		h.AddExplicit(WaitSeconds(n * a.defaultUnit))
	}
	return size
}

// endsNumber reports whether a number is complete without a unit. rest is the text
// after the number.
func endsNumber(rest string) bool {
	if rest == "" || strings.IndexByte("\n\r,;)}]\"'\\", rest[0]) >= 0 {
		return true
	}
	if rest[0] == '.' {
		return len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n'
	}
	rest = rest[spaces(rest):]
	return rest == "" || strings.IndexByte(",;)}]", rest[0]) >= 0 || strings.HasPrefix(rest, "nanos:") // "nanos:" continues a protobuf Duration as text
}

// anchorBefore returns the anchor at the end of text. In "will retry in 5s" there is
// none: the program announces its own retry.
func anchorBefore(text string) (anchor, bool) {
	text = trimJoint(text)
	if text == "" || strings.IndexByte(LastLetters, text[len(text)-1]|0x20) < 0 {
		return anchor{}, false
	}
	for _, f := range Fillers {
		if before, ok := cutSuffixFold(text, f); ok && before != trimJoint(before) {
			text = trimJoint(before)
			break
		}
	}
	for _, a := range Anchors {
		before, ok := cutAnchor(text, a.Words)
		if !ok || before != "" && ascii.IsLetter(before[len(before)-1]) {
			continue
		}
		if !strings.HasPrefix(a.Words, "retry") {
			return a, true
		}
		before = trimJoint(before)
		for _, own := range [...]string{"will", "'ll", "would", "going to", "about to"} {
			if _, ok := cutSuffixFold(before, own); ok {
				return anchor{}, false
			}
		}
		return a, true
	}
	return anchor{}, false
}

// cutAnchor removes a phrase from the end of s. If s does not end with the phrase,
// ok is false.
func cutAnchor(s, phrase string) (before string, ok bool) {
	for ok = true; ok && phrase != ""; {
		word := phrase
		if i := strings.LastIndexByte(phrase, ' '); i >= 0 {
			word, phrase = phrase[i+1:], phrase[:i]
		} else {
			phrase = ""
		}
		if s, ok = cutSuffixFold(s, word); ok && phrase != "" {
			s = trimJoint(s)
		}
	}
	return s, ok
}

func cutSuffixFold(s, suffix string) (before string, ok bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// trimJoint removes at most sixteen spaces and punctuation marks from the end of s.
// These may stand between the words of an anchor, or before its number.
func trimJoint(s string) string {
	end := len(s)
	for end > 0 && len(s)-end < 16 && strings.IndexByte(" \t\r\n_-:=\"'\\~{([`", s[end-1]) >= 0 {
		end--
	}
	return s[:end]
}
