package response

import (
	"strings"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/ruleset"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
	"github.com/errclass/errclass/internal/ascii"
)

// ReadType reads Evidence.Type. The types of this program's own deadline and
// cancellation count as the typed errors do: they are all that a span keeps.
func ReadType(q *collect.Inquiry, name string) {
	if len(name) > longestCode {
		text.ReadText(q, name)
		return
	}
	if s, ok := ownTypes[name]; ok {
		s.Strength = signal.Own
		if s.Reason == signal.ReasonTimeout {
			s.Category = signal.CategoryTimeout
		}
		q.Add(s)
		return
	}
	ReadName(q, name)
}

// ReadName reads the name of an error that stands by itself: a type, or a code,
// as error.type and the Code fields of SDKs give it. A peer may have written it.
func ReadName(q *collect.Inquiry, name string) {
	if name == "" || nameless(name) {
		return
	}
	if status, ok := ruleset.StatusCode(name); ok {
		q.AddStatus(status)
		return
	}
	readCode(q, name)
	text.ReadText(q, name)
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

// longestCode is the length beyond which a text is no code, nor the name of a
// type. AWS adds an address to its codes.
const longestCode = 1 << 10

// readCode takes a code into account that stands where codes stand. Here words
// have a meaning that they lack in prose: UNAVAILABLE, aborted, SlowDown. What
// is a code wherever it stands is a text rule (rules/envelopes.yaml).
func readCode(q *collect.Inquiry, code string) {
	if len(code) > longestCode {
		return
	}
	if s, ok := ownTypes[code]; ok {
		q.Add(s)
		return
	}
	code = lastSegment(code)
	if reason := standard.Errno.Reason(code); reason != signal.NoReason {
		q.Add(signal.Of("errno/"+code, reason, signal.Code))
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
			q.Add(signal.Of("code/"+string(key), reason, t.strength))
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
		if !ascii.IsDigit(c) && !ascii.IsLetter(c) && (c != '-' || i > 0) {
			continue
		}
		if len(dst) == cap(dst) {
			return dst[:0]
		}
		dst = append(dst, c)
	}
	return dst
}
