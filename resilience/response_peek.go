package resilience

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// peekedBody is a response's body. Its beginning is read before the client reads. The
// steps are:
//
//  1. A goroutine reads the beginning, because a Read can block until Close.
//  2. The method wait stops the goroutine, whose last Read can still be running.
//  3. The client reads the buffered bytes, and then waits for this last Read.
//  4. Later Reads of the client go to the body itself.
//
// Close ends all Reads at once, and can be called concurrently.
type peekedBody struct {
	body     io.ReadCloser
	inspect  func(prefix []byte, final bool) (failure []byte, decided bool) // may be nil
	done     chan struct{}                                                  // closed when the goroutine has ended
	closed   chan struct{}                                                  // closed by Close
	close    sync.Once
	closeErr error  // result of Close
	onEOF    func() // called when the client reads io.EOF; may be nil

	mu         sync.Mutex
	buf        []byte
	start, end int    // the client has not read buf[start:end] yet
	err        error  // error of the goroutine's last Read
	failure    []byte // result of inspect
	panicked   any    // value of the goroutine's panic; nil = none
	stop       bool   // start no further Read
}

var _ io.ReadCloser = (*peekedBody)(nil)

// peeked is the result of peek.
type peeked struct {
	resp    *http.Response // for the client, with the whole body
	prefix  []byte         // the beginning of the body
	failure []byte         // what inspect found
	broken  error          // the error of the body's Read, unless it is io.EOF
}

// peek reads the first bytes of a response's body before the client does. It panics
// if Read panicked. It stops in four cases:
//
//   - size bytes are read
//   - the duration wait has passed
//   - inspect returns decided = true
//   - the body or ctx ends
//
// After each Read, another goroutine calls inspect with all bytes so far. The
// argument final is true if no more bytes follow.
//
// If a Read is still running, peek returns a copy of the response. The reason is that
// this Read may set the Trailer of the original response at any time. The Trailer of
// the copy is set only when the client itself reads io.EOF.
func peek(
	ctx context.Context, resp *http.Response, size int, wait time.Duration,
	inspect func(prefix []byte, final bool) (failure []byte, decided bool),
) peeked {
	own := *resp
	own.Trailer = resp.Trailer.Clone() // a running Read can still set resp.Trailer
	body := &peekedBody{
		body: resp.Body, inspect: inspect, buf: make([]byte, size),
		done: make(chan struct{}), closed: make(chan struct{}),
	}
	go body.fill()
	p, busy := body.wait(ctx, wait)
	if busy {
		own.Body, p.resp = body, &own
		body.onEOF = func() { own.Trailer = mergeTrailer(own.Trailer, resp.Trailer) }
	} else {
		resp.Body, p.resp = body, resp
	}
	return p
}

// errReadEnded is the error of a Read that called runtime.Goexit.
var errReadEnded = errors.New("read the response's body: Read called runtime.Goexit")

// fill reads the body into the buffer until one of these happens:
//
//   - The buffer is full.
//   - The function inspect has decided.
//   - The method wait has returned.
//   - Read fails.
func (b *peekedBody) fill() {
	returned := false
	defer func() {
		if !returned { // pass the panic on to the client's goroutine
			p := recover()
			b.mu.Lock()
			b.panicked, b.err = p, errReadEnded
			b.mu.Unlock()
		}
		close(b.done)
	}()
	const maxEmptyReads = 100 // consecutive empty Reads, as in package bufio
	end := 0
	for empty := 0; empty < maxEmptyReads; {
		n, err := b.body.Read(b.buf[end:])
		if empty++; n > 0 {
			empty = 0
		}
		end += len(b.buf[end:][:n]) // panics if Read returned an invalid n
		full := err != nil || end == len(b.buf)
		failure, decided := []byte(nil), false
		if b.inspect != nil && (n > 0 || full) {
			failure, decided = b.inspect(b.buf[:end], full)
		}
		b.mu.Lock()
		b.end, b.err, b.failure = end, err, bytes.Clone(failure)
		stop := b.stop || full || decided
		b.mu.Unlock()
		if stop {
			break
		}
	}
	returned = true
}

// wait waits for the beginning of the body, for at most limit. The result busy means
// that a Read is still running.
func (b *peekedBody) wait(ctx context.Context, limit time.Duration) (p peeked, busy bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-b.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop = true
	if b.panicked != nil {
		panic(b.panicked)
	}
	p = peeked{prefix: bytes.Clone(b.buf[:b.end]), failure: b.failure}
	if b.err != io.EOF { //nolint:errorlint // io.Reader returns io.EOF unwrapped
		p.broken = b.err
	}
	return p, b.busy()
}

// busy reports whether the goroutine's Read is still running.
func (b *peekedBody) busy() bool {
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

// Read returns first the buffered bytes, then the bytes of the body.
func (b *peekedBody) Read(p []byte) (int, error) {
	select {
	case <-b.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}
	if n := b.readBuffered(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	select {
	case <-b.done:
	case <-b.closed:
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.readBuffered(p), error(nil) // bytes of the goroutine's last Read
	if n == 0 {
		n, err = b.readBody(p)
	}
	if err == io.EOF && b.onEOF != nil { //nolint:errorlint // io.Reader returns io.EOF unwrapped
		b.onEOF()
		b.onEOF = nil
	}
	return n, err
}

// readBuffered copies unread bytes of the buffer to p.
func (b *peekedBody) readBuffered(p []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := copy(p, b.buf[b.start:b.end])
	b.start += n
	return n
}

// readBody reads from the body itself. If the goroutine's Read failed, it returns
// the same error.
func (b *peekedBody) readBody(p []byte) (int, error) {
	switch {
	case b.panicked != nil:
		panic(b.panicked)
	case b.err != nil:
		return 0, b.err
	default:
		return b.body.Read(p)
	}
}

// Close closes the body. It does not wait for a running Read.
func (b *peekedBody) Close() error {
	b.close.Do(func() {
		close(b.closed)
		b.closeErr = b.body.Close()
	})
	return b.closeErr
}
