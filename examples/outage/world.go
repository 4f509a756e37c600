package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// world simulates the endpoints. It answers each request according to the script
// of the host. It is an http.RoundTripper and safe for concurrent use.
type world struct {
	seed    uint64
	start   time.Time
	scripts map[string]script // by host

	mu    sync.Mutex
	calls map[int]*record // by task
	down  int             // calls to an endpoint that was down
}

// record counts the calls of a task.
type record struct {
	calls  int
	failed int // with a temporary failure
	fatal  int // with a fatal error
	wasted int // after a fatal error
}

func newWorld(seed uint64, scripts map[string]script) *world {
	return &world{seed: seed, start: time.Now(), scripts: scripts, calls: map[int]*record{}}
}

// noise returns a number in [0, 1) that depends only on its arguments. So the order
// in which goroutines run does not change the figures.
func noise(seed uint64, a, b int) float64 {
	return rand.New(rand.NewPCG(seed, uint64(a)<<32|uint64(uint32(b)))).Float64()
}

// latency returns the duration of a successful call: 0.2 to 2 s.
func (w *world) latency(task, call int) time.Duration {
	return 200*time.Millisecond + time.Duration(noise(w.seed, task, call)*float64(1800*time.Millisecond))
}

// at returns the outage of a host at the time now, and how long that outage lasts
// from then on.
func (w *world) at(host string, now time.Time) (kind, time.Duration) {
	return w.scripts[host].at(now.Sub(w.start))
}

// up reports whether a health probe would succeed.
func (w *world) up(host string, now time.Time) bool {
	k, _ := w.at(host, now)
	return k != reset && k != outage
}

// RoundTrip answers a request according to the script. It closes the body unread.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	task, err := strconv.Atoi(r.Header.Get(taskHeader))
	if err != nil {
		return nil, fmt.Errorf("request without a task: %w", err)
	}
	trouble, left := w.at(r.URL.Host, time.Now())
	call := w.count(task, trouble)
	took := w.latency(task, call)
	if trouble != fine {
		took /= 20 // failures are quicker
	}
	select {
	case <-time.After(took):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	switch trouble {
	case reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case outage:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case limit:
		// Real servers send whole seconds, rounded up.
		seconds := strconv.Itoa(int((left-took)/time.Second) + 1)
		return answer(r, http.StatusTooManyRequests, `{"error":{"type":"rate_limit_error","message":"Rate limit exceeded"}}`, "Retry-After", seconds), nil
	case deadKey:
		return answer(r, http.StatusUnauthorized, `{"error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "", ""), nil
	default:
		return answer(r, http.StatusOK, `{"answer":42}`, "", ""), nil
	}
}

// count counts a call and returns its number within the task.
func (w *world) count(task int, trouble kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	rec := w.calls[task]
	if rec == nil {
		rec = &record{}
		w.calls[task] = rec
	}
	rec.calls++
	if rec.fatal > 0 {
		rec.wasted++
	}
	switch trouble {
	case fine:
	case deadKey:
		rec.fatal++
	default:
		rec.failed++
	}
	if trouble == reset || trouble == outage {
		w.down++
	}
	return rec.calls
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
