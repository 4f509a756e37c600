package resilience

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// ResponseError stands for a response of status 400 or more: observers,
// [Call.FallBack] and [Call.Repeatable] see it as the error of an [Attempt]. The
// client of a [Transport] gets the response itself.
type ResponseError struct {
	StatusCode int
	Header     http.Header // the response's own; not to be changed
	Body       []byte      // its beginning, see below; nil where it was left alone
}

// Error is the status, as in "503 Service Unavailable".
func (e *ResponseError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode)))
}

const (
	// peekBytes of a response's body are looked at. The error envelopes of
	// providers are shorter; those that are cut off still show their codes.
	peekBytes = 1 << 10
	// drainBytes of a response that is not used are read, which costs less than
	// a new connection does. http.Client reads as much before it follows a
	// redirect.
	drainBytes = 2 << 10
)

// peek reads the beginning of a body and puts it back, error included. Where
// that is all of the body, the connection is free before the pause begins.
func peek(resp *http.Response) []byte {
	if resp.Body == nil || resp.Body == http.NoBody || !readable(resp.Header) {
		return nil
	}
	head, err := io.ReadAll(io.LimitReader(resp.Body, peekBytes))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = &rewound{Reader: io.MultiReader(bytes.NewReader(head), rest), Closer: resp.Body}
	return head
}

// readable: compressed bytes tell nothing, and a stream may take its time.
func readable(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind != "text/event-stream"
}

// rewound is a body whose beginning was read.
type rewound struct {
	io.Reader
	io.Closer
}

// failing is a body that could not be read further.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// discard closes a response that nobody will read; nil is none.
func discard(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	if resp.ContentLength <= peekBytes+drainBytes {
		_, _ = io.CopyN(io.Discard, resp.Body, peekBytes+drainBytes) // an error is a connection that is not used again
	}
	_ = resp.Body.Close()
}
