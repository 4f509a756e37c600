package compat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// get makes a request with net/http and decodes the response with encoding/json.
func get(ctx context.Context, url string, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("build the request: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("unexpected status: %s", resp.Status)
	}
	var v struct{ ID string }
	return json.Unmarshal(body, &v)
}

func TestNetHTTP(t *testing.T) {
	t.Parallel()
	transportFailures(t, get)
	deadlineInBody(t, get)
	garbledAnswers(t, get)
}

// net/http returns no error for an error status, so programs make one.
func TestNetHTTPStatus(t *testing.T) {
	t.Parallel()
	for status, reason := range map[int]classify.Reason{
		400: classify.ReasonInvalidRequest, 401: classify.ReasonAuthentication, 402: classify.ReasonBudgetExceeded,
		403: classify.ReasonAuthentication, 404: classify.ReasonInvalidRequest, 405: classify.ReasonInvalidRequest,
		408: classify.ReasonTimeout, 409: classify.ReasonInvalidRequest, 413: classify.ReasonInvalidRequest,
		422: classify.ReasonInvalidRequest, 423: classify.ReasonTransient, 425: classify.ReasonTransient,
		429: classify.ReasonRateLimit, 451: classify.ReasonPolicy, 500: classify.ReasonTransient,
		501: classify.ReasonTransient, 502: classify.ReasonTransient, 503: classify.ReasonTransient,
		504: classify.ReasonTimeout, 507: classify.ReasonResource,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, answer{status: status})
			err := get(t.Context(), url, client)
			require.ErrorContains(t, err, http.StatusText(status))
			got := classify.Error(err)
			require.Equal(t, reason, got.Reason, "rule %s: %v", got.Rule, err)
		})
	}
}

func TestNetHTTPClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		run  func(t *testing.T) error
		want want
	}{
		{"redirects without end", func(t *testing.T) error {
			url, client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }))
			return get(t.Context(), url, client)
		}, want{reason: classify.ReasonInvalidRequest}},
		{"a URL that is none", func(t *testing.T) error {
			return get(t.Context(), "http://exa mple:80:80/", newClient(t, nil))
		}, want{reason: classify.ReasonInvalidRequest}},
		{"no host", func(t *testing.T) error {
			return get(t.Context(), "http:///v1", newClient(t, nil))
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"a proxy wants credentials", func(t *testing.T) error {
			return throughProxy(t, answer{status: http.StatusProxyAuthRequired})
		}, want{reason: classify.ReasonAuthentication}},
		{"a proxy forbids", func(t *testing.T) error {
			return throughProxy(t, answer{status: http.StatusForbidden})
			// net/http keeps only the word "Forbidden" of the proxy's response.
		}, want{reason: classify.ReasonAuthentication}},
		{"a proxy does not reach the host", func(t *testing.T) error {
			return throughProxy(t, answer{status: http.StatusBadGateway})
		}, want{reason: classify.ReasonTransient}},
		{"no HTTP", func(t *testing.T) error {
			url, client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.6\r\n")
				_ = conn.Close()
			}))
			return get(t.Context(), url, client)
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"JSON of another shape", func(t *testing.T) error {
			url, client := serve(t, answer{status: http.StatusOK, body: `[1,2,3]`})
			return get(t.Context(), url, client)
		}, want{reason: classify.ReasonParsing}},
		{"a body over the limit", func(*testing.T) error {
			_, err := io.ReadAll(http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader("too much")), 3))
			return err
		}, want{reason: classify.ReasonInvalidRequest}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.run(t), tt.want)
		})
	}
}

// throughProxy makes a request through a proxy tunnel.
func throughProxy(t *testing.T, a answer) error {
	t.Helper()
	proxy, client := serve(t, a)
	u, err := url.Parse(proxy)
	require.NoError(t, err)
	client.Transport.(*http.Transport).Proxy = http.ProxyURL(u)
	return get(t.Context(), "https://api.example", client)
}
