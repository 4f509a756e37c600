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

// ResponseError is the error of an [Attempt] that got a response with status 400 or
// higher, or with status 200 and an error in its body. Observers, [Call.FallBack]
// and [Call.Repeatable] get this error. The client of a [Transport] gets the
// response itself.
type ResponseError struct {
	StatusCode int
	Header     http.Header // header of the response, read-only; shortened to 64 KiB
	// Body is the beginning of the response's body: the bytes that arrived within
	// 250 ms, up to 1 KiB. It is nil if the response's body was not read. With status
	// 200, Body is the error, up to 4 KiB: the data of an event, or the whole
	// response's body.
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
	// peekBytes limits how many bytes of a failed response's body are read. peekTime
	// limits how long the reading takes. JSON errors of providers are shorter, or
	// have the error code in the first KiB.
	peekBytes = 1 << 10
	peekTime  = 250 * time.Millisecond
	// drainBytes limits how many bytes of an unused response are read, so that the
	// connection can be reused. http.Client reads the same number before it follows
	// a redirect.
	drainBytes = 2 << 10
	// drainTime limits how long the reading of an unused response takes. After a
	// pause between calls, most responses have arrived completely.
	drainTime = 25 * time.Millisecond
	// headerBytes limits the size of the header in a ResponseError, and headerValue
	// the size of each header value, both in bytes. Real headers are much shorter,
	// but net/http accepts up to 10 MB.
	headerBytes = 64 << 10
	headerValue = 4 << 10
)

// failedResponse returns the error for a failed response. It also returns the
// response for the client, with the whole body.
func failedResponse(ctx context.Context, resp *http.Response) (*http.Response, error) {
	p := peeked{resp: resp}
	if readable(resp) {
		p = peek(ctx, resp, peekBytes, peekTime, nil)
	}
	return p.resp, newResponseError(resp, p.prefix)
}

// newResponseError returns the error for a response. body is the beginning of the
// response's body.
func newResponseError(resp *http.Response, body []byte) *ResponseError {
	return &ResponseError{StatusCode: resp.StatusCode, Header: limitHeader(resp.Header), Body: body}
}

// mergeTrailer copies src into dst and returns dst. If dst is nil, it returns
// src. It changes dst itself and not a copy, because other code may already refer
// to dst. Package net/http merges trailers in the same way.
func mergeTrailer(dst, src http.Header) http.Header {
	if dst == nil {
		return src
	}
	maps.Copy(dst, src)
	return dst
}

// readable reports whether the beginning of a failed response should be read. It
// returns false for a compressed body, which cannot be classified, and for an
// event stream, which is classified by its status.
func readable(resp *http.Response) bool {
	return hasBody(resp) && resp.Header.Get("Content-Encoding") == "" && kindOf(resp.Header) != bodyStream
}

func hasBody(resp *http.Response) bool { return resp.Body != nil && resp.Body != http.NoBody }

// limitHeader returns h if its size is at most headerBytes. Otherwise it returns a
// copy without the values that are longer than headerValue. The copy is filled in
// the order of the names; a value that would exceed headerBytes is left out.
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
			// In net/http, all values are parts of one long string. Without Clone,
			// the kept values would keep this string in memory.
			name := strings.Clone(name)
			kept[name] = append(kept[name], strings.Clone(v))
		}
	}
	return kept
}

// discard closes a response before another request is made. If the end of the
// body may have arrived, discard first drains the body, so that the connection can
// be reused. Draining takes at most drainTime. resp may be nil.
func discard(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	drain := drainable(resp)
	closeAfter(resp.Body, func() {
		if drain {
			// The limit includes the bytes that peek has read. If CopyN fails,
			// net/http does not reuse the connection.
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

// drainable reports whether the end of a body may have arrived. It returns false
// for a stream, for a long body, and for a body that peek is still reading.
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

// closeAfter runs f and then closes body. If f takes longer than drainTime,
// closeAfter closes body earlier, which ends a Read that blocks f. f and Close run
// in goroutines, because they may block. Panics are ignored.
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
