package resilience_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// hang is the time after which a call counts as hanging.
const hang = 20 * time.Second

// fastConfig returns a config with pauses of a millisecond and a breaker that stays
// closed.
func fastConfig() *resilience.Config {
	cfg := enabled()
	cfg.Retry = resilience.RetryConfig{Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1}
	cfg.CircuitBreaker.Mode = resilience.BreakerForceClosed
	return cfg
}

// hangingServer is a loopback server that never finishes its responses.
type hangingServer struct {
	*httptest.Server
	calls, gone atomic.Int64 // started handlers, and handlers with a disconnected client
}

// newHangingServer starts a server. The handler calls the function answer, then
// waits until the client disconnects.
func newHangingServer(t *testing.T, h2 bool, answer func(http.ResponseWriter, *http.Request)) *hangingServer {
	p := new(hangingServer)
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		answer(w, r)
		_ = http.NewResponseController(w).Flush() // fails if the client has disconnected
		<-r.Context().Done()
		p.gone.Add(1)
	}))
	p.EnableHTTP2 = h2
	if h2 {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(func() {
		p.Client().CloseIdleConnections()
		p.Close()
	})
	return p
}

// client returns a client with a Transport.
func (p *hangingServer) client(t *testing.T) *http.Client {
	return &http.Client{Transport: resilience.NewTransport(p.Client().Transport, executor(t, fastConfig()))}
}

// write503 sends a response with status 503. headers are names and values in turn.
func write503(w http.ResponseWriter, headers ...string) {
	for i := 0; i < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// writeText writes and flushes a text.
func writeText(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text) // fails if the client has disconnected
	_ = http.NewResponseController(w).Flush()
}

// unfinished lists different failed responses whose bodies never end.
var unfinished = []struct {
	name   string
	header http.Header // headers of the request
	answer func(http.ResponseWriter, *http.Request)
}{
	{name: "headers alone", answer: func(w http.ResponseWriter, _ *http.Request) { write503(w) }},
	{name: "an event stream without an event", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Type", "text/event-stream")
	}},
	{name: "an event stream after an event", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Type", "text/event-stream; charset=utf-8")
		writeText(w, "data: {}\n\n")
	}},
	{name: "an event stream in capitals", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Type", "Text/Event-Stream ;a")
		writeText(w, "data: {}\n\n")
	}},
	{name: "a byte, then silence", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w)
		writeText(w, "{")
	}},
	{name: "a KiB, then silence", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w)
		writeText(w, strings.Repeat("x", 1<<10))
	}},
	{name: "2 KiB, then silence", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w)
		writeText(w, strings.Repeat("x", 2<<10))
	}},
	{name: "a known length, none of it sent", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Length", "100")
	}},
	{name: "a known length, half of it sent", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Length", "100")
		writeText(w, strings.Repeat("x", 50))
	}},
	{name: "a known length, a KiB of it sent", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Length", "2000")
		writeText(w, strings.Repeat("x", 1<<10))
	}},
	{name: "gzip that net/http decodes, headers alone", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Encoding", "gzip")
	}},
	{name: "gzip that net/http decodes, a beginning", answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "overloaded")
		_ = z.Flush()
	}},
	{name: "gzip that the client decodes", header: http.Header{"Accept-Encoding": {"gzip"}}, answer: func(w http.ResponseWriter, _ *http.Request) {
		write503(w, "Content-Encoding", "gzip")
		writeText(w, "\x1f\x8b")
	}},
	{name: "a slow drip", answer: func(w http.ResponseWriter, r *http.Request) {
		write503(w)
		for r.Context().Err() == nil {
			writeText(w, "x")
			time.Sleep(40 * time.Millisecond)
		}
	}},
	{name: "no end", answer: func(w http.ResponseWriter, r *http.Request) {
		write503(w)
		for r.Context().Err() == nil {
			writeText(w, strings.Repeat("x", 32<<10))
		}
	}},
}

// A failed response that never ends does not delay retries. The client gets the last
// response.
func TestTransport_UnfinishedBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range unfinished {
		for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := newHangingServer(t, h2, tt.answer)
				ctx, cancel := context.WithTimeout(t.Context(), hang)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
				require.NoError(t, err)
				if tt.header != nil {
					r.Header = tt.header.Clone()
				}
				resp, err := p.client(t).Do(r)
				require.NoError(t, err, "after %d calls", p.calls.Load())
				assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
				assert.EqualValues(t, 3, p.calls.Load())
				assert.Eventually(t, func() bool { return p.gone.Load() == 2 }, hang, time.Millisecond, "given up while the last answer is open")
				require.NoError(t, resp.Body.Close())
				assert.Eventually(t, func() bool { return p.gone.Load() == 3 }, hang, time.Millisecond, "given up with Close")
			})
		}
	}
}

// A thousand calls get responses that never end. At the end, no goroutine runs.
func TestTransport_UnfinishedBodiesConcurrentSafe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const callers = 1000
		var made, closed atomic.Int64
		base := roundTrip(func(r *http.Request) (*http.Response, error) {
			b := newSlowBody()
			b.chunks <- strings.Repeat("x", int(made.Add(1)%2)<<10) // empty, or one KiB
			go func() {
				<-b.closed
				closed.Add(1)
			}()
			return &http.Response{StatusCode: 503, Header: http.Header{}, Body: b, ContentLength: -1, Request: r}, nil
		})
		client := &http.Client{Transport: resilience.NewTransport(base, executor(t, fastConfig()))}
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				resp, err := client.Get("http://api.example")
				if assert.NoError(t, err) {
					assert.NoError(t, resp.Body.Close())
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		assert.EqualValues(t, 3*callers, made.Load())
		assert.EqualValues(t, 3*callers, closed.Load())
	})
}
