package resilience

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// send makes a request with its own context. The context ends with the response's
// body, or after limit if the header of the response has not arrived by then. With a
// limit of 0 there is no time limit.
//
// Closing the body is not enough to end a blocked Read: for a compressed body
// that net/http decodes, Close waits for the Read. The end of the context ends
// both.
func send(base http.RoundTripper, r *http.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel, l := startAttempt(r.Context(), limit)
	own := r.WithContext(ctx)
	handedOver := false
	defer func() {
		if !handedOver {
			cancel() // there is no body to read, or base panicked
		}
	}()
	resp, err := base.RoundTrip(own)
	if expired := l.expired(); expired != nil {
		if resp != nil {
			closeResponse(resp)
		}
		return nil, expired
	}
	if resp == nil {
		return nil, err
	}
	if resp.Request == own {
		resp.Request = r // r's context outlives the body
	}
	if err != nil || resp.Body == nil || resp.Body == http.NoBody {
		return resp, err
	}
	handedOver = true
	b := &cancelingBody{ReadCloser: resp.Body, cancel: cancel}
	if w, ok := resp.Body.(io.Writer); ok { // the connection switched to another protocol
		resp.Body = &writableBody{b, w}
	} else {
		resp.Body = b
	}
	return resp, nil
}

// cancelingBody is a response's body that ends the context of the request.
type cancelingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	ended  atomic.Bool // Read has returned an error, such as io.EOF
}

// Read ends the context after an error, such as io.EOF.
func (b *cancelingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended.Store(true)
		b.cancel()
	}
	return n, err
}

// Close closes the body. If the body has not been read to its end, Close first
// ends the context, so that a running Read does not block it.
func (b *cancelingBody) Close() error {
	if !b.ended.Load() {
		b.cancel()
	}
	return b.ReadCloser.Close()
}

// writableBody is a body that can be written to.
type writableBody struct {
	*cancelingBody
	io.Writer
}
