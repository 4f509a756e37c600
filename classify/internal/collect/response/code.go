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

// ReadType reads Evidence.Type. The type name of this program's own deadline or
// cancellation counts like the error itself, because an OpenTelemetry span has only
// the name.
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

// ReadName reads a type name or a code, such as the attribute error.type or the
// Code field of an SDK's error. A remote server may have written the name.
func ReadName(q *collect.Inquiry, name string) {
	if name == "" || nameless(name) {
		return
	}
	if status, ok := ruleset.StatusCode(name); ok {
		q.AddStatus(status)
		return
	}
	readCode(q, name)
	text.ReadText(q, withoutImportPath(name))
}

// withoutImportPath returns the name of a Go type as %T prints it: pgconn.PgError
// for github.com/jackc/pgx/v5/pgconn.PgError. The words of the path say nothing about
// the error.
func withoutImportPath(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	if len(last) == len(name) || !strings.Contains(last, ".") || strings.Contains(name, "://") {
		return name
	}
	return last
}

// ownTypes has the type names of Go's deadline and cancellation errors. A remote
// server may have written such a name, so the strength is Phrase. ReadType raises the
// strength to Own.
var ownTypes = map[string]signal.Signal{
	"context.deadlineExceededError":        ownDeadline,
	"context.DeadlineExceeded":             ownDeadline,
	"*poll.DeadlineExceededError":          ownDeadline, // os.ErrDeadlineExceeded
	"internal/poll.DeadlineExceededError":  ownDeadline,
	"*internal/poll.DeadlineExceededError": ownDeadline,
	"context.Canceled":                     signal.Of("type/context.Canceled", signal.ReasonAborted, signal.Phrase),
}

var ownDeadline = signal.Of("type/context.DeadlineExceeded", signal.ReasonTimeout, signal.Phrase)

// nameless reports whether a type name, such as "Error", is too general to say
// anything about the error.
func nameless(name string) bool {
	switch name {
	case "*errors.errorString", "*errors.joinError", "*fmt.wrapError", "*fmt.wrapErrors",
		"error", "Error", "Exception", "_OTHER", "error_other":
		return true
	}
	return false
}

// longestCode is the greatest length of a code or a type name, in bytes. It leaves
// room for the URL that AWS adds to a code.
const longestCode = 1 << 10

// readCode adds the signal of a code from a field for codes. In such a field, words
// such as UNAVAILABLE, aborted and SlowDown mean more than in prose.
// Codes that are unambiguous even in prose have text rules (see
// rules/envelopes.yaml).
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

// lastSegment returns the last part of a qualified name, such as
// "com.amazonaws.v2#SlowDown", "openai.RateLimitError" or
// "urn:ietf:params:acme:error:rateLimited". It also removes the URL that AWS adds in
// a header, as in "SlowDown:http://...".
func lastSegment(code string) string {
	if i := strings.Index(code, ":http"); i >= 0 {
		code = code[:i]
	}
	code = strings.Trim(code, " /")
	return code[strings.LastIndexAny(code, "./#:")+1:]
}

// foldCode appends a code to dst in a common spelling. For example,
// rateLimitExceeded, RATE_LIMIT_EXCEEDED and rate-limit-exceeded become the same.
// The sign of a number stays. If the code does not fit into dst, the result is
// empty.
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
