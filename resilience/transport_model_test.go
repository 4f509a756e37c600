package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// A POST to a model API is repeated only if the failure shows that the model has done
// nothing: there was no connection, or the status says so.
func TestWithModelAPIs(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		name   string
		method string
		url    string
		first  step
		opts   []resilience.TransportOption
		off    bool
		calls  int
	}{
		{name: "Anthropic", url: "https://api.anthropic.com/v1/messages", first: step{status: 529}, calls: 2},
		{name: "OpenAI", url: "https://api.openai.com/v1/chat/completions", first: step{status: 429}, calls: 2},
		{name: "a compatible server under a prefix", url: "https://gateway.example/team/openai/v1/responses?a=b", first: step{status: 503}, calls: 2},
		{name: "Google", url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent", first: step{status: 503}, calls: 2},
		{name: "Bedrock", url: "https://bedrock-runtime.eu-west-1.amazonaws.com/model/a.b-v1:0/converse", first: step{status: 503}, calls: 2},
		{name: "no connection", url: "https://api.openai.com/v1/chat/completions", first: step{err: refused}, calls: 2},
		{name: "no connection to the proxy", url: "https://api.openai.com/v1/chat/completions", first: step{err: &net.OpError{Op: "proxyconnect", Net: "tcp", Err: refused}}, calls: 2},
		{name: "no connection behind the proxy", url: "https://api.openai.com/v1/chat/completions", first: step{err: &net.OpError{Op: "socks connect", Net: "tcp", Err: syscall.ECONNREFUSED}}, calls: 2},
		{name: "no connection of a tunnel", url: "https://api.openai.com/v1/chat/completions", first: step{err: &net.OpError{Op: "tunnel", Err: fmt.Errorf("hop: %w", refused)}}, calls: 2},
		{name: "a connection lost in a tunnel", url: "https://api.openai.com/v1/chat/completions", first: step{err: &net.OpError{Op: "tunnel", Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}}}, calls: 1},
		{name: "a lost connection", url: "https://api.openai.com/v1/chat/completions", first: step{err: errNetwork}, calls: 1},
		{name: "a dead key", url: "https://api.openai.com/v1/chat/completions", first: step{status: 401}, calls: 1},
		{name: "another path", url: "https://api.openai.com/v1/files", first: step{status: 503}, calls: 1},
		{name: "the name within a path", url: "https://api.example.com/messages/7/send", first: step{status: 503}, calls: 1},
		{name: "another method", method: http.MethodPatch, url: "https://api.openai.com/v1/responses", first: step{status: 503}, calls: 1},
		{name: "without the option", off: true, url: "https://api.openai.com/v1/responses", first: step{status: 503}, calls: 1},
		{
			name: "the caller's own function forbids it", url: "https://api.openai.com/v1/responses", first: step{status: 503}, calls: 1,
			opts: []resilience.TransportOption{resilience.WithCall(func(*http.Request) resilience.Call {
				return resilience.Call{Targets: onPrimary.Targets, Repeatable: func(resilience.Attempt) bool { return false }}
			})},
		},
		{
			name: "all of POST may be repeated", url: "https://api.openai.com/v1/responses", first: step{err: errNetwork}, calls: 2,
			opts: []resilience.TransportOption{resilience.WithMethods(http.MethodPost)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				base := &server{steps: []step{tt.first, {status: 200}}}
				opts := tt.opts
				if !tt.off {
					opts = append(opts, resilience.WithModelAPIs())
				}
				method := tt.method
				if method == "" {
					method = http.MethodPost
				}
				r, err := http.NewRequestWithContext(t.Context(), method, tt.url, strings.NewReader("{}"))
				require.NoError(t, err)
				_, err = resilience.NewTransport(base, executor(t, enabled()), opts...).RoundTrip(r)
				assert.True(t, err == nil || errors.Is(err, tt.first.err))
				assert.Len(t, base.requests, tt.calls)
			})
		})
	}
}

// A request is sent once if its body cannot be read again.
func TestWithModelAPIs_Body(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base := &server{steps: []step{{status: 503}, {status: 200}}}
		r := request(t, http.MethodPost, "")
		r.URL.Path, r.Body = "/v1/messages", newBody("text")
		resp, err := resilience.NewTransport(base, executor(t, enabled()), resilience.WithModelAPIs()).RoundTrip(r)
		require.NoError(t, err)
		assert.Equal(t, 503, resp.StatusCode)
		assert.Len(t, base.requests, 1)
	})
}

// If a request was not repeated, observers receive one event with the reason.
func TestTransport_NotRepeated(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body  io.Reader // of a POST
		first step
		opts  []resilience.TransportOption
		want  []string
	}{
		"the method":                 {body: strings.NewReader("{}"), first: step{status: 503}, want: []string{"method"}},
		"the body":                   {body: struct{ io.Reader }{strings.NewReader("{}")}, first: step{status: 503}, opts: []resilience.TransportOption{resilience.WithMethods(http.MethodPost)}, want: []string{"body"}},
		"no retry would have helped": {body: strings.NewReader("{}"), first: step{status: 401}},
		"repeated":                   {body: strings.NewReader("{}"), first: step{status: 503}, opts: []resilience.TransportOption{resilience.WithMethods(http.MethodPost)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got []string
				observe := func(_ context.Context, e resilience.Event) {
					if e.Kind == resilience.KindNotRepeated {
						assert.Equal(t, classify.ReasonTransient, e.Result.Reason)
						got = append(got, e.To)
					}
				}
				base := &server{steps: []step{tt.first, tt.first, {status: 200}}}
				transport := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(observe)), tt.opts...)
				for range 2 {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://shop.example/orders", tt.body)
					require.NoError(t, err)
					resp, err := transport.RoundTrip(r)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				}
				assert.Equal(t, tt.want, got)
			})
		})
	}
}
