package resilience

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// checkBody looks for an error at the beginning of a successful response. It returns
// the response for the client, and an error in two cases:
//
//   - The body begins with an error: a [*ResponseError].
//   - Reading the beginning fails: the error of Read.
func (e *exchange) checkBody(ctx context.Context, resp *http.Response) (*http.Response, error) {
	if _, switched := resp.Body.(io.Writer); switched || !hasBody(resp) || e.request.Method == http.MethodHead {
		return resp, nil
	}
	kind := kindOf(resp.Header)
	if resp.StatusCode == http.StatusOK && kind != bodyOther && e.t.firstWait > 0 {
		first := &inspection{kind: kind, events: newScanner(kind)}
		p := peek(ctx, resp, firstBytes, e.t.firstWait, first.inspect)
		switch {
		case p.failure != nil:
			return p.resp, newResponseError(p.resp, p.failure)
		case p.broken != nil && ctx.Err() == nil:
			return p.resp, p.broken
		}
		resp = p.resp
	}
	if !e.t.x.silent {
		resp.Body = e.watch(resp, kind)
	}
	return resp, nil
}

// watchedBody is the body of a successful response. It sends one event if an error
// occurs while the client reads.
type watchedBody struct {
	io.ReadCloser
	ctx      context.Context
	x        *Executor
	call     Call               // only the key and the agent
	last     Attempt            // the request, without its failure
	fail     func([]byte) error // returns the error for an error event
	events   scanner            // nil if the body is no stream
	partial  bool               // the last event may be incomplete
	reported bool               // the event was sent
	closed   atomic.Bool        // the client has called Close
}

func (e *exchange) watch(resp *http.Response, kind bodyKind) *watchedBody {
	w := &watchedBody{
		ReadCloser: resp.Body, ctx: e.request.Context(), x: e.t.x,
		call: Call{Key: e.key, Agent: e.agent}, last: Attempt{Target: e.target, Number: e.number},
		fail: func(data []byte) error { return newResponseError(resp, data) },
	}
	w.events, w.partial = newScanner(kind), streamFormats[kind].partial
	return w
}

// Read reads from the body. If the client itself caused an error, Read sends no event
// for the error.
func (w *watchedBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.reported {
		return n, err
	}
	if w.events != nil {
		w.scan(p[:n], err == io.EOF) //nolint:errorlint // io.Reader returns io.EOF unwrapped
	}
	if err != nil && err != io.EOF && !w.closed.Load() && w.ctx.Err() == nil { //nolint:errorlint // io.Reader returns io.EOF unwrapped
		w.report(err)
	}
	return n, err
}

// scan looks for an error event in the next bytes of the body.
func (w *watchedBody) scan(p []byte, final bool) {
	for {
		event, rest, ok := w.events.next(p)
		if !ok && final && w.partial {
			event, ok = w.events.flush()
			final = false
		}
		if !ok {
			return
		}
		if data := event.failure(); data != nil {
			w.report(w.fail(bytes.Clone(data)))
			return
		}
		p = rest
	}
}

// report sends the event of KindStream once.
func (w *watchedBody) report(err error) {
	if w.reported {
		return
	}
	w.reported, w.events = true, nil
	failed := w.last
	failed.Err = err
	w.x.StreamFailed(w.ctx, w.call, failed)
}

// Close closes the body. After that, Read sends no event.
func (w *watchedBody) Close() error {
	w.closed.Store(true)
	return w.ReadCloser.Close()
}
