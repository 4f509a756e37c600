package classify_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// The types below imitate the errors of SDKs, to avoid importing the SDKs.

type (
	// anthropicError has the fields of *anthropic.Error.
	anthropicError struct {
		StatusCode int
		Request    *http.Request
		Response   *http.Response
		RequestID  string
		raw        string
	}
	// openaiError imitates *openai.Error of version 3. Its text lacks the message.
	openaiError struct {
		Code, Message, Param, Type string
		StatusCode                 int
		Request                    *http.Request
		Response                   *http.Response
		raw                        string
	}
	// genaiError imitates genai.APIError. It is used as a value, not as a pointer.
	genaiError struct {
		Code    int              `json:"code,omitempty"`
		Message string           `json:"message,omitempty"`
		Status  string           `json:"status,omitempty"`
		Details []map[string]any `json:"details,omitempty"`
	}
	// googleapiError is *googleapi.Error.
	googleapiError struct {
		Code    int
		Message string
		Body    string
		Header  http.Header
		err     error
	}
	// smithyResponse is smithy-go's transport/http.Response.
	smithyResponse struct{ *http.Response }
	// smithyResponseError is smithy-go's transport/http.ResponseError.
	smithyResponseError struct {
		Response *smithyResponse
		Err      error
	}
	// smithyAPIError is smithy.GenericAPIError.
	smithyAPIError struct{ Code, Message string }
	// smithyCanceled is smithy.CanceledError.
	smithyCanceled struct{ Err error }
	// azureError is azcore.ResponseError.
	azureError struct {
		ErrorCode   string
		StatusCode  int
		RawResponse *http.Response
	}
	// slackRateLimited imitates slack.RateLimitedError, and githubAbuse imitates
	// github.AbuseRateLimitError.
	slackRateLimited struct{ RetryAfter time.Duration }
	githubAbuse      struct {
		Response   *http.Response
		Message    string
		RetryAfter *time.Duration
	}
	// kubernetesStatus has the fields of metav1.Status, which errors.StatusError
	// contains.
	kubernetesStatus struct {
		Reason string
		Code   int32
	}
	kubernetesError struct{ ErrStatus kubernetesStatus }
	// fiberError imitates fiber.Error, which has only a code and a message.
	fiberError struct {
		Code    int
		Message string
	}
)

func (e *anthropicError) Error() string  { return fmt.Sprintf("POST %q: so it goes", e.Request.URL) }
func (e anthropicError) RawJSON() string { return e.raw }
func (e *openaiError) Error() string     { return "OpenAI API error" }
func (e openaiError) RawJSON() string    { return e.raw }
func (e genaiError) Error() string       { return "so it goes" }
func (e *googleapiError) Error() string  { return "so it goes" }
func (e *googleapiError) Unwrap() error  { return e.err }

func (e *smithyResponseError) HTTPStatusCode() int { return e.Response.StatusCode }
func (e *smithyResponseError) Error() string       { return "http response error" }
func (e *smithyResponseError) Unwrap() error       { return e.Err }
func (e *smithyAPIError) ErrorCode() string        { return e.Code }
func (e *smithyAPIError) ErrorMessage() string     { return e.Message }
func (e *smithyAPIError) Error() string            { return "so it goes" }
func (*smithyCanceled) CanceledError() bool        { return true }
func (e *smithyCanceled) Unwrap() error            { return e.Err }
func (*smithyCanceled) Error() string              { return "so it goes" }
func (*azureError) Error() string                  { return "so it goes" }
func (slackRateLimited) Error() string             { return "so it goes" }
func (*githubAbuse) Error() string                 { return "so it goes" }
func (*kubernetesError) Error() string             { return "so it goes" }
func (*fiberError) Error() string                  { return "so it goes" }

func response(status int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h}
}

func request(t *testing.T, host string) *http.Request {
	t.Helper()
	return &http.Request{Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: host, Path: "/v1"}}
}

func TestHTTPErrors(t *testing.T) {
	t.Parallel()
	wait := 7 * time.Second
	for _, tt := range []struct {
		name     string
		err      error
		reason   classify.Reason
		status   int
		wait     time.Duration
		provider string
	}{
		{"anthropic", &anthropicError{StatusCode: 529, Request: request(t, "api.anthropic.com"), Response: response(529)}, classify.ReasonTransient, 529, 0, "anthropic"},
		{"anthropic, somewhere else", &anthropicError{StatusCode: 401, Request: request(t, "proxy.example"), Response: response(401)}, classify.ReasonAuthentication, 401, 0, ""},
		{"openai", &openaiError{StatusCode: 429, Request: request(t, "api.openai.com"), Response: response(429)}, classify.ReasonRateLimit, 429, 0, "openai"},
		{"openai, without a request", &openaiError{StatusCode: 404}, classify.ReasonInvalidRequest, 404, 0, ""},
		{"genai", genaiError{Code: 503, Message: "m", Status: "UNAVAILABLE"}, classify.ReasonTransient, 503, 0, ""},
		{"googleapi", &googleapiError{Code: 402, Body: "no more"}, classify.ReasonBudgetExceeded, 402, 0, ""},
		{"smithy", &smithyResponseError{Response: &smithyResponse{response(504)}, Err: errors.New("x")}, classify.ReasonTimeout, 504, 0, ""},
		{"smithy, code inside", &smithyResponseError{Response: &smithyResponse{response(400)}, Err: &smithyAPIError{Code: "SoItGoes"}}, classify.ReasonInvalidRequest, 400, 0, ""},
		{"azure", &azureError{StatusCode: 403, ErrorCode: "AuthorizationFailed", RawResponse: response(403)}, classify.ReasonAuthentication, 403, 0, ""},
		{"kubernetes", &kubernetesError{kubernetesStatus{Reason: "NotFound", Code: 404}}, classify.ReasonInvalidRequest, 404, 0, ""},
		{"code and message", &fiberError{Code: 422, Message: "m"}, classify.ReasonInvalidRequest, 422, 0, ""},
		{"response alone", &githubAbuse{Response: response(429), Message: "m", RetryAfter: &wait}, classify.ReasonRateLimit, 429, wait, ""},
		{"method", httpStatus(451), classify.ReasonPolicy, 451, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{tt.err, fmt.Errorf("call: %w", tt.err)} {
				got := classify.Error(err)
				assert.Equal(t, tt.reason, got.Reason, got.Rule)
				assert.Equal(t, tt.status, got.Status)
				assert.Equal(t, tt.wait, got.RetryAfter)
				assert.Equal(t, tt.provider, got.Provider)
			}
		})
	}
}

// httpStatus is an error with a method for its HTTP status.
type httpStatus int

func (httpStatus) Error() string     { return "so it goes" }
func (s httpStatus) StatusCode() int { return int(s) }

// TestNoStatus checks codes that are not HTTP statuses, such as exit codes.
func TestNoStatus(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"success":               httpStatus(200),
		"no such status":        httpStatus(5000),
		"a code out of range":   &fiberError{Code: 11000, Message: "duplicate key"},
		"a code of a kind":      kindError{Code: 429, Message: "so it goes"},
		"a code without answer": bareCode{Code: 404},
		"an int32":              narrowCode{Code: 404, Message: "so it goes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := classify.Error(err)
			assert.Zero(t, got.Status)
			assert.Equal(t, classify.ReasonUnknown, got.Reason, got.Rule)
		})
	}
}

type (
	kind      int
	kindError struct {
		Code    kind
		Message string
	}
	bareCode   struct{ Code int }
	narrowCode struct {
		Code    int32
		Message string
	}
)

func (kindError) Error() string  { return "so it goes" }
func (bareCode) Error() string   { return "so it goes" }
func (narrowCode) Error() string { return "so it goes" }

func TestRetryAfterFields(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour // the longest waiting time that is reported
	for _, tt := range []struct {
		name string
		err  error
		want time.Duration
		has  bool
	}{
		{"duration", slackRateLimited{RetryAfter: 3 * time.Second}, 3 * time.Second, true},
		{"nothing said", slackRateLimited{}, 0, false},
		{"nil pointer", &githubAbuse{}, 0, false},
		{"seconds", struct {
			error
			RetryAfterSeconds int32
		}{errors.New("x"), 12}, 12 * time.Second, true},
		{"too many seconds", struct {
			error
			RetryAfter int64
		}{errors.New("x"), 1 << 62}, year, true},
		{"far too negative", struct {
			error
			RetryAfter int64
		}{errors.New("x"), -1 << 62}, 0, false},
		{"a fraction of too many", struct {
			error
			RetryAfter float64
		}{errors.New("x"), 1e300}, year, true},
		{"a method that asks for too long", waits(1<<63 - 1), year, true},
		{"fraction", struct {
			error
			RetryAfter float64
		}{errors.New("x"), 1.5}, 1500 * time.Millisecond, true},
		{"method", waits(9 * time.Second), 9 * time.Second, true},
		{"the longest counts", fmt.Errorf("%w, %w", slackRateLimited{RetryAfter: time.Second}, waits(time.Minute)), time.Minute, true},
		{"negative", waits(-1), 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := classify.Error(tt.err)
			assert.Equal(t, tt.want, got.RetryAfter)
			assert.Equal(t, tt.has, got.HasRetryAfter)
		})
	}
}

type waits time.Duration

func (waits) Error() string               { return "so it goes" }
func (w waits) RetryAfter() time.Duration { return time.Duration(w) }

func TestErrorCodes(t *testing.T) {
	t.Parallel()
	runTyped(t, []typedCase{
		{name: "aws", err: &smithyAPIError{Code: "TooManyRequestsException"}, reason: classify.ReasonRateLimit},
		{name: "openai", err: &openaiError{Type: "too_many_requests"}, reason: classify.ReasonRateLimit},
		{name: "azure", err: &azureError{ErrorCode: "TooManyRequests"}, reason: classify.ReasonRateLimit},
		{name: "aws, cancelled", err: &smithyCanceled{Err: errors.New("x")}, reason: classify.ReasonAborted, rule: "sdk/canceled"},
	})
}
