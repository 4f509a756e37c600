package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// roundTrip is a base transport that calls a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// trackedBody is a body that counts the calls of Read and Close.
type trackedBody struct {
	io.Reader
	mu     sync.Mutex
	read   int
	closed int
}

func newBody(text string) *trackedBody { return &trackedBody{Reader: strings.NewReader(text)} }

func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += n
	return n, err
}

func (b *trackedBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed++
	return nil
}

// step is one answer of a server: a response or an error.
type step struct {
	status int
	header http.Header
	body   string
	err    error
}

// server is a base transport with prepared answers. The last answer repeats.
type server struct {
	mu       sync.Mutex
	steps    []step
	requests []*http.Request
	sent     []string       // request bodies
	bodies   []*trackedBody // response bodies
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.sent = append(s.requests, r), append(s.sent, string(sent))
	current := s.steps[0]
	if len(s.steps) > 1 {
		s.steps = s.steps[1:]
	}
	if current.err != nil {
		return nil, current.err
	}
	if current.header == nil {
		current.header = http.Header{"Content-Type": {"application/json"}}
	}
	b := newBody(current.body)
	s.bodies = append(s.bodies, b)
	return &http.Response{
		StatusCode: current.status, Status: http.StatusText(current.status), Proto: "HTTP/1.1", Header: current.header,
		Body: b, ContentLength: int64(len(current.body)), Request: r,
	}, nil
}

func request(t testing.TB, method, text string) *http.Request {
	t.Helper()
	var reader io.Reader
	if text != "" {
		reader = strings.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "https://api.openai.com/v1/chat?q=1", reader)
	require.NoError(t, err)
	return r
}

func TestTransport_Repeats(t *testing.T) {
	t.Parallel()
	after := func(seconds string) http.Header { return http.Header{"Retry-After": {seconds}} }
	keyBody := `{"error":{"type":"invalid_request_error","code":"invalid_api_key","message":"Incorrect API key provided"}}`
	for _, tt := range []struct {
		name   string
		steps  []step
		calls  int
		status int   // of the returned response
		err    error // returned error
		took   time.Duration
	}{
		{name: "success at once", steps: []step{{status: 200}}, calls: 1, status: 200},
		{name: "no failure below 400", steps: []step{{status: 304}}, calls: 1, status: 304},
		{name: "success after 503", steps: []step{{status: 503}, {status: 200}}, calls: 2, status: 200, took: 500 * time.Millisecond},
		{name: "503 as often as the policy says", steps: []step{{status: 503}}, calls: 3, status: 503, took: 1500 * time.Millisecond},
		{name: "as the header says", steps: []step{{status: 429, header: after("7")}, {status: 200}}, calls: 2, status: 200, took: 7 * time.Second},
		{name: "a header that asks for too much", steps: []step{{status: 429, header: after("61")}}, calls: 1, status: 429},
		{name: "a key that is wrong", steps: []step{{status: 401}}, calls: 1, status: 401},
		{name: "a body that says more than the status", steps: []step{{status: 500, body: keyBody}}, calls: 1, status: 500},
		{name: "a spent quota", steps: []step{{status: 429, body: `{"error":{"code":"insufficient_quota"}}`}}, calls: 1, status: 429},
		{name: "a wait in the body", steps: []step{
			{status: 429, body: `{"error":{"type":"rate_limit_exceeded","message":"Please try again in 3s."}}`}, {status: 200},
		}, calls: 2, status: 200, took: 3 * time.Second},
		{name: "network", steps: []step{{err: errNetwork}}, calls: 6, err: errNetwork, took: 15500 * time.Millisecond},
		{name: "a response after network failures", steps: []step{{err: errNetwork}, {err: errNetwork}, {status: 404}}, calls: 3, status: 404, took: 1500 * time.Millisecond},
		{name: "a network failure after a response", steps: []step{{status: 503}, {err: errDNS}}, calls: 2, err: errDNS, took: 500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				base := &server{steps: tt.steps}
				resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
				assert.Len(t, base.requests, tt.calls)
				assert.Equal(t, tt.took, time.Since(start))
				if tt.err != nil {
					require.ErrorIs(t, err, tt.err)
					require.EqualError(t, err, tt.err.Error())
					assert.Nil(t, resp)
					assert.Len(t, asError(t, err).Attempts, tt.calls)
				} else {
					require.NoError(t, err)
					assert.Equal(t, tt.status, resp.StatusCode)
				}
				for i, b := range base.bodies {
					want := 1
					if tt.err == nil && i == len(base.bodies)-1 {
						want = 0 // the client closes the last body
					}
					assert.Equal(t, want, b.closed, "response %d", i)
				}
			})
		})
	}
}

// The client gets the last response unchanged. The other bodies are read only in
// part.
func TestTransport_LastResponseIntact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 2000)
	for _, tt := range []struct {
		name     string
		body     string
		header   http.Header
		drained  int // bytes read of each earlier response
		beginMax int // bytes of the last response that are read before RoundTrip returns
	}{
		{name: "none", body: ""},
		{name: "short", body: `{"error":"x"}`, drained: 13, beginMax: 13},
		{name: "a KiB", body: long[:1024], drained: 1024, beginMax: 1024},
		{name: "2 KiB", body: long[:2048], drained: 2048, beginMax: 1024},
		{name: "long", body: long, drained: 1024, beginMax: 1024},
		{name: "compressed", body: long[:500], header: http.Header{"Content-Encoding": {"gzip"}}, drained: 500},
		{name: "stream", body: long[:500], header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, drained: 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if tt.header == nil {
					tt.header = http.Header{"X-Request-Id": {"r-1"}}
				}
				base := &server{steps: []step{{status: 503, header: tt.header, body: tt.body}}}
				resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				require.Len(t, base.bodies, 3)
				for _, b := range base.bodies[:2] {
					assert.Equal(t, 1, b.closed)
					assert.Equal(t, tt.drained, b.read)
				}
				last := base.bodies[2]
				assert.Equal(t, tt.beginMax, last.read)
				assert.Equal(t, 503, resp.StatusCode)
				assert.Equal(t, tt.header, resp.Header)
				assert.Equal(t, int64(len(tt.body)), resp.ContentLength)
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, tt.body, string(got))
				assert.Zero(t, last.closed)
				require.NoError(t, resp.Body.Close())
				assert.Equal(t, 1, last.closed)
			})
		})
	}
}

// If a Read fails, the client gets the bytes before the failure and then the error.
func TestTransport_BrokenBody(t *testing.T) {
	t.Parallel()
	for _, broken := range []error{io.ErrUnexpectedEOF, errNetwork} {
		base := roundTrip(func(*http.Request) (*http.Response, error) {
			b := io.MultiReader(strings.NewReader(`{"error":`), iotestErr(broken))
			return &http.Response{StatusCode: 400, Body: io.NopCloser(b), ContentLength: -1}, nil
		})
		resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		assert.Equal(t, `{"error":`, string(got))
		assert.Equal(t, broken, err)
		require.NoError(t, resp.Body.Close())
	}
}

// iotestErr returns a reader that fails once with err, and then with another error.
func iotestErr(err error) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		defer func() { err = errors.New("read on after an error") }()
		return 0, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Method, headers and body decide whether a request can be repeated.
func TestTransport_MayRepeat(t *testing.T) {
	t.Parallel()
	post := resilience.WithMethods(http.MethodPost)
	for _, tt := range []struct {
		name   string
		method string
		header string // header with an empty value
		body   string
		plain  bool // body without GetBody
		opts   []resilience.TransportOption
		want   bool
	}{
		{name: "GET", method: "GET", want: true},
		{name: "no method is GET", method: "", want: true},
		{name: "HEAD", method: "HEAD", want: true},
		{name: "OPTIONS", method: "OPTIONS", want: true},
		{name: "TRACE", method: "TRACE", want: true},
		{name: "PUT", method: "PUT", body: "text", want: true},
		{name: "DELETE", method: "DELETE", want: true},
		{name: "POST", method: "POST", body: "text"},
		{name: "PATCH", method: "PATCH", body: "text"},
		{name: "a method of one's own", method: "PURGE"},
		{name: "lower case is another method", method: "get"},
		{name: "POST with a key", method: "POST", header: "Idempotency-Key", body: "text", want: true},
		{name: "POST with the other key", method: "POST", header: "X-Idempotency-Key", body: "text", want: true},
		{name: "POST as told", method: "POST", body: "text", opts: []resilience.TransportOption{nil, post}, want: true},
		{name: "POST as told, without a body", method: "POST", opts: []resilience.TransportOption{post}, want: true},
		{name: "others as before", method: "PATCH", opts: []resilience.TransportOption{post}},
		{name: "PUT of what cannot be read again", method: "PUT", body: "text", plain: true},
		{name: "POST as told of what cannot be read again", method: "POST", body: "text", plain: true, opts: []resilience.TransportOption{post}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, failure := range []step{{status: 503}, {err: errNetwork}} {
					base := &server{steps: []step{failure, {status: 200}}}
					r := request(t, tt.method, tt.body)
					r.Method = tt.method // NewRequest turns "" into GET
					if tt.header != "" {
						r.Header.Set(tt.header, "")
					}
					if tt.plain {
						r.GetBody = nil
					}
					x := executor(t, enabled())
					resp, err := resilience.NewTransport(base, x, tt.opts...).RoundTrip(r)
					if !tt.want {
						assert.Len(t, base.requests, 1)
						assert.Equal(t, failure.err, err, "exactly the base's error")
						if err == nil {
							assert.Equal(t, 503, resp.StatusCode)
						}
						assert.Equal(t, 1, x.Breakers().Snapshot()[0].Failures, "the breaker knows of it all the same")
						continue
					}
					require.NoError(t, err)
					assert.Equal(t, 200, resp.StatusCode)
					require.Len(t, base.requests, 2)
					assert.Equal(t, r.URL, base.requests[0].URL)
					assert.Equal(t, []string{tt.body, tt.body}, base.sent)
					assert.Equal(t, r.URL, base.requests[1].URL)
					assert.Equal(t, r.Header, base.requests[1].Header)
				}
			})
		})
	}
}

// WithMethods affects one transport only.
func TestTransport_MethodsOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resilience.NewTransport(nil, nil, resilience.WithMethods("POST"))
		base := &server{steps: []step{{status: 503}}}
		_, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, "POST", "text"))
		require.NoError(t, err)
		assert.Len(t, base.requests, 1)
	})
}

func TestTransport_GetBodyFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base := &server{steps: []step{{status: 503, body: "text"}}}
		r := request(t, http.MethodPut, "text")
		gone := errors.New("it was moved")
		r.GetBody = func() (io.ReadCloser, error) { return nil, gone }
		resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(r)
		assert.Nil(t, resp)
		require.ErrorIs(t, err, gone)
		require.EqualError(t, err, "replay the request's body: it was moved")
		assert.Len(t, base.requests, 1)
		assert.Equal(t, 1, base.bodies[0].closed)
	})
}

// When the context ends, a pause ends at once, with the context's error.
func TestTransport_ContextEndsInPause(t *testing.T) {
	t.Parallel()
	hint := http.Header{"Retry-After": {"30"}}
	for _, tt := range []struct {
		name    string
		end     func(context.Context) (context.Context, context.CancelFunc)
		want    error
		timeout bool
	}{
		{name: "cancelled", want: context.Canceled, end: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(10*time.Second, cancel)
			return ctx, cancel
		}},
		{name: "timeout", want: context.DeadlineExceeded, timeout: true, end: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(10*time.Second, func() { cancel(context.DeadlineExceeded) })
			return ctx, func() { cancel(nil) }
		}},
		{name: "cause", want: errQuota, end: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(10*time.Second, func() { cancel(errQuota) })
			return ctx, func() { cancel(nil) }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				base := &server{steps: []step{{status: 503}, {status: 429, header: hint, body: "text"}}}
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				client := http.Client{Transport: resilience.NewTransport(base, executor(t, enabled()))}
				resp, err := client.Do(request(t, http.MethodGet, "").WithContext(ctx))
				assert.Nil(t, resp)
				require.ErrorIs(t, err, tt.want)
				assert.Equal(t, 10*time.Second, time.Since(start))
				assert.Len(t, asError(t, err).Attempts, 2)
				assert.Equal(t, 1, base.bodies[1].closed)
				outer, ok := errors.AsType[*url.Error](err)
				require.True(t, ok)
				assert.Equal(t, tt.timeout, outer.Timeout())
			})
		})
	}
}

// If a pause would end after the Timeout of http.Client, the pause does not begin.
func TestTransport_ClientTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		base := &server{steps: []step{{err: errNetwork}}}
		client := http.Client{Transport: resilience.NewTransport(base, executor(t, enabled())), Timeout: 2 * time.Second}
		resp, err := client.Do(request(t, http.MethodGet, ""))
		assert.Nil(t, resp)
		assert.Equal(t, 1500*time.Millisecond, time.Since(start))
		require.ErrorIs(t, err, errNetwork)
		assert.Equal(t, classify.ReasonNetwork, classify.Error(err).Reason)
	})
}

// If the context ends before the request, the endpoint is not blamed.
func TestTransport_ContextEndedBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	base := &server{steps: []step{{status: 200}}}
	r := request(t, http.MethodPut, "").WithContext(ctx)
	b := newBody("text")
	r.Body = b
	_, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(r)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, base.requests)
	assert.Equal(t, 1, b.closed)
}

// If the executor is not enabled, the request and the response pass unchanged.
func TestTransport_Disabled(t *testing.T) {
	t.Parallel()
	agents := &resilience.Config{Enabled: true, Agents: map[string]resilience.AgentConfig{"off": {Enabled: new(false)}}}
	off := resilience.WithCall(func(*http.Request) resilience.Call { return resilience.Call{Agent: "off"} })
	for _, tt := range []struct {
		name string
		x    *resilience.Executor
		opts []resilience.TransportOption
	}{
		{name: "no executor"},
		{name: "no config", x: executor(t, nil)},
		{name: "not enabled", x: executor(t, &resilience.Config{})},
		{name: "not for this agent", x: executor(t, agents), opts: []resilience.TransportOption{off}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBody(`{"error":{}}`)
			want := &http.Response{StatusCode: 503, Body: b}
			r := request(t, http.MethodGet, "")
			calls := 0
			base := roundTrip(func(got *http.Request) (*http.Response, error) {
				calls++
				assert.Same(t, r, got)
				return want, errNetwork
			})
			resp, err := resilience.NewTransport(base, tt.x, tt.opts...).RoundTrip(r)
			assert.Same(t, want, resp)
			assert.Equal(t, errNetwork, err)
			assert.Equal(t, 1, calls)
			assert.Same(t, b, resp.Body)
			assert.Zero(t, b.read)
		})
	}
}

func TestTransport_Breaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := executor(t, strict())
		base := &server{steps: []step{{status: 503}}}
		transport := resilience.NewTransport(base, x)
		for range 2 {
			_, err := transport.RoundTrip(request(t, http.MethodGet, ""))
			require.NoError(t, err)
		}
		all := x.Breakers().Snapshot()
		require.Len(t, all, 1)
		assert.Equal(t, "https://api.openai.com", all[0].Endpoint)
		assert.Equal(t, resilience.BreakerOpen, all[0].State)

		calls := len(base.requests)
		r := request(t, http.MethodPost, "")
		b := newBody("text")
		r.Body = b
		resp, err := transport.RoundTrip(r)
		assert.Nil(t, resp)
		require.ErrorIs(t, err, resilience.ErrOpen)
		assert.Len(t, base.requests, calls)
		assert.Equal(t, 1, b.closed, "a request that is not made has its body closed")
	})
}

func TestTransport_Events(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(events)
		base := &server{steps: []step{{status: 529, body: `{"type":"error","error":{"type":"overloaded_error"}}`}, {status: 200}}}
		_, err := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(seen.observe))).RoundTrip(request(t, http.MethodGet, ""))
		require.NoError(t, err)
		attempts := seen.ofKind(resilience.KindAttempt)
		require.Len(t, attempts, 2)
		assert.Equal(t, resilience.Target{Endpoint: "https://api.openai.com", Provider: "openai"}, attempts[0].Target)
		bad, ok := errors.AsType[*resilience.ResponseError](attempts[0].Err)
		require.True(t, ok)
		assert.Equal(t, 529, bad.StatusCode)
		assert.True(t, bytes.HasPrefix(bad.Body, []byte(`{"type":"error"`)))
		assert.Equal(t, 529, attempts[0].Result.Status)
		assert.Equal(t, "openai", attempts[0].Result.Provider)
	})
}

type idler struct {
	http.RoundTripper
	closed int
}

func (i *idler) CloseIdleConnections() { i.closed++ }

func TestTransport_CloseIdleConnections(t *testing.T) {
	t.Parallel()
	base := &idler{}
	(&http.Client{Transport: resilience.NewTransport(base, nil)}).CloseIdleConnections()
	assert.Equal(t, 1, base.closed)
	assert.NotPanics(t, resilience.NewTransport(roundTrip(nil), nil).CloseIdleConnections)
}
