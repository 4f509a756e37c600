package modelerrors

import (
	"fmt"
	"net/http"
	"time"
)

// StatusError is an error of a provider's SDK together with what its response
// said. Adapters of providers wrap in it, so that a retry loop finds status and
// Retry-After with errors.As and needs none of the SDKs.
type StatusError struct {
	// StatusCode is the HTTP status of the provider's response.
	StatusCode int
	// RetryAfter is what the Retry-After header asked for, 0 without one. It
	// is not capped: see [MaxRetryAfterWait].
	RetryAfter time.Duration
	// Err is the error of the SDK.
	Err error
}

// Error returns the text of the wrapped error behind the status, as in "HTTP
// 429: rate limited".
func (e *StatusError) Error() string {
	switch {
	case e == nil:
		return "no status error"
	case e.Err == nil:
		return fmt.Sprintf("HTTP %d", e.StatusCode)
	default:
		return fmt.Sprintf("HTTP %d: %s", e.StatusCode, e.Err.Error())
	}
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// WrapHTTPError wraps err in a [*StatusError] with the status and what the
// Retry-After header of resp asks for. resp is nil where there is no response
// at hand; its body is not touched. A nil err, and an err whose status is below
// 400, come back as they are.
func WrapHTTPError(statusCode int, resp *http.Response, err error) error {
	if err == nil || statusCode < http.StatusBadRequest {
		return err
	}
	wrapped := &StatusError{StatusCode: statusCode, Err: err}
	if resp != nil {
		wrapped.RetryAfter = ParseRetryAfterHeader(resp.Header.Get("Retry-After"))
	}
	return wrapped
}

// ContextOverflowError says that a call failed because the conversation exceeds
// the model's context window, so that a program compacts the conversation
// instead of showing its user an HTTP error.
type ContextOverflowError struct {
	Underlying error // what the provider said; may be nil
}

// Error returns "context window overflow" and the text of what is wrapped.
func (e *ContextOverflowError) Error() string {
	if e == nil || e.Underlying == nil {
		return "context window overflow"
	}
	return "context window overflow: " + e.Underlying.Error()
}

// Unwrap returns Underlying.
func (e *ContextOverflowError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Underlying
}
