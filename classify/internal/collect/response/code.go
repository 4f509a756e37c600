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

// ReadType reads the type name in Evidence.Type. The type name of a deadline or
// cancellation error of Go (see ownTypes) counts as much as the error value itself.
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

// ReadName reads a type name or a code, such as the attribute error.type. A remote
// server may have written it.
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

// withoutImportPath shortens a Go type name: github.com/jackc/pgx/v5/pgconn.PgError
// -> pgconn.PgError.
func withoutImportPath(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	if len(last) == len(name) || !strings.Contains(last, ".") || strings.Contains(name, "://") {
		return name
	}
	return last
}

// ownTypes has the type names of Go's deadline and cancellation errors. If
// Evidence.Type has such a name, the signal gets the strength signal.Own.
var ownTypes = map[string]signal.Signal{
	"context.deadlineExceededError":        ownDeadline,
	"context.DeadlineExceeded":             ownDeadline,
	"*poll.DeadlineExceededError":          ownDeadline, // os.ErrDeadlineExceeded
	"internal/poll.DeadlineExceededError":  ownDeadline,
	"*internal/poll.DeadlineExceededError": ownDeadline,
	"context.Canceled":                     signal.Of("type/context.Canceled", signal.ReasonAborted, signal.Phrase),
}

var ownDeadline = signal.Of("type/context.DeadlineExceeded", signal.ReasonTimeout, signal.Phrase)

// nameless reports whether a type name is too general, such as "Error".
func nameless(name string) bool {
	switch name {
	case "*errors.errorString", "*errors.joinError", "*fmt.wrapError", "*fmt.wrapErrors",
		"error", "Error", "Exception", "_OTHER", "error_other":
		return true
	}
	return false
}

// longestCode is the greatest length of a code in bytes, including the URL that AWS
// adds.
const longestCode = 1 << 10

// readCode adds the signal of a code. The code must come from a field for codes, such as
// "code" in JSON, because many codes are ordinary words in prose. For codes that are
// unambiguous even in prose, rules/envelopes.yaml has rules that match any text.
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
// "com.amazonaws.v2#SlowDown". It also removes the URL in AWS's
// "SlowDown:http://...".
func lastSegment(code string) string {
	if i := strings.Index(code, ":http"); i >= 0 {
		code = code[:i]
	}
	code = strings.Trim(code, " /")
	return code[strings.LastIndexAny(code, "./#:")+1:]
}

// foldCode appends a code to dst in a common spelling: rateLimitExceeded equals
// RATE_LIMIT_EXCEEDED. A minus sign at the beginning stays. If the code does not fit
// into dst, the result is empty.
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
