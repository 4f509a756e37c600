// Package response collects signals from statuses, headers, bodies and codes.
package response

import (
	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ReadResponse takes a provider's response into account: what the status means
// by itself, what the headers say about waiting, and the body, which may name
// the cause and then decides. It reports whether the response is a failure at
// all: a success is none unless its body is an error envelope.
func ReadResponse(q *collect.Inquiry, status int, header map[string][]string, body string) (failed bool) {
	within := q.Source // an error of the chain may hold a response
	q.Source = signal.FromStatus
	q.AddStatus(status)
	q.Source = signal.FromHeader
	if len(header) > 0 {
		ReadHeader(q, status, header)
	}
	q.Source = signal.FromBody
	success := 0 < status && status < 400
	failed = body != "" && readBody(q, body, success) || !success
	q.Source = within
	return failed
}

// readBody takes a response body into account and reports whether it says that
// it is an error. That of a success counts only if it does: what a model wrote
// is no evidence.
func readBody(q *collect.Inquiry, body string, success bool) (failed bool) {
	e := openEnvelope(body, q.Budget.Left[collect.DecodedBytes])
	q.Budget.Left[collect.DecodedBytes] = e.left
	q.Lose(collect.DecodedBytes, e.lost)
	if success && !e.failed {
		return false
	}
	q.AddStatus(e.status)
	for _, code := range e.codes {
		readCode(q, code)
	}
	for _, s := range e.facts {
		q.Add(s)
	}
	text.ReadText(q, string(e.text))
	if q.Provider == "" {
		q.Provider = e.provider
	}
	return e.failed
}
