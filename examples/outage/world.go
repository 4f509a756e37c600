package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// endpoint is the state of an endpoint during a run. It is safe for concurrent use.
type endpoint struct {
	plan
	seed   uint64
	start  time.Time
	script script
	vain   [clients]atomic.Int64 // calls during a trouble, by client
}

// up reports whether the time now is outside the endpoint's troubles, the periods in
// which its calls fail.
func (e *endpoint) up(now time.Time) bool { return e.script.remaining(now.Sub(e.start)) == 0 }

// noise returns a number in [0, 1) that depends only on the arguments.
func noise(seed uint64, a, b int) float64 {
	return rand.New(rand.NewPCG(seed, uint64(a)<<32|uint64(uint32(b)))).Float64()
}

// world simulates the endpoints for one client. It is an http.RoundTripper
// without a network.
type world struct {
	client    client
	endpoints map[string]*endpoint
}

// errUnknownHost is the error for a request that no simulated client makes.
var errUnknownHost = errors.New("a request to an unknown host, or without a task")

// RoundTrip answers a request according to the script of its host. A success takes
// 0.2 to 2 s. An error takes 10 to 100 ms. A call without an answer ends with its
// context.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	e, try := w.endpoints[r.URL.Host], tryOf(r.Context())
	if e == nil || try == nil {
		return nil, errUnknownHost
	}
	try.calls++
	took := 200*time.Millisecond + time.Duration(noise(e.seed, try.task.id, 2*try.calls)*float64(1800*time.Millisecond))
	trouble, left := fine, e.script.remaining(time.Since(e.start))
	switch {
	case left > 0:
		trouble = e.kind
		e.vain[w.client].Add(1)
	case (e.kind == flaky || e.kind == broken) && noise(e.seed, try.task.id, 2*try.calls+1) < 0.2:
		trouble = e.kind
	}
	if trouble != fine {
		took /= 20
		try.firstFailed = try.firstFailed || try.calls == 1
	}
	if trouble == hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if err := pause(r.Context(), took); err != nil {
		return nil, err
	}
	switch trouble {
	case resets, flaky:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case down:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case limit:
		// Real servers send Retry-After in whole seconds, rounded up.
		seconds := strconv.Itoa(int((left-took)/time.Second) + 1)
		return answer(r, http.StatusTooManyRequests, `{"error":{"type":"rate_limit_error","message":"Rate limit exceeded"}}`, "Retry-After", seconds), nil
	case broken:
		return answer(r, http.StatusServiceUnavailable, `{"error":{"type":"api_error","message":"Service unavailable"}}`, "", ""), nil
	default:
		return answer(r, http.StatusOK, `{"answer":42}`, "", ""), nil
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func answer(r *http.Request, status int, body, key, value string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	if key != "" {
		h.Set(key, value)
	}
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}
