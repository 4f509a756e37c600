package classify

import (
	"strconv"
	"strings"
)

// readResponse takes a provider's response into account: what the status means
// by itself, what the headers say about waiting, and the body, which may name
// the cause and then decides. It reports whether the response is a failure at
// all: a success is none unless its body is an error envelope.
func (q *inquiry) readResponse(status int, header map[string][]string, body string) (failed bool) {
	within := q.source // an error of the chain may hold a response
	q.source = fromStatus
	q.addStatus(status)
	q.source = fromHeader
	if len(header) > 0 {
		q.readHeader(header)
	}
	q.source = fromBody
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
	q.addEmbedded(e.status)
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

// addEmbedded takes a status inside a body into account. It counts like that
// of HTTP where HTTP has none (or a success), and where a server error of a
// gateway wraps it; else HTTP's own is kept.
func (q *inquiry) addEmbedded(status int) {
	if status < 400 || status > 599 {
		return
	}
	if q.status == 0 {
		q.status = status
	}
	if q.status == status || q.status >= 500 {
		q.add(httpSignal(status))
	}
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
func httpSignal(status int) signal {
	at := (status - 400) * len("http/400")
	rule := httpRules[at : at+len("http/400")]
	reason := httpCodes.reason(rule[len("http/"):])
	switch {
	case reason != "":
	case status >= 500:
		reason = ReasonTransient
	default:
		reason = ReasonInvalidRequest
	}
	return signal{rule: rule, reason: reason, strength: codeStrength}
}
