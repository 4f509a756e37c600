package fingerprint

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// maxCode is the maximum number of digits of an error code.
const maxCode = 5

// isCode reports whether the number s.text[i:end] is an error code, as in "exit
// status 1". start is the index of the number with its sign.
func (s *scanner) isCode(start, i, end int) bool {
	if s.endOfDigits(i) != end || !s.endsCode(end) {
		return false
	}
	at := s.beforeSeparators(start)
	if ascii.IsDigit(s.at(at - 1)) { // HTTP/1.1 503
		if at--; s.at(at-1) == '.' && ascii.IsDigit(s.at(at-2)) {
			at -= 2
		}
		// The last placeholder must have replaced the version number after "HTTP/", and
		// nothing else.
		return s.replacedStart == at && s.at(at-1) == '/' && s.text[s.startOfKey(at-1):at-1] == "HTTP" && end-i == 3
	}
	if at == start || sets[s.at(at-1)]&endsCodeWord == 0 {
		return false
	}
	key := s.key(at)
	last := lastWord(key)
	switch {
	case last.is("error"), last.is("errno"), last.is("winerror"):
		return true
	case last.is("code"), last.is("status"), last.is("errorcode"), last.is("statuscode"), last.is("exitcode"):
		first := firstWord(key)
		if len(last) == len(key) && (last.is("code") || last.is("status")) { // exit status 1
			first = ""
			if space := at - len(key) - 1; s.at(space) == ' ' {
				first = lastWord(s.text[s.startOfKey(space):space])
			}
		}
		switch {
		case first.is("error"), first.is("err"), first.is("errorcode"):
			return true
		case first.isQualifier():
			return end-i <= 4
		}
		return len(last) == len(key) && end-i <= 3
	case last.is("http"):
		return end-i == 3
	}
	return false
}

// endsCode reports whether an error code may end before index end. In a count such
// as "3 of 5", it returns false.
func (s *scanner) endsCode(end int) bool {
	switch c := s.at(end); {
	case isAlnum(c), c == '%', c == '/', c == '-', c == '_':
		return false
	case c == '.', c == ',', c == ':':
		return !isAlnum(s.at(end + 1))
	}
	return !strings.HasPrefix(s.text[end:], " of ")
}

// isSQLState reports whether the letters and digits s.text[i:end] are an SQLSTATE:
// "SQLSTATE 40P01", "SQLSTATE[HY000]".
func (s *scanner) isSQLState(i, end int) bool {
	if end-i != len("40P01") {
		return false
	}
	at := s.beforeSeparators(i)
	return at < i && sets[s.at(at-1)]&endsCodeWord != 0 && lower(s.key(at)).is("sqlstate")
}

// beforeSeparators returns the end of the word before i. Only a few bytes of punctuation
// may stand between the word and i:
//
//   - at most one space
//   - quotes only with a colon or an equals sign
//
// Otherwise beforeSeparators returns i.
func (s *scanner) beforeSeparators(i int) int {
	at, spaces := i, 0
	quoted, assigned := false, false
loop:
	for i-at < 6 && at > 0 {
		switch s.text[at-1] {
		case ' ':
			spaces++
		case '"', '\'', '\\':
			quoted = true
		case ':', '=':
			assigned = true
		case '(', '[':
		default:
			break loop
		}
		at--
	}
	if spaces > 1 || quoted && !assigned {
		return i
	}
	return at
}

// key returns the key that ends at index end, or "" if the key was replaced.
func (s *scanner) key(end int) string {
	if end <= s.replacedEnd {
		return ""
	}
	return s.text[s.startOfKey(end):end]
}

// startOfKey returns the start of the key that ends at index end. For a very long
// key, the result is within the key.
func (s *scanner) startOfKey(end int) int {
	i := end
	for i > 0 && end-i <= maxKey && (isAlnum(s.text[i-1]) || s.text[i-1] == '_') {
		i--
	}
	return i
}

// maxKey is the maximum length of a key in bytes, for startOfKey and holdsErrorText.
const maxKey = 24

// lower is a word with methods that ignore case.
type lower string

func (w lower) is(name string) bool {
	return len(w) == len(name) && w[0]|0x20 == name[0] && strings.EqualFold(string(w), name)
}

// isQualifier reports whether a key with this first word is about an error, as in
// error_code.
func (w lower) isQualifier() bool {
	if len(w) < 3 {
		return false
	}
	switch w[0] | 0x20 {
	case 'e':
		return w.is("error") || w.is("err") || w.is("exception") || w.is("exit") || w.is("external")
	case 'f':
		return w.is("failure") || w.is("fault")
	case 'h':
		return w.is("http")
	case 'i':
		return w.is("internal")
	case 'r':
		return w.is("reason") || w.is("refusal") || w.is("response") || w.is("result") || w.is("return")
	case 's':
		return w.is("status")
	}
	return false
}

// firstWord returns the first word of a key such as error_code or errorCode.
func firstWord(key string) lower {
	for i := 1; i < len(key); i++ {
		if isBreak(key, i) {
			return lower(key[:i])
		}
	}
	return lower(key)
}

// lastWord returns the last word of a key.
func lastWord(key string) lower {
	for i := len(key) - 1; i > 0; i-- {
		switch {
		case !isAlnum(key[i]):
			return lower(key[i+1:])
		case isBreak(key, i):
			if !isAlnum(key[i]) {
				i++
			}
			return lower(key[i:])
		}
	}
	return lower(key)
}

// isBreak reports whether a word of a key ends before index i.
func isBreak(key string, i int) bool {
	return !isAlnum(key[i]) || key[i] < 'a' && key[i-1] >= 'a'
}

// holdsErrorText reports whether the value of a key is an error text or a kind of
// error. Examples of such keys are "message" and "code".
func holdsErrorText(key string) bool {
	if key == "" || len(key) > maxKey {
		return false
	}
	last := lastWord(key)
	if !last.isErrorTextKey() {
		return false
	}
	return len(last) == len(key) || firstWord(key).isQualifier()
}

// isErrorTextKey is like holdsErrorText, for a key of one word.
func (w lower) isErrorTextKey() bool {
	if w == "" {
		return false
	}
	switch w[0] | 0x20 {
	case 'c':
		return w.is("code") || w.is("cause") || w.is("causes")
	case 'd':
		return w.is("desc") || w.is("description") || w.is("detail") || w.is("details")
	case 'e':
		return w.is("err") || w.is("error") || w.is("errors") || w.is("errmsg") || w.is("errno") || w.is("errorcode") || w.is("exception")
	case 'k':
		return w.is("kind")
	case 'l':
		return w.is("level") || w.is("lvl")
	case 'm':
		return w.is("message") || w.is("msg")
	case 'o':
		return w.is("op")
	case 'r':
		return w.is("reason") || w.is("reasons")
	case 's':
		return w.is("severity") || w.is("sqlstate") || w.is("status") || w.is("statuscode") || w.is("summary")
	case 't':
		return w.is("title") || w.is("type")
	}
	return false
}

// announcesErrorText reports whether a quoted text after w and a colon is an error
// text. For example:
//
//	Reason: "connection closed"
func (w lower) announcesErrorText() bool {
	return w.is("reason") || w.is("message") || w.is("msg") || w.is("detail") || w.is("details") || w.is("desc") || w.is("description")
}
