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

// ResponseError stands for a response of status 400 or more: observers,
// [Call.FallBack] and [Call.Repeatable] see it as the error of an [Attempt]. The
// client of a [Transport] gets the response itself.
type ResponseError struct {
	StatusCode int
	Header     http.Header // the response's own; not to be changed. Of more than 64 KiB it is a copy of a part
	Body       []byte      // what came of its first KiB within 250 ms; nil where it was left alone
}

// Error is the status, as in "503 Service Unavailable".
func (e *ResponseError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", e.StatusCode, http.StatusText(e.StatusCode)))
}

const (
	// peekBytes of a response's body are looked at, and peekTime is how long
	// they are waited for. The error envelopes of providers are shorter; those
	// that are cut off still show their codes.
	peekBytes = 1 << 10
	peekTime  = 250 * time.Millisecond
	// drainBytes of a response that is not used are read, which costs less than
	// a new connection does. http.Client reads as much before it follows a
	// redirect.
	drainBytes = 2 << 10
	// drainTime is how long the rest of such a response may take. It was sent
	// before the pause and is mostly there.
	drainTime = 25 * time.Millisecond
	// headerBytes of a response's header are kept, and headerValue of one of its
	// values: errors live on in events and attempts. Real headers are far
	// shorter, but net/http takes up to 10 MB.
	headerBytes = 64 << 10
	headerValue = 4 << 10
)

// refused takes a response that is a failure. It returns the error that stands
// for it, and the response for the client, whose body is still whole.
func refused(ctx context.Context, resp *http.Response) (*http.Response, *ResponseError) {
	resp, head := peek(ctx, resp)
	return resp, &ResponseError{StatusCode: resp.StatusCode, Header: keptOf(resp.Header), Body: head}
}

// peek reads the beginning of a body ahead of the client. Where that is all of
// the body, the connection is free before the pause begins.
//
// net/http sets a response's Trailer inside the Read that finds the end of the
// body. Where a Read is still under way, the client therefore gets a copy of the
// response, whose Trailer changes only in the client's own calls of Read.
func peek(ctx context.Context, resp *http.Response) (*http.Response, []byte) {
	if resp.Body == nil || resp.Body == http.NoBody || !readable(resp.Header) {
		return resp, nil
	}
	own := *resp
	own.Trailer = resp.Trailer.Clone() // before a goroutine may set it
	a := readAhead(resp.Body)
	head, busy := a.peek(ctx)
	if !busy {
		resp.Body = a
		return resp, head
	}
	own.Body = a
	a.atEnd = func() { own.Trailer = merged(own.Trailer, resp.Trailer) }
	return &own, head
}

// merged adds one trailer to another one. It keeps the map that is there, as
// net/http does, because others may have it too.
func merged(to, from http.Header) http.Header {
	if to == nil {
		return from
	}
	maps.Copy(to, from)
	return to
}

// readable reports whether the beginning of a body can tell something: not of
// compressed bytes, nor of a stream, whose events are the client's.
func readable(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";") // its parameters may be megabytes
	return !strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// keptOf returns what is kept of a header: all of one of sensible size. Of a
// larger one it is the short values, in the order of their names.
func keptOf(h http.Header) http.Header {
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
			// A copy, because net/http cuts all values from one long string.
			name := strings.Clone(name)
			kept[name] = append(kept[name], strings.Clone(v))
		}
	}
	return kept
}

// discard closes a response before another request is made; nil is none. Its
// connection can be used again where the end of its body is there already. It
// takes no longer than drainTime, whatever the peer or the body does.
func discard(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	drain := drainable(resp)
	release(resp.Body, func() {
		if drain {
			// What peek has read comes first. An error is a connection that is not used again.
			_, _ = io.CopyN(io.Discard, resp.Body, peekBytes+drainBytes)
		}
	})
}

// abandon closes a response after which no other request is made; nil is none.
func abandon(resp *http.Response) {
	if resp != nil && resp.Body != nil {
		release(resp.Body, func() {})
	}
}

// drainable reports whether the end of a body may be near: not where a Read has
// been waited for in vain, of a stream, or of a body that says how long it is.
func drainable(resp *http.Response) bool {
	a, peeked := resp.Body.(*ahead)
	switch {
	case resp.ContentLength > peekBytes+drainBytes:
		return false
	case peeked:
		return !a.busy()
	default:
		return resp.ContentLength >= 0
	}
}

// release runs f and closes body after it, or after drainTime. Nothing that
// they do can be ended from outside, so they run in a goroutine: a Read ends
// with Close, as those of net/http do. A panic is that of a body that nobody
// has any use for, and must not end the program.
func release(body io.Closer, f func()) {
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
