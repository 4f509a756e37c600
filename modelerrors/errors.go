package modelerrors

import (
	"fmt"
	"net/http"
	"time"
)

// StatusError is an SDK's error with the status and the Retry-After of its response.
// Provider adapters wrap the SDK's error in a StatusError. Retry loops find it with
// errors.As and need not import the SDKs.
type StatusError struct {
	// StatusCode is the HTTP status of the provider's response.
	StatusCode int
	// RetryAfter is the pause of the Retry-After header, or 0 without the header. It
	// has no upper limit: see [MaxRetryAfterWait].
	RetryAfter time.Duration
	// Err is the SDK's error.
	Err error
}

// Error returns the text of Err. If Err is nil, it returns "HTTP" and the status.
func (e *StatusError) Error() string {
	switch {
	case e == nil:
		return "no status error"
	case e.Err == nil:
		return fmt.Sprintf("HTTP %d", e.StatusCode)
	default:
		return e.Err.Error()
	}
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// WrapHTTPError wraps err in a [*StatusError] with statusCode. RetryAfter comes from
// the Retry-After header of resp, which may be nil. The body of resp is not read. If
// err is nil or statusCode is below 400, WrapHTTPError returns err unchanged.
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

// ContextOverflowError reports that the conversation exceeds the model's context
// window. A program should then compact the conversation.
type ContextOverflowError struct {
	Underlying error // the provider's error; may be nil
}

// Error returns "context window overflow" and the text of Underlying.
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
