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

// world is what the clients call: endpoints with a script of what is wrong
// with them when. It is an http.RoundTripper and safe for concurrent use.
type world struct {
	seed    uint64
	start   time.Time
	scripts map[string]script // by host

	mu    sync.Mutex
	calls map[int]*record // by task
	down  int             // calls that met an endpoint which was down
}

// record is what a task's calls came to.
type record struct {
	calls  int
	failed int  // of them, but for those that follow
	fatal  int  // of them: a person has to act
	wasted int  // calls after a fatal error
	first  kind // what the first call met
}

func newWorld(seed uint64, scripts map[string]script) *world {
	return &world{seed: seed, start: time.Now(), scripts: scripts, calls: map[int]*record{}}
}

// noise is a number in [0, 1) that depends on its arguments alone: the order in
// which goroutines happen to run must not matter.
func noise(seed uint64, a, b int) float64 {
	return rand.New(rand.NewPCG(seed, uint64(a)<<32|uint64(uint32(b)))).Float64()
}

// latency of a call that is answered: 0.2 to 2 s.
func (w *world) latency(task, call int) time.Duration {
	return 200*time.Millisecond + time.Duration(noise(w.seed, task, call)*float64(1800*time.Millisecond))
}

// at is what is wrong with a host now, and for how long.
func (w *world) at(host string, now time.Time) (kind, time.Duration) {
	return w.scripts[host].at(now.Sub(w.start))
}

// up says what a health probe would find.
func (w *world) up(host string, now time.Time) bool {
	k, _ := w.at(host, now)
	return k != reset && k != outage
}

// RoundTrip answers as the script says.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }() // which is never read
	}
	task, err := strconv.Atoi(r.Header.Get(taskHeader))
	if err != nil {
		return nil, fmt.Errorf("request without a task: %w", err)
	}
	trouble, left := w.at(r.URL.Host, time.Now())
	call := w.note(task, trouble)
	took := w.latency(task, call)
	if trouble != fine {
		took /= 20 // failing is quick
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
		// Whole seconds, rounded up, as a server gives them.
		seconds := strconv.Itoa(int((left-took)/time.Second) + 1)
		return answer(r, http.StatusTooManyRequests, `{"error":{"type":"rate_limit_error","message":"Rate limit exceeded"}}`, "Retry-After", seconds), nil
	case deadKey:
		return answer(r, http.StatusUnauthorized, `{"error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "", ""), nil
	default:
		return answer(r, http.StatusOK, `{"answer":42}`, "", ""), nil
	}
}

// note counts a call and returns its number within the task.
func (w *world) note(task int, trouble kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	rec := w.calls[task]
	if rec == nil {
		rec = &record{first: trouble}
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
