package resilience_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/resilience"
)

// slowBody is a body that a test sends in chunks. Read waits for a chunk or for
// Close.
type slowBody struct {
	chunks chan string
	closed chan struct{}
	rest   string
	reads  atomic.Int32 // running Reads
	calls  atomic.Int32 // calls of Close
}

func newSlowBody() *slowBody {
	return &slowBody{chunks: make(chan string, 100), closed: make(chan struct{})}
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.reads.Add(1) > 1 {
		panic("two Reads at once")
	}
	defer b.reads.Add(-1)
	if b.rest == "" {
		select {
		case chunk, more := <-b.chunks:
			if !more {
				return 0, io.EOF
			}
			b.rest = chunk
		case <-b.closed:
			return 0, http.ErrBodyReadAfterClose
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *slowBody) Close() error {
	if b.calls.Add(1) == 1 {
		close(b.closed)
	}
	return nil
}

// failing returns a base transport that answers 503 with the given bodies, in order.
func failing(bodies ...io.ReadCloser) http.RoundTripper {
	n := 0
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		n++
		return &http.Response{StatusCode: 503, Header: http.Header{}, Body: bodies[n-1], ContentLength: -1, Request: r}, nil
	})
}

// If a failed response does not send its first KiB, each call waits 250 ms for it.
func TestTransport_SilentBodyTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		piece string
		want  time.Duration // duration of the call, without the pauses between attempts
	}{
		{name: "nothing", want: 3 * 250 * time.Millisecond},
		{name: "a byte", piece: "x", want: 3 * 250 * time.Millisecond},
		{name: "1023 bytes", piece: strings.Repeat("x", 1023), want: 3 * 250 * time.Millisecond},
		{name: "a KiB", piece: strings.Repeat("x", 1024), want: 2 * 25 * time.Millisecond}, // two earlier responses are drained
		{name: "10 KiB", piece: strings.Repeat("x", 10240)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				bodies := []*slowBody{newSlowBody(), newSlowBody(), newSlowBody()}
				for _, b := range bodies {
					if tt.piece != "" {
						b.chunks <- tt.piece
					}
				}
				start := time.Now()
				base := failing(bodies[0], bodies[1], bodies[2])
				resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				assert.Equal(t, 1500*time.Millisecond+tt.want, time.Since(start))
				synctest.Wait() // slow bodies are closed in the background
				assert.EqualValues(t, 1, bodies[0].calls.Load())
				assert.EqualValues(t, 1, bodies[1].calls.Load())
				assert.Zero(t, bodies[2].calls.Load())
				require.NoError(t, resp.Body.Close())
				require.NoError(t, resp.Body.Close())
				assert.EqualValues(t, 1, bodies[2].calls.Load())
				_, err = resp.Body.Read(make([]byte, 1))
				require.Error(t, err)
			})
		})
	}
}

// When the request's context ends, the transport stops waiting for a silent body.
func TestTransport_SilentBodyContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := newSlowBody()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		resp, err := resilience.NewTransport(failing(b), executor(t, enabled())).RoundTrip(request(t, http.MethodGet, "").WithContext(ctx))
		assert.Equal(t, 100*time.Millisecond, time.Since(start))
		if err == nil {
			require.NoError(t, resp.Body.Close())
		}
		assert.EqualValues(t, 1, b.calls.Load())
	})
}

// The client reads every byte once and in order, whenever the chunks arrive.
func TestTransport_ContinuesProperty(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringN(1, 900, 900), 0, 8).Draw(rt, "pieces")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 300), len(pieces)+1, len(pieces)+1).Draw(rt, "pauses in ms")
		size := rapid.IntRange(1, 2000).Draw(rt, "size of the client's reads")
		end := rapid.SampledFrom([]error{io.EOF, broken, io.ErrUnexpectedEOF}).Draw(rt, "end")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			here, there := io.Pipe()
			go func() {
				for i, p := range pieces {
					time.Sleep(time.Duration(pauses[i]) * time.Millisecond)
					_, _ = io.WriteString(there, p)
				}
				time.Sleep(time.Duration(pauses[len(pieces)]) * time.Millisecond)
				_ = there.CloseWithError(end) // end is io.EOF or an error
			}()
			cfg := enabled()
			r := request(t, http.MethodPost, "") // POST is not repeated
			start := time.Now()
			resp, err := resilience.NewTransport(failing(here), executor(t, cfg)).RoundTrip(r)
			if err != nil || time.Since(start) > 250*time.Millisecond {
				fault = "the response did not come in time"
				return
			}
			assert.Same(t, r, resp.Request)
			var got bytes.Buffer
			buf := make([]byte, size)
			for err == nil {
				var n int
				n, err = resp.Body.Read(buf)
				got.Write(buf[:n])
			}
			if got.String() != strings.Join(pieces, "") || !errors.Is(err, end) {
				fault = "another body than was sent"
			}
			if _, again := resp.Body.Read(buf); !errors.Is(again, end) {
				fault = "another error at the second time"
			}
			if resp.Body.Close() != nil {
				fault = "close failed"
			}
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// The client gets the whole body, even if bytes arrive after the classification.
func TestTransport_ContinuesStream(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"plain": "", "gzip": "gzip", "event stream": ""} {
		for _, head := range []string{"", "head ", strings.Repeat("head ", 1000)} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				going := make(chan struct{})
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Trailer", "X-Sum")
					if name == "event stream" {
						w.Header().Set("Content-Type", "text/event-stream")
					}
					var to io.Writer = w
					if header != "" {
						w.Header().Set("Content-Encoding", header)
						z := gzip.NewWriter(w)
						defer func() { _ = z.Close() }()
						to = z
					}
					w.WriteHeader(http.StatusServiceUnavailable)
					for _, text := range []string{head, "tail"} {
						_, _ = io.WriteString(to, text)
						if z, ok := to.(*gzip.Writer); ok && text != "" {
							_ = z.Flush()
						}
						_ = http.NewResponseController(w).Flush()
						if text != "tail" {
							<-going
						}
					}
					w.Header().Set("X-Sum", "42")
				}))
				defer srv.Close()
				ctx, cancel := context.WithTimeout(t.Context(), hang)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, nil) // POST is not repeated
				require.NoError(t, err)
				resp, err := (&http.Client{Transport: resilience.NewTransport(srv.Client().Transport, executor(t, fastConfig()))}).Do(r)
				require.NoError(t, err)
				_, announced := resp.Trailer["X-Sum"] // must not race with a write
				assert.True(t, announced)
				close(going)
				assert.EqualValues(t, -1, resp.ContentLength)
				assert.Equal(t, header != "", resp.Uncompressed)
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, head+"tail", string(got))
				assert.Equal(t, "42", resp.Trailer.Get("X-Sum"))
				require.NoError(t, resp.Body.Close())
				require.NoError(t, resp.Request.Context().Err(), "the request's context is the client's")
			})
		}
	}
}

// A body that arrives within 250 ms is classified, even if net/http must decompress it.
func TestTransport_CompressedBodyDecides(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusTooManyRequests)
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"error":{"code":"insufficient_quota"}}`)
		_ = z.Close()
	}))
	defer srv.Close()
	resp, err := (&http.Client{Transport: resilience.NewTransport(srv.Client().Transport, executor(t, fastConfig()))}).Get(srv.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.EqualValues(t, 1, calls.Load())
}

// After short bodies the connection is reused. After other bodies it is closed.
func TestTransport_Connections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		body  int
		known bool // Content-Length is set
		want  int64
	}{
		{name: "none", known: true, want: 1},
		{name: "short, known", body: 900, known: true, want: 1},
		{name: "short, not known", body: 900, want: 1},
		{name: "3 KiB, known", body: 3072, known: true, want: 1},
		{name: "more, known", body: 3073, known: true, want: 3},
		{name: "long, not known", body: 100_000, want: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var conns atomic.Int64
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.known {
					w.Header().Set("Content-Length", strconv.Itoa(tt.body))
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				if !tt.known {
					_ = http.NewResponseController(w).Flush()
				}
				_, _ = io.WriteString(w, strings.Repeat("x", tt.body))
			}))
			srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					conns.Add(1)
				}
			}
			srv.Start()
			defer srv.Close()
			resp, err := (&http.Client{Transport: resilience.NewTransport(srv.Client().Transport, executor(t, fastConfig()))}).Get(srv.URL)
			require.NoError(t, err)
			got, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Len(t, got, tt.body)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, tt.want, conns.Load())
		})
	}
}

// If a Read panics or returns a wrong count, only the client's goroutine sees the
// fault.
func TestTransport_BrokenReaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		read   func([]byte) (int, error)
		panics bool
	}{
		{name: "panics", read: func([]byte) (int, error) { panic("boom") }, panics: true},
		{name: "panics late", read: func([]byte) (int, error) { time.Sleep(time.Second); panic("boom") }, panics: true},
		{name: "ends the goroutine", read: func([]byte) (int, error) { runtime.Goexit(); return 0, nil }},
		{name: "too much", read: func(p []byte) (int, error) { return len(p) + 1, nil }, panics: true},
		{name: "less than nothing", read: func([]byte) (int, error) { return -1, nil }, panics: true},
		{name: "nothing for ever", read: func([]byte) (int, error) { return 0, nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				whole := func() {
					base := failing(io.NopCloser(readerFunc(tt.read)))
					resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodPost, ""))
					require.NoError(t, err)
					n, err := resp.Body.Read(make([]byte, 10))
					assert.Zero(t, n)
					assert.Equal(t, tt.name == "ends the goroutine", err != nil)
					require.NoError(t, resp.Body.Close())
				}
				if tt.panics {
					assert.Panics(t, whole)
				} else {
					whole()
				}
			})
		})
	}
}

// stuckBody is a body that blocks Read and Close until the request's context ends.
type stuckBody struct {
	ctx    context.Context
	closed chan struct{}
}

func (b stuckBody) Read([]byte) (int, error) { <-b.ctx.Done(); return 0, b.ctx.Err() }
func (b stuckBody) Close() error             { <-b.ctx.Done(); close(b.closed); return nil }

// Closing a response ends the context of its request, so a blocked Close returns.
func TestTransport_CloseThatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var bodies []stuckBody
		base := roundTrip(func(r *http.Request) (*http.Response, error) {
			bodies = append(bodies, stuckBody{r.Context(), make(chan struct{})})
			return &http.Response{StatusCode: 503, Body: bodies[len(bodies)-1], ContentLength: -1}, nil
		})
		resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
		require.NoError(t, err)
		require.Len(t, bodies, 3)
		require.NoError(t, resp.Body.Close())
		for _, b := range bodies {
			<-b.closed // otherwise the bubble deadlocks
		}
	})
}

// The context of a request ends when the response's body ends. If there is no body, the
// context ends at once.
func TestTransport_ContextEndsWithBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   io.ReadCloser
		err    error
	}{
		{name: "read to its end", status: 200, body: io.NopCloser(strings.NewReader("text"))},
		{name: "closed", status: 200, body: newSlowBody()},
		{name: "failed and closed", status: 503, body: newSlowBody()},
		{name: "an event stream", status: 503, body: newSlowBody()},
		{name: "no body", status: 204, body: http.NoBody},
		{name: "nil", status: 200},
		{name: "an error", err: errNetwork},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var own context.Context
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				own = r.Context()
				if tt.err != nil {
					return nil, tt.err
				}
				header := http.Header{}
				if tt.name == "an event stream" {
					header.Set("Content-Type", "text/event-stream")
				}
				return &http.Response{StatusCode: tt.status, Header: header, Body: tt.body}, nil
			})
			resp, err := resilience.NewTransport(base, executor(t, fastConfig())).RoundTrip(request(t, http.MethodPost, "").WithContext(ctx))
			require.ErrorIs(t, err, tt.err)
			if err == nil && resp.Body != nil && resp.Body != http.NoBody {
				require.NoError(t, own.Err(), "while the body is open")
				if tt.name == "read to its end" {
					_, err = io.ReadAll(resp.Body)
				} else {
					err = resp.Body.Close()
				}
				require.NoError(t, err)
			}
			require.ErrorIs(t, own.Err(), context.Canceled)
			require.NoError(t, ctx.Err())
		})
	}
}

// Very large headers do not delay a call. The executor does not store them.
func TestTransport_AbsurdHeaders(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"huge":          strings.Repeat("9", 1000),
		"negative":      "-9223372036854775808",
		"int64":         "9223372036854775807",
		"float":         "1e308",
		"not a number":  "NaN",
		"infinity":      "Inf",
		"duration":      strings.Repeat("1s", 1<<16),
		"far away":      "Fri, 31 Dec 9999 23:59:59 GMT",
		"long gone":     "Mon, 01 Jan 0001 00:00:00 GMT",
		"megabytes":     strings.Repeat("x", 8<<20),
		"empty":         "",
		"control bytes": "\x00\xff\n7",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				header := http.Header{}
				for _, key := range []string{
					"Retry-After", "Retry-After-Ms", "X-Ratelimit-Reset", "X-Ratelimit-Reset-Requests", "Anthropic-Ratelimit-Requests-Reset",
					"Content-Type", "Content-Encoding", "Location", "Trailer", "Date",
				} {
					header.Set(key, value)
				}
				seen := new(events)
				base := &server{steps: []step{{status: 429, header: header, body: "{}"}}}
				start := time.Now()
				x := executor(t, enabled(), resilience.WithObserver(seen.observe))
				resp, err := resilience.NewTransport(base, x).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				assert.Equal(t, header, resp.Header, "the client gets all of them")
				require.NoError(t, resp.Body.Close())
				assert.LessOrEqual(t, time.Since(start), 2*resilience.MaxRetryAfterWait)
				for _, a := range seen.ofKind(resilience.KindAttempt) {
					assert.NotContains(t, a.Result.Rule, "panic")
					bad, ok := errors.AsType[*resilience.ResponseError](a.Err)
					require.True(t, ok)
					size := 0
					for k, values := range bad.Header {
						for _, v := range values {
							size += len(k) + len(v)
						}
					}
					assert.LessOrEqual(t, size, 64<<10)
				}
			})
		})
	}
}

// The executor stores nothing for hosts with names of several megabytes.
func TestTransport_AbsurdHost(t *testing.T) {
	t.Parallel()
	x := executor(t, enabled())
	base := &server{steps: []step{{status: 400}}}
	r := request(t, http.MethodGet, "")
	r.URL.Host = strings.Repeat("a", 1<<20)
	resp, err := resilience.NewTransport(base, x).RoundTrip(r)
	require.NoError(t, err)
	assert.Equal(t, 400, resp.StatusCode)
	assert.Empty(t, x.Breakers().Snapshot())
}
