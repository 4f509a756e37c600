package classify

import (
	"strings"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readType reads Evidence.Type. The types of this program's own deadline and
// cancellation count as the typed errors do: they are all that a span keeps.
func (q *inquiry) readType(name string) {
	if len(name) > longestCode {
		q.readText(name)
		return
	}
	if s, ok := ownTypes[name]; ok {
		s.Strength = signal.Own
		if s.Reason == signal.ReasonTimeout {
			s.Category = signal.CategoryTimeout
		}
		q.add(s)
		return
	}
	q.readName(name)
}

// readName reads the name of an error that stands by itself: a type, or a code,
// as error.type and the Code fields of SDKs give it. A peer may have written it.
func (q *inquiry) readName(name string) {
	if name == "" || nameless(name) {
		return
	}
	if status, ok := statusCode(name); ok {
		q.addStatus(status)
		return
	}
	q.readCode(name)
	q.readText(name)
}

// ownTypes are the names of Go's own deadline and cancellation. Their strength
// is that of a peer which writes them: its status outranks them, and a deadline
// of the peer may pass.
var ownTypes = map[string]signal.Signal{
	"context.deadlineExceededError":        ownDeadline,
	"context.DeadlineExceeded":             ownDeadline,
	"*poll.DeadlineExceededError":          ownDeadline, // os.ErrDeadlineExceeded
	"internal/poll.DeadlineExceededError":  ownDeadline,
	"*internal/poll.DeadlineExceededError": ownDeadline,
	"context.Canceled":                     signal.Of("type/context.Canceled", signal.ReasonAborted, signal.Phrase),
}

var ownDeadline = signal.Of("type/context.DeadlineExceeded", signal.ReasonTimeout, signal.Phrase)

// nameless reports whether a type name says no more than "an error".
func nameless(name string) bool {
	switch name {
	case "*errors.errorString", "*errors.joinError", "*fmt.wrapError", "*fmt.wrapErrors",
		"error", "Error", "Exception", "_OTHER", "error_other":
		return true
	}
	return false
}

// statusCode reads an HTTP status of an error that is written as a number.
func statusCode(s string) (status int, ok bool) {
	if len(s) != 3 || s[0] != '4' && s[0] != '5' || !isDigit(s[1]) || !isDigit(s[2]) {
		return 0, false
	}
	return int(s[0]-'0')*100 + int(s[1]-'0')*10 + int(s[2]-'0'), true
}

// longestCode is the length beyond which a text is no code, nor the name of a
// type. AWS adds an address to its codes.
const longestCode = 1 << 10

// readCode takes a code into account that stands where codes stand. Here words
// have a meaning that they lack in prose: UNAVAILABLE, aborted, SlowDown. What
// is a code wherever it stands is a text rule (rules/envelopes.yaml).
func (q *inquiry) readCode(code string) {
	if len(code) > longestCode {
		return
	}
	if s, ok := ownTypes[code]; ok {
		q.add(s)
		return
	}
	code = lastSegment(code)
	if reason := standard.Errno.Reason(code); reason != signal.NoReason {
		q.add(signal.Of("errno/"+code, reason, signal.Code))
		return
	}
	var space [64]byte
	key := foldCode(space[:0], code)
	for _, t := range [...]struct {
		table    signal.Codes
		strength signal.Strength
	}{
		{standard.BodyCause, signal.Cause}, {standard.Body, signal.Code},
		{standard.BodyVague, signal.Phrase}, {standard.BodyWeak, signal.Word},
	} {
		reason := t.table.Reason(string(key))
		if reason != signal.NoReason {
			q.add(signal.Of("code/"+string(key), reason, t.strength))
			return
		}
	}
}

// lastSegment cuts a name to its last part: "com.amazonaws.v2#SlowDown",
// "openai.RateLimitError", "https://example.com/probs/out-of-credit",
// "urn:ietf:params:acme:error:rateLimited". AWS adds
// an address to the name in its header: "SlowDown:http://...".
func lastSegment(code string) string {
	if i := strings.Index(code, ":http"); i >= 0 {
		code = code[:i]
	}
	code = strings.Trim(code, " /")
	return code[strings.LastIndexAny(code, "./#:")+1:]
}

// foldCode brings the spellings of a code together: rateLimitExceeded,
// RATE_LIMIT_EXCEEDED and rate-limit-exceeded are one. The sign of a number
// stays. A code that is longer than dst holds is none.
func foldCode(dst []byte, code string) []byte {
	for i := 0; i < len(code); i++ {
		c := code[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if !isDigit(c) && !isLetter(c) && (c != '-' || i > 0) {
			continue
		}
		if len(dst) == cap(dst) {
			return dst[:0]
		}
		dst = append(dst, c)
	}
	return dst
}
