// Package response collects signals from statuses, headers, bodies and codes.
package response

import (
	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/text"
	"github.com/errclass/errclass/classify/internal/signal"
)

// ReadResponse reads a provider's response: the status, the headers and the body.
// failed reports whether the response is a failure. If the status is from 1 to 399,
// failed is true only for an error envelope. An error envelope is an error object in
// JSON or XML. If the status is 0, failed is true.
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

// readBody reads a response body and reports whether it is an error envelope. If
// success is true, readBody ignores a body that is not an error envelope.
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
