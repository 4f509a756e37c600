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

// ahead is the body of a failed response, whose beginning is read before the
// client reads it.
//
// A Read that blocks ends only when the body is closed, so a goroutine makes
// it. The goroutine begins no further Read after peek has returned. Until the
// last one is back the goroutine owns the body; the client's Read waits for it
// and gets what it brings. From then on the client's Reads go to the body
// itself. Close ends all of this at once.
//
// Like other bodies it is for one reader at a time. Close may be called
// meanwhile.
type ahead struct {
	body   io.ReadCloser
	done   chan struct{} // closed when the goroutine leaves the body alone
	closed chan struct{} // closed by Close
	close  sync.Once
	failed error  // of Close
	atEnd  func() // called in the client's Read that finds the end of the body; nil = nothing to do

	mu       sync.Mutex
	buf      [peekBytes]byte
	from, to int   // what of buf the client has not got yet
	err      error // of the goroutine's last Read
	panicked any   // what that Read has panicked with
	enough   bool  // begin no further Read
}

var _ io.ReadCloser = (*ahead)(nil)

// readAhead begins to read a body.
func readAhead(body io.ReadCloser) *ahead {
	a := &ahead{body: body, done: make(chan struct{}), closed: make(chan struct{})}
	go a.fill()
	return a
}

// errReadEnded stands for a Read that ended its goroutine instead of returning.
var errReadEnded = errors.New("read a response's body: its Read ended the goroutine")

// fill reads until it has what peek wants.
func (a *ahead) fill() {
	returned := false
	defer func() {
		if !returned { // it belongs to the client's goroutine, where somebody may recover it
			p := recover()
			a.mu.Lock()
			a.panicked, a.err = p, errReadEnded
			a.mu.Unlock()
		}
		close(a.done)
	}()
	const fruitless = 100 // Reads of nothing in a row, as in package bufio
	to := 0
	for empty := 0; empty < fruitless; {
		n, err := a.body.Read(a.buf[to:])
		if empty++; n > 0 {
			empty = 0
		}
		to += len(a.buf[to:][:n]) // which panics where n is none that Read may return
		a.mu.Lock()
		a.to, a.err = to, err
		enough := a.enough || err != nil || to == len(a.buf)
		a.mu.Unlock()
		if enough {
			break
		}
	}
	returned = true
}

// peek returns a copy of the beginning, when it is there or after [peekTime],
// and whether a Read is still under way. A panic of Read is that of peek.
func (a *ahead) peek(ctx context.Context) (head []byte, busy bool) {
	limit := time.NewTimer(peekTime)
	defer limit.Stop()
	select {
	case <-a.done:
	case <-limit.C:
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.enough = true
	if a.panicked != nil {
		panic(a.panicked)
	}
	return bytes.Clone(a.buf[:a.to]), a.busy()
}

// busy reports whether the goroutine's Read is still under way.
func (a *ahead) busy() bool {
	select {
	case <-a.done:
		return false
	default:
		return true
	}
}

// Read returns what was read ahead, then what is behind it.
func (a *ahead) Read(p []byte) (int, error) {
	select {
	case <-a.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}
	if n := a.take(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	select {
	case <-a.done:
	case <-a.closed:
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := a.take(p), error(nil) // what the last Read has brought meanwhile
	if n == 0 {
		n, err = a.beyond(p)
	}
	if err == io.EOF && a.atEnd != nil { //nolint:errorlint // readers compare, too
		a.atEnd()
		a.atEnd = nil
	}
	return n, err
}

// take returns what is left of what was read ahead.
func (a *ahead) take(p []byte) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := copy(p, a.buf[a.from:a.to])
	a.from += n
	return n
}

// beyond continues where the goroutine has stopped. An error that it has met
// stays: a body need not say it twice.
func (a *ahead) beyond(p []byte) (int, error) {
	switch {
	case a.panicked != nil:
		panic(a.panicked)
	case a.err != nil:
		return 0, a.err
	default:
		return a.body.Read(p)
	}
}

// Close closes the body. It does not wait for a Read that is under way.
func (a *ahead) Close() error {
	a.close.Do(func() {
		close(a.closed)
		a.failed = a.body.Close()
	})
	return a.failed
}
