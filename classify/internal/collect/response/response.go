// Package response collects signals from statuses, headers, bodies and codes.
package response

import (
	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ReadResponse reads a provider's response: the status, the waiting times in the
// headers, and the body. failed reports whether the response is a failure. A response
// with a status below 400 is a failure only if its body is an error envelope (an error
// object in JSON or XML).
func ReadResponse(q *collect.Inquiry, status int, header map[string][]string, body string) (failed bool) {
	outer := q.Source // restored below: the response may belong to an error of the chain
	q.Source = signal.FromStatus
	q.AddStatus(status)
	q.Source = signal.FromHeader
	if len(header) > 0 {
		ReadHeader(q, status, header)
	}
	q.Source = signal.FromBody
	success := 0 < status && status < 400
	failed = body != "" && readBody(q, body, success) || !success
	q.Source = outer
	return failed
}

// readBody reads a response body and reports whether it is an error envelope. If the
// response was successful, any other body is ignored, because it may be the text of
// a model.
func readBody(q *collect.Inquiry, body string, success bool) (failed bool) {
	e := openEnvelope(body, q.Budget.Left[collect.DecodedBytes])
	q.Budget.Left[collect.DecodedBytes] = e.budget
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
