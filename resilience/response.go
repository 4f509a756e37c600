package resilience

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// ResponseError is the error of an [Attempt] whose response is a failure. A response
// is a failure in two cases:
//
//   - The status is 400 or higher.
//   - The status is 200, and the body contains an error.
//
// Observers, [Call.FallBack] and [Call.Repeatable] get this error. The client of a
// [Transport] gets the response itself.
type ResponseError struct {
	StatusCode int
	Header     http.Header // header of the response, read-only; shortened to 64 KiB
	// Body is the beginning of the response's body, or nil if the body was not read. With
	// an error status, Body is at most 1 KiB of what arrived within 250 ms. With status
	// 200, Body is at most 4 KiB: of an event stream the data of the event that reports
	// the error, otherwise the body.
	Body []byte
}

// Error returns the status, such as "503 Service Unavailable".
func (e *ResponseError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode)))
	if e.StatusCode < http.StatusBadRequest {
		text += ", but the body is an error"
	}
	return text
}

const (
	// peekBytes and peekTime limit the reading of a failed response's body. The
	// error codes of providers are in the first KiB.
	peekBytes = 1 << 10
	peekTime  = 250 * time.Millisecond
	// drainBytes limits the reading of an unused response, as in http.Client.
	drainBytes = 2 << 10
	// drainTime limits how long the reading of an unused response takes.
	drainTime = 25 * time.Millisecond
	// headerBytes limits the size of the header in a ResponseError. If a header is
	// larger, headerValue limits the size of each name with its value. Both are in
	// bytes.
	headerBytes = 64 << 10
	headerValue = 4 << 10
)

// failedResponse returns the error for a failed response, and the response with its
// whole body.
func failedResponse(ctx context.Context, resp *http.Response) (*http.Response, error) {
	p := peeked{resp: resp}
	if readable(resp) {
		p = peek(ctx, resp, peekBytes, peekTime, nil)
	}
	return p.resp, newResponseError(resp, p.prefix)
}

// newResponseError returns the error for a response. The parameter body has the
// first bytes of the body.
func newResponseError(resp *http.Response, body []byte) *ResponseError {
	return &ResponseError{StatusCode: resp.StatusCode, Header: limitHeader(resp.Header), Body: body}
}

// mergeTrailer copies src into dst and returns dst. If dst is nil, it returns src.
func mergeTrailer(dst, src http.Header) http.Header {
	if dst == nil {
		return src
	}
	maps.Copy(dst, src)
	return dst
}

// readable reports whether the beginning of a failed response should be read. Two
// kinds of bodies are not read:
//
//   - a compressed body, because it cannot be classified
//   - an event stream, because the status classifies it
func readable(resp *http.Response) bool {
	return hasBody(resp) && resp.Header.Get("Content-Encoding") == "" && kindOf(resp.Header) != bodyStream
}

func hasBody(resp *http.Response) bool { return resp.Body != nil && resp.Body != http.NoBody }

// limitHeader returns h if it has at most headerBytes. Otherwise it returns a copy
// without values that are too long or do not fit.
func limitHeader(h http.Header) http.Header {
	size := 0
	for name, values := range h {
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if size <= headerBytes {
		return h
	}
	kept, size := http.Header{}, 0
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			if len(name)+len(v) > headerValue || size+len(name)+len(v) > headerBytes {
				continue
			}
			size += len(name) + len(v)
			// In net/http, all values are parts of one string, which must not stay
			// in memory.
			name := strings.Clone(name)
			kept[name] = append(kept[name], strings.Clone(v))
		}
	}
	return kept
}

// discard closes a response before the next request. If the whole body may already have
// arrived, discard first reads the rest, so that the connection can be reused.
func discard(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	drain := drainable(resp)
	closeAfter(resp.Body, func() {
		if drain {
			// The limit includes bytes that peek has read. The error of CopyN can be
			// ignored: if Read fails, net/http does not reuse the connection.
			_, _ = io.CopyN(io.Discard, resp.Body, peekBytes+drainBytes)
		}
	})
}

// closeResponse closes a response without draining it. resp may be nil.
func closeResponse(resp *http.Response) {
	if resp != nil && resp.Body != nil {
		closeAfter(resp.Body, func() {})
	}
}

// drainable reports whether the end of a body can already have arrived.
func drainable(resp *http.Response) bool {
	body, peeked := resp.Body.(*peekedBody)
	switch {
	case resp.ContentLength > peekBytes+drainBytes:
		return false
	case peeked:
		return !body.busy()
	default:
		return resp.ContentLength >= 0
	}
}

// closeAfter runs f and then closes body, after drainTime at the latest. Panics are
// ignored.
func closeAfter(body io.Closer, f func()) {
	closed := sync.OnceFunc(func() {
		defer func() { _ = recover() }()
		_ = body.Close()
	})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer func() { _ = recover() }()
		defer closed()
		f()
	}()
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-finished:
	case <-limit.C:
		go closed()
	}
}
