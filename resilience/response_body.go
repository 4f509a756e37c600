package resilience

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// send makes a request with a context of its own, which ends with the body of
// the response.
//
// To close a body is not enough to end a Read of it: of a compressed body that
// net/http decodes itself, Close waits for a Read that waits for the beginning.
// The end of the context ends them both.
func send(base http.RoundTripper, r *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancel(r.Context())
	own := r.WithContext(ctx)
	kept := false
	defer func() {
		if !kept {
			end() // there is nothing left to read, or base has panicked
		}
	}()
	resp, err := base.RoundTrip(own)
	if resp == nil {
		return nil, err
	}
	if resp.Request == own {
		resp.Request = r // whose context outlives the body
	}
	if err != nil || resp.Body == nil || resp.Body == http.NoBody {
		return resp, err
	}
	kept = true
	b := &body{ReadCloser: resp.Body, end: end}
	if w, ok := resp.Body.(io.Writer); ok { // of a connection that was switched to another protocol
		resp.Body = &writable{b, w}
	} else {
		resp.Body = b
	}
	return resp, nil
}

// body is that of a response, and ends the context of its request.
type body struct {
	io.ReadCloser
	end  context.CancelFunc
	over atomic.Bool // Read has returned an error, mostly io.EOF
}

// Read ends the context with the body.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.over.Store(true)
		b.end()
	}
	return n, err
}

// Close ends the context first where the body is not over, so that it does not
// wait for a Read.
func (b *body) Close() error {
	if !b.over.Load() {
		b.end()
	}
	return b.ReadCloser.Close()
}

// writable is a body that can be written to.
type writable struct {
	*body
	io.Writer
}
