package resilience_test

import (
	"context"
	"fmt"
	"io"
	"net"
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
	"pgregory.net/rapid"

	"github.com/errclass/errclass/resilience"
)

// pipes is a listener in memory. A client connects with its method dial.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// A real client and a real server use one connection for all requests.
func TestTransport_RealHTTP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		listener := newPipes()
		var conns atomic.Int32
		server := &http.Server{
			ConnState: func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					conns.Add(1)
				}
			},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				if time.Since(start) < 20*time.Second {
					w.Header().Set("Retry-After", "10")
					w.WriteHeader(http.StatusServiceUnavailable)
					fmt.Fprint(w, strings.Repeat("busy ", 500))
					return
				}
				fmt.Fprintf(w, "%s %s", r.Method, sent)
			}),
		}
		go func() { _ = server.Serve(listener) }() // returns after Close
		base := &http.Transport{DialContext: listener.dial}
		client := &http.Client{Transport: resilience.NewTransport(base, executor(t, enabled()))}

		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://api.example/v1", strings.NewReader("text"))
		require.NoError(t, err)
		resp, err := client.Do(r)
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "PUT text", string(got))
		assert.Equal(t, 20*time.Second, time.Since(start))
		assert.EqualValues(t, 1, conns.Load(), "connections are used again")

		// The context of this request ends during a pause.
		start = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(15*time.Second, cancel)
		resp, err = client.Do(r.Clone(ctx))
		assert.Nil(t, resp)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 15*time.Second, time.Since(start))

		client.CloseIdleConnections()
		require.NoError(t, server.Close())
	})
}

// A client of a switched connection can close its own direction and still read.
func TestTransport_HalfClose(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer func() { _ = conn.Close() }()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n")
		sent, err := io.ReadAll(rw)
		assert.NoError(t, err)
		fmt.Fprintf(conn, "got %s", sent)
	}))
	defer srv.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "raw")
	resp, err := resilience.NewTransport(srv.Client().Transport, executor(t, enabled())).RoundTrip(r)
	require.NoError(t, err)
	conn, ok := resp.Body.(interface {
		io.ReadWriteCloser
		CloseWrite() error
	})
	require.True(t, ok)
	_, err = io.WriteString(conn, "hello")
	require.NoError(t, err)
	require.NoError(t, conn.CloseWrite())
	got, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "got hello", string(got))
	require.NoError(t, conn.Close())
}

// Many clients share a transport. Each client gets the answer to its own request.
func TestTransport_ConcurrentSafe(t *testing.T) {
	t.Parallel()
	var attempts sync.Map
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		n, _ := attempts.LoadOrStore(string(sent), new(atomic.Int32))
		switch n.(*atomic.Int32).Add(1) {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, strings.Repeat("<p>bad gateway</p>", 1000))
		case 2:
			hijacked, _, err := http.NewResponseController(w).Hijack()
			if assert.NoError(t, err) {
				assert.NoError(t, hijacked.Close())
			}
		default:
			fmt.Fprintf(w, "answer to %s", sent)
		}
	}))
	defer srv.Close()
	cfg := enabled()
	cfg.Retry = resilience.RetryConfig{Schedule: resilience.CustomSchedule, BaseDelayMs: 1, MaxDelayMs: 1}
	cfg.CircuitBreaker.Mode = resilience.BreakerForceClosed
	transport := resilience.NewTransport(srv.Client().Transport, executor(t, cfg), resilience.WithMethods(http.MethodPost))
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			question := fmt.Sprint("question ", i)
			resp, err := client.Post(srv.URL, "text/plain", strings.NewReader(question))
			if !assert.NoError(t, err) {
				return
			}
			defer func() { assert.NoError(t, resp.Body.Close()) }()
			got, err := io.ReadAll(resp.Body)
			assert.NoError(t, err)
			assert.Equal(t, "answer to "+question, string(got))
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
}

// The client gets the whole last response, and all other responses are closed.
func TestTransport_HandsBackProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 5000), 4, 4).Draw(rt, "bodies")
		statuses := rapid.SliceOfN(rapid.SampledFrom([]int{200, 400, 401, 429, 500, 503, 504}), 4, 4).Draw(rt, "statuses")
		piece := rapid.IntRange(1, 3000).Draw(rt, "piece")
		synctest.Test(t, func(t *testing.T) {
			var bodies []*trackedBody
			base := roundTrip(func(*http.Request) (*http.Response, error) {
				n := len(bodies)
				b := &trackedBody{Reader: chunkReader{strings.NewReader(string(texts[n])), piece}}
				bodies = append(bodies, b)
				return &http.Response{StatusCode: statuses[n], Header: http.Header{}, Body: b, ContentLength: -1}, nil
			})
			resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
			require.NoError(t, err)
			last := len(bodies) - 1
			got, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, string(texts[last]), string(got))
			assert.Equal(t, statuses[last], resp.StatusCode)
			for i, b := range bodies {
				want := 1
				if i == last {
					want = 0
				}
				assert.Equal(t, want, b.closed)
			}
		})
	})
}

// chunkReader is a reader whose Read returns at most n bytes.
type chunkReader struct {
	io.Reader
	n int
}

func (p chunkReader) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), p.n)]) }
