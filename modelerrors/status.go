package modelerrors

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/errclass/errclass/classify"
)

// IsRetryableStatusCode reports whether a response with this HTTP status is
// worth another call to the same model: 408 and 5xx, Anthropic's 529 among
// them. 429 is not: the provider asks to be left alone. Nor is any other 4xx,
// which would fail in the same way again.
func IsRetryableStatusCode(statusCode int) bool {
	return statusCode == http.StatusRequestTimeout || 500 <= statusCode && statusCode <= 599
}

// ExtractHTTPStatusCode returns the HTTP status that err carries, 0 where it
// carries none. It looks, in this order, for
//
//  1. a [*StatusError] in the chain,
//  2. the fields and methods of SDKs' errors in the chain (Anthropic, OpenAI,
//     Gemini, AWS and whatever is shaped like them),
//  3. a number from 400 to 599 in the text, where the text makes a status of it:
//     "status code: 503", "HTTP 429", "500 Internal Server Error", "(404)". One
//     that counts something ("processed 500 items") or is a port is none.
func ExtractHTTPStatusCode(err error) int {
	if err == nil {
		return 0
	}
	if s := find[StatusError](err); s != nil {
		return s.StatusCode
	}
	return statusOf(err)
}

// statusOf is ExtractHTTPStatusCode for an error without a StatusError.
func statusOf(err error) int {
	if status := classify.Error(mute{err}).Status; status != 0 {
		return status
	}
	return statusIn(text(err))
}

// mute is an error without its text: what is left are the types in its chain.
type mute struct{ error }

func (mute) Error() string   { return "" }
func (m mute) Unwrap() error { return m.error }

// maxText is how much of a text is searched for a status; what an SDK writes
// has it at the start.
const maxText = 8 << 10

var (
	number = regexp.MustCompile(`\b[45][0-9]{2}\b`)
	// Words that make any number behind them a status. The last byte of what
	// stands before a number is matched against the end of these.
	strongBefore = regexp.MustCompile(`(?i)(?:status|code|http(?:/[0-9.]{1,3})?)(?: of| is)?[\\"' :=,([]{1,6}$`)
	// Words, brackets and beginnings that make one of a number which is
	// followed by what may follow a status.
	weakBefore = regexp.MustCompile(`(?i)(?:^|: |\(|\[|\b(?:error|exception|response|returned|received|got|with)[\\"' :=,([]{1,6})$`)
	// What may follow: the end, punctuation, a JSON body, a capital.
	weakAfter = regexp.MustCompile(`^(?:\W?$|[:;,)\]}"'.]|[ -]+[A-Z{\["(<]| - )`)
)

// statusIn is the first number in s that is an HTTP status, or 0.
func statusIn(s string) int {
	s = s[:min(len(s), maxText)]
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

// namedBy reports whether the words after a number are those of its status.
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

// phrases are what is said of statuses that package net/http has no words for,
// or other words.
var phrases = map[int]string{
	http.StatusTooManyRequests:    "rate rate-limited throttled quota",
	http.StatusServiceUnavailable: "overloaded upstream",
	529:                           "overloaded overloaded_error site",
}
