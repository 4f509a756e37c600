package modelerrors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/modelerrors"
)

// timeoutError is a net.Error that reports a timeout.
type timeoutError struct{}

func (timeoutError) Error() string   { return "no answer" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

var _ net.Error = timeoutError{}

// sdkError has the fields and methods of an SDK's error.
type sdkError struct {
	StatusCode int
	Response   *http.Response
	text       string
}

func (e *sdkError) Error() string { return e.text }

func sdk(status int, text string) error {
	return &sdkError{StatusCode: status, text: text}
}

func sdkRetryAfter(status int, header http.Header) error {
	return &sdkError{StatusCode: status, Response: &http.Response{StatusCode: status, Header: header}, text: "refused"}
}

func status(code int, err error) error {
	return &modelerrors.StatusError{StatusCode: code, Err: err}
}

func textError(text string) error { return errors.New(text) }

// statusRetryAfter returns a StatusError with a Retry-After.
func statusRetryAfter(code int, d time.Duration) error {
	return &modelerrors.StatusError{StatusCode: code, RetryAfter: d, Err: textError("refused")}
}

// answer holds the results of ClassifyModelError.
type answer struct {
	retryable, rateLimited bool
	retryAfter             time.Duration
}

var (
	no      = answer{}
	again   = answer{retryable: true}
	limited = answer{rateLimited: true}
)

func limitedFor(d time.Duration) answer { return answer{rateLimited: true, retryAfter: d} }

// clientTimeout returns the error of an http.Client whose Timeout has passed.
func clientTimeout(t *testing.T) error {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	client := server.Client()
	client.Timeout = 10 * time.Millisecond
	resp, err := client.Get(server.URL)
	if err == nil {
		_ = resp.Body.Close()
	}
	require.ErrorContains(t, err, "Client.Timeout")
	return err
}

// The test has a row for each sentence of the package documentation.
func TestClassifyModelError(t *testing.T) {
	t.Parallel()
	_, dial := (&net.Dialer{Timeout: time.Nanosecond}).Dial("tcp", "127.0.0.1:1")
	for _, tt := range []struct {
		name string
		err  error
		want answer
	}{
		{"no error", nil, no},

		{"the caller cancelled", context.Canceled, no},
		{"the caller cancelled, wrapped", fmt.Errorf("ask: %w", context.Canceled), no},
		{"the caller cancelled one of two", errors.Join(textError("503 service unavailable"), context.Canceled), no},
		{"the caller's deadline", context.DeadlineExceeded, no},
		{"the caller's deadline beats a status", status(503, context.DeadlineExceeded), no},
		{"the caller's cancellation beats a rate limit", errors.Join(statusRetryAfter(429, time.Second), context.Canceled), no},
		{"a deadline that lost its type", textError("Post \"https://x\": context deadline exceeded"), no},
		{"a cancellation that lost its type", textError("Post \"https://x\": context canceled"), no},

		{"status 429", status(429, textError("slow down")), limited},
		{"status 429 with a Retry-After", statusRetryAfter(429, 20*time.Second), limitedFor(20 * time.Second)},
		{"a Retry-After is not capped", statusRetryAfter(429, time.Hour), limitedFor(time.Hour)},
		{"status 429 with a Retry-After, wrapped", fmt.Errorf("model m: %w", statusRetryAfter(429, 20*time.Second)), limitedFor(20 * time.Second)},
		{"status 503 has no Retry-After", statusRetryAfter(503, 20*time.Second), again},
		{"status 400 has no Retry-After", statusRetryAfter(400, 20*time.Second), no},
		{"status 500", status(500, textError("boom")), again},
		{"status 502", status(502, textError("boom")), again},
		{"status 504", status(504, textError("boom")), again},
		{"status 529", status(529, textError("boom")), again},
		{"status 408", status(408, textError("boom")), again},
		{"status 401", status(401, textError("boom")), no},
		{"status 404", status(404, textError("boom")), no},
		{"status decides before the text: a rate limit", status(500, textError("429 rate limit exceeded")), again},
		{"status decides before the text: a timeout", status(400, textError("request timeout")), no},
		{"status decides before the text: a key", status(503, textError("invalid api key")), again},
		{"status decides before the text: a deadline", status(504, textError("context deadline exceeded")), again},
		{"status 429 decides before the text", status(429, textError("503 service unavailable")), limited},
		{"status decides before what it wraps", status(400, syscall.ECONNRESET), no},
		{"status without an error", status(503, nil), again},
		{"status of a success", status(200, textError("429")), no},

		{"an overflow by type", &modelerrors.ContextOverflowError{Underlying: textError("x")}, no},
		{"an overflow by type beats a status", &modelerrors.ContextOverflowError{Underlying: status(500, textError("x"))}, no},
		{"an overflow by type beats a rate limit", &modelerrors.ContextOverflowError{Underlying: statusRetryAfter(429, time.Second)}, no},
		{"an overflow by text", textError("prompt is too long: 200000 tokens > 100000 maximum"), no},
		{"an overflow by text, sent as a 500", textError("500: prompt is too long: 200000 tokens > 100000 maximum"), no},
		{"an overflow with status 400", status(400, textError("prompt is too long: 3 tokens > 2 maximum")), no},
		{"an overflow with status 429", status(429, textError("prompt is too long: 3 tokens > 2 maximum")), no},
		{"an overflow with status 500", status(500, textError("prompt is too long: 3 tokens > 2 maximum")), no},
		{"an overflow with status 503", fmt.Errorf("ask: %w", status(503, textError("this model's maximum context length is 8192 tokens"))), no},
		{"an overflow with an SDK's status 500", sdk(500, "prompt is too long: 3 tokens > 2 maximum"), no},
		{"an overflow with an SDK's status 429", sdk(429, "request too large for the model"), no},
		{"an overflow of the thinking budget", textError("max_tokens must be greater than thinking.budget_tokens"), no},

		{"text: 429", textError("POST \"/v1/chat\": 429 Too Many Requests {}"), limited},
		{"text: rate limit exceeded", textError("rate limit exceeded"), limited},
		{"text: too many requests", textError("too many requests"), limited},
		{"text: 429 with a spent quota", textError("HTTP 429: insufficient_quota"), limited},
		{"text: a wait", textError("429 Too Many Requests: please try again in 20s"), limitedFor(20 * time.Second)},
		{"text: 500", textError("500 internal server error"), again},
		{"text: 507", textError("HTTP 507 Insufficient Storage"), again},
		{"text: 529", textError("529 overloaded"), again},
		{"text: 401", textError("401 unauthorized"), no},
		{"text: 500 with an invalid key", textError("HTTP 500: invalid api key"), again},
		{"text: 403 with a rate limit", textError("googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded"), no},
		{"text: 503 with a rate limit", textError("status code: 503, please reduce your request rate"), again},
		{"text: a rate limit without a number", textError("ThrottlingException: Rate exceeded"), limited},
		{"text: at capacity", textError("the model is at capacity"), no},
		{"text: overloaded, at capacity", textError("overloaded: no capacity left"), again},
		{"text: a deadline that is no timeout of the client", textError("stream closed: context deadline exceeded"), no},
		{"text: a deadline that is a timeout of the client", textError("context deadline exceeded (Client.Timeout exceeded while awaiting headers)"), again},
		{"text: a client error that speaks of a timeout", textError("HTTP 400: timeout must be a number"), no},

		{"SDK: 429", sdk(429, "refused"), limited},
		{"SDK: 429 with a Retry-After", sdkRetryAfter(429, http.Header{"Retry-After": {"15"}}), limitedFor(15 * time.Second)},
		{"SDK: 429 with a reset, which is no Retry-After",
			sdkRetryAfter(429, http.Header{"X-Ratelimit-Reset-Requests": {"15s"}, "X-Ratelimit-Remaining-Requests": {"0"}}), limited},
		{"SDK: 503 with a Retry-After", sdkRetryAfter(503, http.Header{"Retry-After": {"15"}}), again},
		{"SDK: 529", sdk(529, "refused"), again},
		{"SDK: 408", sdk(408, "refused"), again},
		{"SDK: 425 is a client error", sdk(425, "refused"), no},
		{"SDK: 404", sdk(404, "refused"), no},
		{"SDK: the status decides before its own text", sdk(504, "context deadline exceeded"), again},

		{"network: a timeout", timeoutError{}, again},
		{"network: dialing took too long", dial, again},
		{"network: the client's own limit", clientTimeout(t), again},
		{"network: reading took too long", &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}, again},
		{"network: a reset", &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, again},
		{"network: refused", syscall.ECONNREFUSED, again},
		{"network: a temporary failure of DNS", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, again},
		{"network: no such host", &net.DNSError{Err: "no such host", IsNotFound: true}, again},
		{"network: the connection ended", io.ErrUnexpectedEOF, again},

		{"our own budget", classify.ErrBudgetExceeded, no},
		{"nothing that is known", textError("something weird happened"), no},
		{"a text of nothing", textError(""), no},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got answer
			got.retryable, got.rateLimited, got.retryAfter = modelerrors.ClassifyModelError(tt.err)
			assert.Equal(t, tt.want, got, "of %v", tt.err)
			assert.Equal(t, tt.want.retryable, modelerrors.IsRetryableModelError(tt.err), "IsRetryableModelError of %v", tt.err)
		})
	}
}

// The test has error texts from JavaScript, Go and proxies. true means retryable.
func TestIsRetryableModelError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"API error: status 429 too many requests": false,
		"rate limit exceeded":                     false,
		"too many requests":                       false,
		"request throttled":                       false,
		"throttled":                               false,
		"ThrottlingException: Rate exceeded":      false,
		"quota exceeded":                          false,
		"You exceeded your current quota":         false,
		"internal server error 500":               true,
		"502 bad gateway":                         true,
		"503 service unavailable":                 true,
		"504 gateway timeout":                     true,
		"529 overloaded":                          true,
		"408 request timeout":                     true,
		"request timeout":                         true,
		"i/o timeout":                             true,
		"connection reset by peer":                true,
		"connection refused":                      true,
		"ECONNRESET":                              true,
		"TypeError: fetch failed":                 true,
		"other side closed":                       true,
		"upstream connect error or disconnect/reset before headers":                      true,
		"temporary failure in name resolution":                                           true,
		"error receiving: stream error: stream ID 1; INTERNAL_ERROR; received from peer": true,
		"overloaded_error":                        true,
		"400 bad request":                         false,
		"401 unauthorized":                        false,
		"403 forbidden":                           false,
		"404 not found":                           false,
		"invalid api key":                         false,
		"authentication failed":                   false,
		"maximum context length is 128000 tokens": false,
		"max_tokens must be greater than thinking.budget_tokens": false,
		"processed 500 items, then something weird happened":     false,
		"dial tcp: lookup api.example.com: no such host":         true,
		"stream closed: reset before headers":                    true,
		"upstream connect failure, retried 2 times":              true,
		"INTERNAL_ERROR":                                                                     true,
		"the proxy reports a temporary failure":                                              true,
		"reset before headers: invalid api key":                                              false,
		"my_internal_error_handler is not defined":                                           false,
		"x509: certificate signed by unknown authority":                                      false,
		"[400 Bad Request] request timeout_ms must be positive, was 408":                     false,
		"rpc error: code = Unavailable desc = connection error: connect: connection refused": true,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, modelerrors.IsRetryableModelError(textError(text)))
			assert.Equal(t, want, modelerrors.IsRetryableModelError(fmt.Errorf("ask the model: %w", textError(text))), "wrapped")
		})
	}
}
