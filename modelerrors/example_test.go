package modelerrors_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/errclass/errclass/modelerrors"
)

// This retry loop calls the same model again or falls back to the next one.
func Example() {
	primary := func() error {
		resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"30"}}}
		return modelerrors.WrapHTTPError(resp.StatusCode, resp, errors.New("slow down"))
	}
	fallback := func() error { return nil }

	for _, model := range []func() error{primary, fallback} {
		for attempt := range 1 + modelerrors.DefaultRetries {
			err := model()
			if err == nil {
				fmt.Println("answered")
				return
			}
			retryable, rateLimited, retryAfter := modelerrors.ClassifyModelError(err)
			fmt.Println(retryable, rateLimited, retryAfter)
			if !retryable {
				break // the next model
			}
			if !modelerrors.SleepWithContext(context.Background(), modelerrors.CalculateBackoff(attempt)) {
				return
			}
		}
	}
	// Output:
	// false true 30s
	// answered
}

func ExampleClassifyModelError() {
	for _, err := range []error{
		&modelerrors.StatusError{StatusCode: 429, RetryAfter: 20 * time.Second, Err: errors.New("slow down")},
		errors.New("503 Service Unavailable"),
		errors.New("401 Unauthorized"),
		context.DeadlineExceeded,
	} {
		fmt.Println(modelerrors.ClassifyModelError(err))
	}
	// Output:
	// false true 20s
	// true false 0s
	// false false 0s
	// false false 0s
}

func ExampleIsRetryableModelError() {
	fmt.Println(modelerrors.IsRetryableModelError(errors.New("fetch failed")))
	fmt.Println(modelerrors.IsRetryableModelError(errors.New("rate limit exceeded")))
	// Output:
	// true
	// false
}

func ExampleIsRetryableStatusCode() {
	fmt.Println(modelerrors.IsRetryableStatusCode(529), modelerrors.IsRetryableStatusCode(429))
	// Output: true false
}

func ExampleExtractHTTPStatusCode() {
	fmt.Println(modelerrors.ExtractHTTPStatusCode(errors.New(`POST "/v1/messages": 529 {"type":"error"}`)))
	fmt.Println(modelerrors.ExtractHTTPStatusCode(errors.New("processed 500 items")))
	// Output:
	// 529
	// 0
}

func ExampleIsContextOverflowError() {
	fmt.Println(modelerrors.IsContextOverflowError(errors.New("prompt is too long: 226360 tokens > 200000 maximum")))
	fmt.Println(modelerrors.IsContextOverflowError(errors.New("500 Internal Server Error")))
	// Output:
	// true
	// false
}

func ExampleFormatError() {
	fmt.Println(modelerrors.FormatError(&modelerrors.ContextOverflowError{}))
	fmt.Println(modelerrors.FormatError(errors.New("authentication failed")))
	// Output:
	// The conversation has exceeded the model's context window. Compact it (/compact in command line agents) or start a new session.
	// authentication failed
}

func ExampleWrapHTTPError() {
	resp := &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"5"}}}
	err := modelerrors.WrapHTTPError(resp.StatusCode, resp, errors.New("try later"))

	var status *modelerrors.StatusError
	if errors.As(err, &status) {
		fmt.Println(status, status.RetryAfter)
	}
	// Output: try later 5s
}

func ExampleParseRetryAfterHeader() {
	wait := modelerrors.ParseRetryAfterHeader("7200")
	fmt.Println(wait, min(wait, modelerrors.MaxRetryAfterWait))
	// Output: 2h0m0s 1m0s
}

func ExampleCalculateBackoff() {
	d := modelerrors.CalculateBackoff(1)
	fmt.Println(360*time.Millisecond <= d && d <= 440*time.Millisecond)
	// Output: true
}

func ExampleSleepWithContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(modelerrors.SleepWithContext(ctx, time.Hour))
	// Output: false
}

func ExampleStatusError_Error() {
	fmt.Println(&modelerrors.StatusError{StatusCode: 429, Err: errors.New("slow down")})
	// Output: slow down
}

func ExampleStatusError_Unwrap() {
	inner := errors.New("slow down")
	fmt.Println(errors.Is(&modelerrors.StatusError{StatusCode: 429, Err: inner}, inner))
	// Output: true
}

func ExampleContextOverflowError_Error() {
	fmt.Println(&modelerrors.ContextOverflowError{Underlying: errors.New("prompt is too long")})
	// Output: context window overflow: prompt is too long
}

func ExampleContextOverflowError_Unwrap() {
	inner := errors.New("prompt is too long")
	fmt.Println(errors.Is(&modelerrors.ContextOverflowError{Underlying: inner}, inner))
	// Output: true
}
