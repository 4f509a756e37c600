package resilience

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// exchange is one RoundTrip of a [Transport]. It belongs to one goroutine.
type exchange struct {
	t       *Transport
	request *http.Request  // the client's
	primary Target         // what request goes to as it is
	sent    bool           // request's own body has gone to the base, which closes it
	refused *http.Response // the last answer, where it is a failure
}

// do makes the call and picks what the client gets.
func (e *exchange) do(call Call) (*http.Response, error) {
	settled := false
	defer func() {
		if !e.sent && e.request.Body != nil {
			_ = e.request.Body.Close() // a RoundTripper always closes it
		}
		if !settled { // a function of the caller has panicked
			abandon(e.refused)
		}
	}()
	resp, err := Do(e.request.Context(), e.t.x, call, e.once)
	settled = true
	if err == nil || e.refused == nil {
		return resp, err
	}
	if ctx := e.request.Context(); ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		// It ended in a pause. The last answer is of no use: its body ends with
		// the context too.
		abandon(e.refused)
		return nil, withCause(err, ended(ctx))
	}
	return e.refused, nil
}

// withCause is err with the end of the context in place of the last answer.
func withCause(err, end error) error {
	if all, ok := errors.AsType[*Error](err); ok {
		return &Error{Attempts: all.Attempts, Err: end, Stop: end}
	}
	return end
}

// once makes one request.
func (e *exchange) once(ctx context.Context, target Target) (*http.Response, error) {
	discard(e.refused)
	e.refused = nil
	r, err := e.next(ctx, target)
	if err != nil {
		return nil, err
	}
	resp, err := send(e.t.base, r)
	if err != nil || resp == nil || resp.StatusCode < http.StatusBadRequest {
		return resp, err
	}
	e.refused = resp // to be closed also where its body panics
	resp, failure := refused(ctx, resp)
	e.refused = resp
	return resp, failure
}

// next is the request that goes to target now: the client's own the first
// time, and later a copy of it with a fresh body.
func (e *exchange) next(ctx context.Context, target Target) (*http.Request, error) {
	first := !e.sent
	if first && target == e.primary {
		e.sent = true
		return e.request, nil
	}
	r := e.request.Clone(ctx)
	if body := e.request.GetBody; !first && body != nil {
		fresh, err := body()
		if err != nil {
			return nil, fmt.Errorf("replay the request's body: %w", err)
		}
		r.Body = fresh
	}
	e.sent = true
	if target == e.primary {
		return r, nil
	}
	if err := e.t.rewrite(r, target); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, fmt.Errorf("rewrite the request for %q: %w", target.Name(), err)
	}
	return r, nil
}

// rehost sends a request to the scheme and host of a target's endpoint.
func rehost(r *http.Request, t Target) error {
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return errors.New("its endpoint is not an absolute URL: name one, or give WithRewrite")
	}
	r.URL.Scheme, r.URL.Host, r.Host = u.Scheme, u.Host, ""
	return nil
}
