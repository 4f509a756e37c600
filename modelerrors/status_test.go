package modelerrors_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/modelerrors"
)

func TestIsRetryableStatusCode(t *testing.T) {
	t.Parallel()
	for code := -1; code <= 700; code++ {
		want := code == 408 || 500 <= code && code <= 599
		assert.Equal(t, want, modelerrors.IsRetryableStatusCode(code), "status %d", code)
	}
}

func TestExtractHTTPStatusCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"no error", nil, 0},
		{"a StatusError", status(429, textError("rate limited")), 429},
		{"a StatusError, wrapped", fmt.Errorf("outer: %w", status(503, textError("unavailable"))), 503},
		{"a StatusError before the text", status(500, textError("HTTP 404")), 500},
		{"a StatusError before an SDK's error", status(500, sdk(404, "x")), 500},
		{"a StatusError, one of several", errors.Join(textError("x"), status(502, textError("x"))), 502},
		{"an SDK's error", sdk(529, "refused"), 529},
		{"an SDK's error, wrapped", fmt.Errorf("outer: %w", sdk(401, "refused")), 401},
		{"an SDK's error before the text", sdk(500, "HTTP 404"), 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, modelerrors.ExtractHTTPStatusCode(tt.err), "of %v", tt.err)
		})
	}
}

func TestExtractHTTPStatusCodeFromText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`POST "/v1/chat/completions": 429 Too Many Requests {"error":{}}`: 429,
		"internal server error 500":                                       500,
		"500 Internal Server Error":                                       500,
		"502 bad gateway":                                                 502,
		"401 unauthorized":                                                401,
		"529 overloaded":                                                  529,
		"429: rate limited":                                               429,
		"429 rate limit exceeded":                                         429,
		"503 upstream unavailable":                                        503,
		"HTTP 404":                                                        404,
		"HTTP/1.1 505 HTTP Version Not Supported":                         505,
		"error, status code: 401, message: x":                             401,
		"status code of 500":                                              500,
		"error code 400":                                                  400,
		"API error: status 429 too many requests":                         429,
		"request failed: 503":                                             503,
		"got 504 from server":                                             504,
		"generate failed - 504: DEADLINE_EXCEEDED":                        504,
		"upstream returned 504":                                           504,
		"rate limited (429)":                                              429,
		"[503] try later":                                                 503,
		`{"error":{"code":429,"message":"x"}}`:                            429,
		`{"statusCode": 500}`:                                             500,
		"404":                                                             404,
		": 429 ":                                                          429,
		"error 529 - {'type': 'error'}":                                   529,
		"415 Client Error: unsupported":                                   415,
		"took 500 ms, then HTTP 502":                                      502,
		"HTTP 404 after HTTP 503":                                         404,
		"processed 500 items":                                             0,
		"error: 500 items could not be read":                              0,
		"500 of 2000 rows":                                                0,
		"exported 1503 rows in 429 ms":                                    0,
		"retry after: 500ms":                                              0,
		"dial tcp 10.0.0.1:443: connect: refused":                         0,
		"model gpt-500 failed":                                            0,
		"request id req_429":                                              0,
		"4.500 tokens":                                                    0,
		"HTTP 200":                                                        0,
		"HTTP 999":                                                        0,
		"connection refused":                                              0,
		"":                                                                0,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, modelerrors.ExtractHTTPStatusCode(textError(text)))
		})
	}
}

// The number of each status is found after the word "status", and also before the
// name of the status.
func TestExtractHTTPStatusCodeByName(t *testing.T) {
	t.Parallel()
	for code := 400; code <= 599; code++ {
		assert.Equal(t, code, modelerrors.ExtractHTTPStatusCode(textError("status "+strconv.Itoa(code))))
		if name := http.StatusText(code); name != "" {
			assert.Equal(t, code, modelerrors.ExtractHTTPStatusCode(fmt.Errorf("we were told %d %s", code, name)))
		}
	}
}

func TestStatusError(t *testing.T) {
	t.Parallel()
	inner := textError("rate limit exceeded")
	err := fmt.Errorf("outer: %w", &modelerrors.StatusError{StatusCode: 429, RetryAfter: 10 * time.Second, Err: inner})

	var found *modelerrors.StatusError
	require.ErrorAs(t, err, &found)
	assert.ErrorIs(t, err, inner)
	assert.Equal(t, 10*time.Second, found.RetryAfter)
	assert.Equal(t, "rate limit exceeded", found.Error())
	assert.Equal(t, "HTTP 503", status(503, nil).Error())
}

func TestWrapHTTPError(t *testing.T) {
	t.Parallel()
	inner := textError("refused")
	with := func(value string) *http.Response {
		return &http.Response{Header: http.Header{"Retry-After": {value}}}
	}
	for _, tt := range []struct {
		name string
		code int
		resp *http.Response
		want time.Duration
	}{
		{"no response", 429, nil, 0},
		{"a response without headers", 429, &http.Response{}, 0},
		{"a response with a Retry-After", 429, with("30"), 30 * time.Second},
		{"a Retry-After that is longer than anyone waits", 429, with("7200"), 2 * time.Hour},
		{"a Retry-After that is none", 429, with("soon"), 0},
		{"another status", 503, with("30"), 30 * time.Second},
		{"the lowest status", 400, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var found *modelerrors.StatusError
			require.ErrorAs(t, modelerrors.WrapHTTPError(tt.code, tt.resp, inner), &found)
			assert.Equal(t, modelerrors.StatusError{StatusCode: tt.code, RetryAfter: tt.want, Err: inner}, *found)
		})
	}

	require.NoError(t, modelerrors.WrapHTTPError(429, nil, nil))
	for _, code := range []int{-1, 0, 200, 304, 399} {
		assert.Same(t, inner, modelerrors.WrapHTTPError(code, with("30"), inner), "status %d", code)
	}
}
