package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// hosts is a base transport with one server per host name.
type hosts map[string]*server

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) { return h[r.URL.Host].RoundTrip(r) }

// callWithSpare returns a Call with a fallback target.
func callWithSpare(r *http.Request) resilience.Call {
	return resilience.Call{
		Key: r.Header.Get("Task"),
		Targets: []resilience.Target{
			{Endpoint: "https://" + r.URL.Host, Provider: "first"},
			{Endpoint: "http://spare.example:81/ignored", Provider: "second"},
		},
	}
}

func put(t testing.TB) *http.Request {
	r := request(t, http.MethodPut, "text")
	r.Header.Set("Task", "7")
	return r
}

func TestTransport_FallsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := &server{steps: []step{{status: 503, body: "busy"}}}, &server{steps: []step{{status: 200}}}
		seen := new(events)
		x := executor(t, enabled(), resilience.WithObserver(seen.observe))
		transport := resilience.NewTransport(hosts{"api.openai.com": first, "spare.example:81": second}, x, resilience.WithCall(callWithSpare))
		r := put(t)
		before := *r.URL
		resp, err := transport.RoundTrip(r)
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
		assert.Equal(t, before, *r.URL, "the client's request is as it was")
		assert.Len(t, first.requests, 3)
		require.Len(t, second.requests, 1)
		assert.Equal(t, "http://spare.example:81/v1/chat?q=1", second.requests[0].URL.String())
		assert.Equal(t, "7", second.requests[0].Header.Get("Task"))
		assert.Equal(t, "text", second.sent[0])
		assert.Equal(t, 1, first.bodies[2].closed)
		assert.Equal(t, []string{"first>second"}, seen.transitions(resilience.KindFallback))
		assert.Equal(t, "7", seen.ofKind(resilience.KindDone)[0].Key)

		// The next request begins at the fallback target, and its GetBody is not
		// called.
		again := put(t)
		again.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("not needed") }
		_, err = transport.RoundTrip(again)
		require.NoError(t, err)
		assert.Len(t, first.requests, 3)
		assert.Equal(t, "text", second.sent[1])
	})
}

// A request that must not be repeated goes to another target only if it was not
// sent.
func TestTransport_FallsBackUnsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := &server{steps: []step{{status: 503}}}, &server{steps: []step{{status: 200}}}
		x := executor(t, enabled())
		transport := resilience.NewTransport(hosts{"api.openai.com": first, "spare.example:81": second}, x, resilience.WithCall(callWithSpare))
		post := func() *http.Response {
			r := put(t)
			r.Method = http.MethodPost
			resp, err := transport.RoundTrip(r)
			require.NoError(t, err)
			return resp
		}
		assert.Equal(t, 503, post().StatusCode)
		assert.Empty(t, second.requests)

		require.NoError(t, x.Breakers().Force(t.Context(), "https://api.openai.com", resilience.BreakerForceOpen))
		assert.Equal(t, 200, post().StatusCode)
		assert.Len(t, first.requests, 1)
		assert.Equal(t, []string{"text"}, second.sent)
	})
}

// If the fallback target cannot be called, the client gets the last response.
func TestTransport_FallbackRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &server{steps: []step{{status: 503, body: "busy"}}}
		x := executor(t, enabled())
		require.NoError(t, x.Breakers().Force(t.Context(), "http://spare.example:81/ignored", resilience.BreakerForceOpen))
		resp, err := resilience.NewTransport(hosts{"api.openai.com": first}, x, resilience.WithCall(callWithSpare)).RoundTrip(put(t))
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "busy", string(got))
		assert.Equal(t, 503, resp.StatusCode)
	})
}

func TestTransport_Rewrite(t *testing.T) {
	t.Parallel()
	wrong := errors.New("no key for it")
	for _, tt := range []struct {
		name     string
		endpoint string
		rewrite  func(*http.Request, resilience.Target) error
		want     string // URL of the request
		err      string
	}{
		{
			name: "by the caller", endpoint: "other",
			rewrite: func(r *http.Request, target resilience.Target) error {
				r.URL.Host, r.URL.Path = target.Endpoint+".example", "/messages"
				r.Header.Set("Authorization", "other key")
				return nil
			},
			want: "https://other.example/messages?q=1",
		},
		{
			name: "it fails", endpoint: "other",
			rewrite: func(*http.Request, resilience.Target) error { return wrong },
			err:     `rewrite the request for "other": no key for it`,
		},
		{
			name: "no URL", endpoint: "other",
			err: `rewrite the request for "other": its endpoint is not an absolute URL: set one or use WithRewrite`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, second := &server{steps: []step{{status: 503}}}, &server{steps: []step{{status: 200}}}
				call := resilience.WithCall(func(*http.Request) resilience.Call {
					return resilience.Call{Targets: []resilience.Target{{Endpoint: "one"}, {Endpoint: tt.endpoint}}}
				})
				r := put(t)
				var bodies []*trackedBody
				r.GetBody = func() (io.ReadCloser, error) {
					b := newBody("text")
					bodies = append(bodies, b)
					return b, nil
				}
				base := hosts{"api.openai.com": first, "other.example": second}
				transport := resilience.NewTransport(base, executor(t, enabled()), call, resilience.WithRewrite(nil), resilience.WithRewrite(tt.rewrite))
				resp, err := transport.RoundTrip(r)
				for i, b := range bodies {
					assert.Equal(t, 1, b.closed, "body %d", i)
				}
				assert.Len(t, bodies, 3)
				if tt.err != "" {
					require.EqualError(t, err, tt.err)
					assert.Empty(t, second.requests)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, 200, resp.StatusCode)
				assert.Equal(t, tt.want, second.requests[0].URL.String())
				assert.Equal(t, "other key", second.requests[0].Header.Get("Authorization"))
				assert.Empty(t, r.Header.Get("Authorization"), "the client's request is as it was")
			})
		})
	}
}

// A request that is made again has the trailer that the client sets at the end of the
// body. What a function of WithRewrite sets is only in its own request.
func TestTransport_Trailer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		first  []step
		own    string
		bodies string // number of the last body
		want   http.Header
	}{
		{name: "the same target", first: []step{{err: errNetwork}, {status: 200}}, bodies: "1", want: http.Header{"X-Sum": {"1"}}},
		{name: "another target", first: []step{{err: errNetwork}}, bodies: "5", want: http.Header{"X-Sum": {"5"}}},
		{name: "rewritten", first: []step{{err: errNetwork}}, own: "8", bodies: "5", want: http.Header{"X-Sum": {"4"}, "X-Own": {"8"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := put(t) // the first body sets no trailer
				r.Trailer = http.Header{"X-Sum": nil}
				bodies := 0
				r.GetBody = func() (io.ReadCloser, error) {
					bodies++
					return io.NopCloser(readerFunc(func([]byte) (int, error) {
						r.Trailer.Set("X-Sum", strconv.Itoa(bodies))
						return 0, io.EOF
					})), nil
				}
				base := hosts{"api.openai.com": {steps: tt.first}, "spare.example": {steps: []step{{status: 200}}}}
				rewrite := func(own *http.Request, _ resilience.Target) error {
					own.URL.Host = "spare.example"
					if tt.own != "" {
						own.Trailer.Set("X-Own", tt.own)
					}
					return nil
				}
				transport := resilience.NewTransport(base, executor(t, enabled()), resilience.WithCall(callWithSpare), resilience.WithRewrite(rewrite))
				_, err := transport.RoundTrip(r)
				require.NoError(t, err)
				sent := slices.Concat(base["api.openai.com"].requests, base["spare.example"].requests)
				assert.Equal(t, tt.want, sent[len(sent)-1].Trailer)
				assert.Equal(t, http.Header{"X-Sum": {tt.bodies}}, r.Trailer)
			})
		})
	}
}

// If a function of the Call panics, all responses are closed.
func TestTransport_Panic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base := &server{steps: []step{{status: 503, body: "busy"}}}
		call := resilience.WithCall(func(*http.Request) resilience.Call {
			return resilience.Call{Spend: func(_ context.Context, _ resilience.Attempt, _ any) error { panic("spent") }}
		})
		transport := resilience.NewTransport(base, executor(t, enabled()), call)
		assert.PanicsWithValue(t, "spent", func() { _, _ = transport.RoundTrip(put(t)) })
		assert.Equal(t, 1, base.bodies[0].closed)
	})
}

// Spend is called with each response. If Spend returns an error, the client gets the
// last response.
func TestTransport_Spend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base := &server{steps: []step{{status: 503, body: "busy"}, {status: 502, body: "busy"}}}
		var seen []int
		call := resilience.WithCall(func(*http.Request) resilience.Call {
			return resilience.Call{Spend: func(_ context.Context, a resilience.Attempt, value any) error {
				seen = append(seen, value.(*http.Response).StatusCode)
				if a.Number == 2 {
					return errQuota
				}
				return nil
			}}
		})
		resp, err := resilience.NewTransport(base, executor(t, enabled()), call).RoundTrip(put(t))
		require.NoError(t, err)
		assert.Equal(t, 502, resp.StatusCode)
		assert.Equal(t, []int{503, 502}, seen)
		assert.Zero(t, base.bodies[1].closed)
	})
}
