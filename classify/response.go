package classify

import (
	"strconv"
	"strings"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readResponse takes a provider's response into account: what the status means
// by itself, what the headers say about waiting, and the body, which may name
// the cause and then decides. It reports whether the response is a failure at
// all: a success is none unless its body is an error envelope.
func (q *inquiry) readResponse(status int, header map[string][]string, body string) (failed bool) {
	within := q.source // an error of the chain may hold a response
	q.source = signal.FromStatus
	q.addStatus(status)
	q.source = signal.FromHeader
	if len(header) > 0 {
		q.readHeader(status, header)
	}
	q.source = signal.FromBody
	success := 0 < status && status < 400
	failed = body != "" && q.readBody(body, success) || !success
	q.source = within
	return failed
}

// readBody takes a response body into account and reports whether it says that
// it is an error. That of a success counts only if it does: what a model wrote
// is no evidence.
func (q *inquiry) readBody(body string, success bool) (failed bool) {
	e := openEnvelope(body, q.budget.left[decodedBytes])
	q.budget.left[decodedBytes] = e.left
	q.lose(decodedBytes, e.lost)
	if success && !e.failed {
		return false
	}
	q.addStatus(e.status)
	for _, code := range e.codes {
		q.readCode(code)
	}
	for _, s := range e.facts {
		q.add(s)
	}
	q.readText(string(e.text))
	if q.provider == "" {
		q.provider = e.provider
	}
	return e.failed
}

// httpRules holds the rule ids of all statuses, eight bytes each, so that a
// status alone is decided without an allocation.
var httpRules = func() string {
	var b strings.Builder
	for status := 400; status <= 599; status++ {
		b.WriteString("http/")
		b.WriteString(strconv.Itoa(status))
	}
	return b.String()
}()

// httpSignal is what an HTTP status from 400 to 599 means by itself.
func httpSignal(status int) signal.Signal {
	at := (status - 400) * len("http/400")
	rule := httpRules[at : at+len("http/400")]
	reason := standard.Http.Reason(rule[len("http/"):])
	switch {
	case reason != signal.NoReason:
	case status >= 500:
		reason = signal.ReasonTransient
	default:
		reason = signal.ReasonInvalidRequest
	}
	s := signal.Of(rule, reason, signal.Code)
	s.Status = uint16(status)
	return s
}
