package resilience

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/errclass/errclass/classify"
)

// exchange is the state of one RoundTrip of a [Transport]. It is used by one
// goroutine.
type exchange struct {
	t       *Transport
	request *http.Request  // the client's request
	key     string         // of the call
	agent   string         // of the call
	primary Target         // the target of the unchanged request
	target  Target         // of the last request
	number  int            // requests to target so far
	sent    bool           // the client's body has been passed on
	failed  *http.Response // the last response, if it failed
}

// do makes the call and returns the response or error for the client.
func (e *exchange) do(call Call) (*http.Response, error) {
	returned := false
	defer func() {
		if !e.sent && e.request.Body != nil {
			_ = e.request.Body.Close() // RoundTrip must always close the body
		}
		if !returned { // a function of the caller panicked
			closeResponse(e.failed)
		}
	}()
	resp, err := Do(e.request.Context(), e.t.x, call, e.roundTrip)
	returned = true
	if err == nil || e.failed == nil {
		return resp, err
	}
	if ctx := e.request.Context(); ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		// The client can no longer read the last response.
		closeResponse(e.failed)
		return nil, withContextErr(err, contextErr(ctx))
	}
	return e.failed, nil
}

// neverFor returns a function that allows no retry. The first time that a retry of the
// Transport is prevented, the returned function emits a [KindNotRepeated] event. The
// argument why becomes the field To of the event.
func (e *exchange) neverFor(why string) func(Attempt) bool {
	return func(a Attempt) bool {
		x := e.t.x
		if !x.silent && a.Result.Policy().Retry == classify.RetryExponential && e.t.reported.CompareAndSwap(false, true) {
			x.emit(e.request.Context(), Event{
				Kind: KindNotRepeated, Agent: e.agent, Target: a.Target, Attempt: a.Number, Result: a.Result, Err: a.Err, To: why,
			})
		}
		return false
	}
}

// withContextErr returns ctxErr. If err is an [*Error], the result also has the
// attempts of err.
func withContextErr(err, ctxErr error) error {
	if all, ok := errors.AsType[*Error](err); ok {
		return &Error{Attempts: all.Attempts, Err: ctxErr, Stop: ctxErr}
	}
	return ctxErr
}

// roundTrip sends one request to target.
func (e *exchange) roundTrip(ctx context.Context, target Target) (*http.Response, error) {
	if target != e.target {
		e.target, e.number = target, 0
	}
	e.number++
	discard(e.failed)
	e.failed = nil
	r, err := e.nextRequest(ctx, target)
	if err != nil {
		return nil, err
	}
	resp, err := send(ctx, e.t.base, r, e.t.x.attemptTimeout(e.agent, target))
	if err != nil || resp == nil {
		return resp, err
	}
	e.failed = resp // reading the body may panic: then e.do closes resp
	if resp.StatusCode < http.StatusBadRequest {
		resp, err = e.checkBody(ctx, resp)
	} else {
		resp, err = failedResponse(ctx, resp)
	}
	e.failed = resp
	if err == nil {
		e.failed = nil
	}
	return resp, err
}

// nextRequest returns the next request to send. If this is the first request and it
// goes to the primary target, the result is the client's own request. Otherwise the
// result is a copy.
func (e *exchange) nextRequest(ctx context.Context, target Target) (*http.Request, error) {
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
	if target != e.primary {
		if err := e.t.rewrite(r, target); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, fmt.Errorf("rewrite the request for %q: %w", target.Name(), err)
		}
	}
	shareTrailer(r, e.request)
	return r, nil
}

// shareTrailer gives a copy of a request the Trailer map of the original, unless the
// copy was rewritten. The client sets the values in this map after the body was read.
// The repeated requests of net/http share the map too.
func shareTrailer(r, original *http.Request) {
	if maps.EqualFunc(r.Trailer, original.Trailer, slices.Equal) {
		r.Trailer = original.Trailer
	}
}

// rehost gives a request's URL the scheme and host of the target's endpoint.
func rehost(r *http.Request, t Target) error {
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return errors.New("its endpoint is not an absolute URL: set one or use WithRewrite")
	}
	r.URL.Scheme, r.URL.Host, r.Host = u.Scheme, u.Host, ""
	return nil
}
