package main

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// These are the endpoints of the provider.
const (
	awayPath    = "/away"    // closes connections during the trouble
	limitedPath = "/limited" // answers 429 during the trouble
)

// workerHeader is the header with the name of the worker that made the request.
const workerHeader = "Worker"

// provider is an HTTP server on loopback that counts requests. A request takes
// 20 ms.
type provider struct {
	server *http.Server
	url    string

	mu         sync.Mutex
	start, end time.Time                       // of the trouble; zero before the call of failBetween
	vain       map[string][]time.Duration      // by path: times of the requests during the trouble, since start
	back       map[string]map[string]time.Time // by path and worker: time of the first answer after the trouble
}

func startProvider() (*provider, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &provider{
		url: "http://" + l.Addr().String(), vain: map[string][]time.Duration{},
		back: map[string]map[string]time.Time{awayPath: {}, limitedPath: {}},
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }() // until Close
	return p, nil
}

// failBetween sets the start and the end of the trouble: the period in which the
// provider fails.
func (p *provider) failBetween(start, end time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.end = start, end
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, left := r.URL.Path, p.count(r)
	time.Sleep(20 * time.Millisecond)
	switch {
	case left <= 0:
		_, _ = w.Write([]byte("ok"))
	case path == awayPath:
		panic(http.ErrAbortHandler) // closes the connection
	default:
		w.Header().Set("Retry-After", "2")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
	}
}

// count counts a request. It returns how much longer the provider will fail, or
// 0.
func (p *provider) count(r *http.Request) time.Duration {
	now, path := time.Now(), r.URL.Path
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case now.Before(p.start) || p.start.IsZero():
		return 0
	case now.Before(p.end):
		p.vain[path] = append(p.vain[path], now.Sub(p.start))
		return p.end.Sub(now)
	}
	if answered, worker := p.back[path], r.Header.Get(workerHeader); answered != nil && answered[worker].IsZero() {
		answered[worker] = now
	}
	return 0
}
