package resilience

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// send sends a request with a context of its own, derived from ctx. This context ends
// in two cases:
//
//   - The body has been read or is closed.
//   - The header has not arrived within limit. A limit of 0 means none.
//
// The end of the context also ends a blocked Read. Closing the body is not enough,
// because Close of a compressed body waits for the Read.
func send(ctx context.Context, base http.RoundTripper, r *http.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel, l := startAttempt(ctx, limit)
	own := r.WithContext(ctx)
	handedOver := false
	defer func() {
		if !handedOver {
			cancel() // there is no body to read, or base panicked
		}
	}()
	resp, err := base.RoundTrip(own)
	if expired := l.expired(); expired != nil {
		closeResponse(resp)
		return nil, expired
	}
	if resp == nil {
		return nil, err
	}
	if resp.Request == own {
		resp.Request = r // the context of this request does not end with the body
	}
	if err != nil || resp.Body == nil || resp.Body == http.NoBody {
		return resp, err
	}
	handedOver = true
	resp.Body = wrapBody(resp.Body, cancel)
	return resp, nil
}

// wrapBody returns a cancelingBody. If the connection has switched to another protocol,
// the result also has the methods Write and CloseWrite of body.
func wrapBody(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	b := &cancelingBody{ReadCloser: body, cancel: cancel}
	w, ok := body.(io.Writer)
	if !ok {
		return b
	}
	if half, ok := body.(writeCloser); ok {
		return &halfClosableBody{writableBody{b, w}, half}
	}
	return &writableBody{b, w}
}

// cancelingBody is the body of a response. The end or Close of the body cancels the
// request's context.
type cancelingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	ended  atomic.Bool // Read has returned an error, such as io.EOF
}

// Read reads from the body. After an error, such as io.EOF, it cancels the context.
func (b *cancelingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended.Store(true)
		b.cancel()
	}
	return n, err
}

// Close closes the body. If the body has not ended, Close first cancels the context.
func (b *cancelingBody) Close() error {
	if !b.ended.Load() {
		b.cancel()
	}
	return b.ReadCloser.Close()
}

// writableBody is a body to which the client can also write, as after a protocol
// switch.
type writableBody struct {
	*cancelingBody
	io.Writer
}

// writeCloser is a connection whose sending direction can be closed alone, like a
// [net.TCPConn].
type writeCloser interface{ CloseWrite() error }

// halfClosableBody is a writableBody with the method CloseWrite.
type halfClosableBody struct {
	writableBody
	writeCloser
}
