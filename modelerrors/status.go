package modelerrors

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// IsRetryableStatusCode reports whether to call the same model again after this HTTP
// status. It returns true for 408 and 5xx, including Anthropic's 529. For 429 and
// other 4xx, it returns false.
func IsRetryableStatusCode(statusCode int) bool {
	return statusCode == http.StatusRequestTimeout || 500 <= statusCode && statusCode <= 599
}

// ExtractHTTPStatusCode returns the HTTP status of err, or 0 if there is none. It
// reads these, in this order:
//
//  1. A [*StatusError] in the chain.
//  2. The fields and methods of SDK errors in the chain. Anthropic, OpenAI, Gemini,
//     AWS and similar errors are known.
//  3. A number from 400 to 599 in the text, if the text presents it as a status.
//     Examples are "status code: 503", "HTTP 429", "500 Internal Server Error",
//     "(404)".
//
// Counts ("processed 500 items") and ports are ignored.
func ExtractHTTPStatusCode(err error) int {
	if err == nil {
		return 0
	}
	if s := find[StatusError](err); s != nil {
		return s.StatusCode
	}
	return statusOf(err)
}

// statusOf returns the HTTP status of an error without a StatusError.
func statusOf(err error) int {
	if status := rules.Error(typesOnly{err}).Status; status != 0 {
		return status
	}
	if status := statusIn(text(err)); status != 0 {
		return status
	}
	return rules.Error(err).Status
}

// typesOnly hides the text of an error from package classify.
type typesOnly struct{ error }

func (typesOnly) Error() string   { return "" }
func (e typesOnly) Unwrap() error { return e.error }

// maxText limits how many bytes at the start of a text are searched.
const maxText = 8 << 10

// head returns the first maxText bytes of a text.
func head(s string) string { return s[:min(len(s), maxText)] }

var (
	number = regexp.MustCompile(`\b[45][0-9]{2}\b`)
	// strongBefore matches a prefix after which a number is always a status.
	strongBefore = regexp.MustCompile(`(?i)(?:status|code|http(?:/[0-9.]{1,3})?)(?: of| is)?[\\"' :=,([]{1,6}$`)
	// weakBefore matches a prefix after which a number is a status only if
	// weakAfter matches too.
	weakBefore = regexp.MustCompile(`(?i)(?:^|: |\(|\[|\b(?:error|exception|response|returned|received|got|with)[\\"' :=,([]{1,6})$`)
	// weakAfter matches what must follow the number: nothing, punctuation, JSON or a
	// capital letter.
	weakAfter = regexp.MustCompile(`^(?:\W?$|[:;,)\]}"'.]|[ -]+[A-Z{\["(<]| - )`)
)

// statusIn returns the first HTTP status in s, or 0.
func statusIn(s string) int {
	s = head(s)
	for _, at := range number.FindAllStringIndex(s, -1) {
		code, _ := strconv.Atoi(s[at[0]:at[1]])
		before, after := s[max(0, at[0]-24):at[0]], s[at[1]:min(len(s), at[1]+24)]
		if strongBefore.MatchString(before) || namedBy(code, after) ||
			(weakBefore.MatchString(before) && weakAfter.MatchString(after)) {
			return code
		}
	}
	return 0
}

// namedBy reports whether the text after a status begins with a word of that
// status's name. After the status 503, "Service" is such a word.
func namedBy(code int, after string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(after, " -:,()")), " ")
	word = strings.TrimRight(word, ".,:;)\"'")
	if word == "" {
		return false
	}
	for _, name := range [...]string{http.StatusText(code), phrases[code], "client server status"} {
		for w := range strings.FieldsSeq(strings.ToLower(name)) {
			if w == word {
				return true
			}
		}
	}
	return false
}

// phrases has words that name a status, besides those of http.StatusText.
var phrases = map[int]string{
	http.StatusTooManyRequests:    "rate rate-limited throttled quota",
	http.StatusServiceUnavailable: "overloaded upstream",
	529:                           "overloaded overloaded_error site",
}
