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

// peekedBody is the body of a failed response. Its beginning is read before the
// client reads it.
//
// A goroutine reads the beginning, because a Read may block until Close. It
// starts no further Read after peek has returned, but one Read may still be
// running. The client's Read waits for it and returns its bytes. Later Reads of
// the client go to the body itself. Close ends all Reads at once.
//
// Like any body, it has one reader at a time. Close may be called concurrently.
type peekedBody struct {
	body     io.ReadCloser
	done     chan struct{} // closed when the goroutine has ended
	closed   chan struct{} // closed by Close
	close    sync.Once
	closeErr error  // result of Close
	onEOF    func() // called in the client's Read that returns io.EOF; may be nil

	mu       sync.Mutex
	buf      [peekBytes]byte
	from, to int   // buf[from:to] has not been read by the client
	err      error // error of the goroutine's last Read
	panicked any   // value of its panic
	stop     bool  // start no further Read
}

var _ io.ReadCloser = (*peekedBody)(nil)

// newPeekedBody starts to read the beginning of a body.
func newPeekedBody(body io.ReadCloser) *peekedBody {
	a := &peekedBody{body: body, done: make(chan struct{}), closed: make(chan struct{})}
	go a.fill()
	return a
}

// errReadEnded is the error of a Read that called runtime.Goexit.
var errReadEnded = errors.New("read the response's body: Read called runtime.Goexit")

// fill reads until the buffer is full, peek has returned, or Read fails.
func (a *peekedBody) fill() {
	returned := false
	defer func() {
		if !returned { // keep the panic for the client's goroutine, which may recover it
			p := recover()
			a.mu.Lock()
			a.panicked, a.err = p, errReadEnded
			a.mu.Unlock()
		}
		close(a.done)
	}()
	const maxEmptyReads = 100 // consecutive empty Reads, as in package bufio
	to := 0
	for empty := 0; empty < maxEmptyReads; {
		n, err := a.body.Read(a.buf[to:])
		if empty++; n > 0 {
			empty = 0
		}
		to += len(a.buf[to:][:n]) // panics if Read returned an invalid n
		a.mu.Lock()
		a.to, a.err = to, err
		stop := a.stop || err != nil || to == len(a.buf)
		a.mu.Unlock()
		if stop {
			break
		}
	}
	returned = true
}

// peek waits for the beginning of the body, at most peekTime, and returns a
// copy of it. busy reports whether a Read is still running. peek panics if Read
// panicked.
func (a *peekedBody) peek(ctx context.Context) (head []byte, busy bool) {
	limit := time.NewTimer(peekTime)
	defer limit.Stop()
	select {
	case <-a.done:
	case <-limit.C:
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop = true
	if a.panicked != nil {
		panic(a.panicked)
	}
	return bytes.Clone(a.buf[:a.to]), a.busy()
}

// busy reports whether the goroutine's Read is still running.
func (a *peekedBody) busy() bool {
	select {
	case <-a.done:
		return false
	default:
		return true
	}
}

// Read returns the buffered bytes, then those of the body.
func (a *peekedBody) Read(p []byte) (int, error) {
	select {
	case <-a.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}
	if n := a.readBuffered(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	select {
	case <-a.done:
	case <-a.closed:
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := a.readBuffered(p), error(nil) // bytes of the goroutine's last Read
	if n == 0 {
		n, err = a.readBody(p)
	}
	if err == io.EOF && a.onEOF != nil { //nolint:errorlint // io.Reader returns io.EOF unwrapped
		a.onEOF()
		a.onEOF = nil
	}
	return n, err
}

// readBuffered copies unread bytes of the buffer.
func (a *peekedBody) readBuffered(p []byte) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := copy(p, a.buf[a.from:a.to])
	a.from += n
	return n
}

// readBody reads from the body itself. If the goroutine's Read failed, readBody
// returns the same error.
func (a *peekedBody) readBody(p []byte) (int, error) {
	switch {
	case a.panicked != nil:
		panic(a.panicked)
	case a.err != nil:
		return 0, a.err
	default:
		return a.body.Read(p)
	}
}

// Close closes the body. It does not wait for a running Read.
func (a *peekedBody) Close() error {
	a.close.Do(func() {
		close(a.closed)
		a.closeErr = a.body.Close()
	})
	return a.closeErr
}
