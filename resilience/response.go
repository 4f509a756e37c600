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

// ResponseError is the error of an [Attempt] that got a response with status
// 400 or higher. Observers, [Call.FallBack] and [Call.Repeatable] see it. The
// client of a [Transport] gets the response itself.
type ResponseError struct {
	StatusCode int
	Header     http.Header // header of the response, read-only; shortened to 64 KiB
	Body       []byte      // the bytes of the first KiB that arrived within 250 ms; nil if not read
}

// Error returns the status, such as "503 Service Unavailable".
func (e *ResponseError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode)))
}

const (
	// peekBytes is how much of a body is read, and peekTime how long that may
	// take. Error envelopes of providers are shorter, or have their codes in
	// the first KiB.
	peekBytes = 1 << 10
	peekTime  = 250 * time.Millisecond
	// drainBytes is how much of an unused response is read, so that its
	// connection can be reused. http.Client reads the same amount before it
	// follows a redirect.
	drainBytes = 2 << 10
	// drainTime is how long draining may take. After a pause, most responses
	// have arrived completely.
	drainTime = 25 * time.Millisecond
	// headerBytes and headerValue limit the size of a kept header and of each
	// of its values, because events and attempts keep the error. Real headers
	// are much shorter, but net/http accepts up to 10 MB.
	headerBytes = 64 << 10
	headerValue = 4 << 10
)

// failedResponse returns the error for a failed response, and the response for
// the client with its whole body.
func failedResponse(ctx context.Context, resp *http.Response) (*http.Response, *ResponseError) {
	resp, head := peek(ctx, resp)
	return resp, &ResponseError{StatusCode: resp.StatusCode, Header: limitHeader(resp.Header), Body: head}
}

// peek reads the beginning of a body before the client does. If it reads the
// whole body, the connection is free during the pause.
//
// net/http sets a response's Trailer in the Read that reaches the end of the
// body. If such a Read is still running, peek returns a copy of the response.
// The Trailer of the copy changes only in the client's own Reads.
func peek(ctx context.Context, resp *http.Response) (*http.Response, []byte) {
	if resp.Body == nil || resp.Body == http.NoBody || !readable(resp.Header) {
		return resp, nil
	}
	own := *resp
	own.Trailer = resp.Trailer.Clone() // a copy, because a running Read may still set resp.Trailer
	body := newPeekedBody(resp.Body)
	head, busy := body.peek(ctx)
	if !busy {
		resp.Body = body
		return resp, head
	}
	own.Body = body
	body.onEOF = func() { own.Trailer = mergeTrailer(own.Trailer, resp.Trailer) }
	return &own, head
}

// mergeTrailer copies src into dst and returns dst. It makes no new map,
// because others may hold dst. net/http does the same.
func mergeTrailer(dst, src http.Header) http.Header {
	if dst == nil {
		return src
	}
	maps.Copy(dst, src)
	return dst
}

// readable reports whether the beginning of a body should be read. It returns
// false for a compressed body, which cannot be classified, and for an event
// stream, which only the client may read.
func readable(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";") // its parameters may be megabytes
	return !strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// limitHeader returns h if it is not too large. Otherwise it returns a copy of
// the short values that fit, in the order of their names.
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
			// Clone, because net/http cuts all values from one long string.
			name := strings.Clone(name)
			kept[name] = append(kept[name], strings.Clone(v))
		}
	}
	return kept
}

// discard closes a response before another request is made. If the end of the
// body may have arrived, it first drains the body, so that the connection can
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

// drainable reports whether the end of a body may have arrived. It returns
// false for a stream, for a long body, and if a Read has just timed out.
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

// closeAfter runs f and then closes body. If f takes longer than drainTime, it
// closes body at once, which ends a blocked Read of f. f and Close run in
// goroutines, because they may block. Panics are ignored, because the response
// is no longer used.
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
