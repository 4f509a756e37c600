package classify_test

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/errclass/errclass/classify"
)

func Example() {
	err := fmt.Errorf("complete: %w", errors.New("429 Too Many Requests: please try again in 20s"))

	res := classify.Error(err)

	fmt.Println(res.Category, res.Reason)
	fmt.Println(res.Retryable(), res.RetryAfter, res.Policy().Calls())
	// Output:
	// retryable rate_limit
	// true 20s 3
}

func ExampleError() {
	err := fmt.Errorf("ask: %w", syscall.ECONNRESET)

	res := classify.Error(err)

	fmt.Println(res.Category, res.Reason, res.Rule)
	fmt.Println(classify.Error(nil) == classify.Result{})
	// Output:
	// retryable network errno/ECONNRESET
	// true
}

// A specific cause such as insufficient_quota outranks the status 429.
func ExampleMessage() {
	for _, text := range []string{
		"HTTP 503 Service Unavailable",
		"HTTP 429: insufficient_quota",
		"exported 1503 rows in 429 ms",
		"",
	} {
		res := classify.Message(text)
		fmt.Println(res.Category, res.Reason)
	}
	// Output:
	// retryable transient
	// fatal budget_exceeded
	// fatal unknown
	// fatal unknown
}

// Classify reads all fields of the Evidence. The most specific one decides.
func ExampleClassifier_Classify() {
	res := classify.Standard.Classify(classify.Evidence{
		Message:  "completion failed",
		Status:   429,
		Header:   http.Header{"Retry-After": {"17"}},
		Body:     []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"Number of requests has exceeded your rate limit."}}`),
		Provider: "anthropic",
	})
	fmt.Println(res.Category, res.Reason, res.Status, res.RetryAfter, res.Provider)
	// Output: retryable rate_limit 429 17s anthropic
}

func ExampleClassifier_Error() {
	err := errors.New("network error, HTTP 401")
	for _, c := range []*classify.Classifier{classify.Standard, classify.Minimal} {
		res := c.Error(err)
		fmt.Println(res.Category, res.Rule)
	}
	// Output:
	// fatal http/401
	// retryable 000/network
}

// The classifier Minimal tries twenty patterns in order. The first pattern that
// matches decides.
func ExampleClassifier_Message() {
	res := classify.Minimal.Message("exported 1503 rows")
	fmt.Println(res.Category, res.Rule)
	// Output: retryable 000/503
}

func ExampleNew() {
	own, err := classify.New(classify.WithRules(classify.Rule{
		ID: "shop/stock-locked", Reason: classify.ReasonTransient, Pattern: `stock .{0,20} is locked`,
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	res := own.Message("order 7: stock 17 is locked")
	fmt.Println(res.Category, res.Reason, res.Rule)

	_, err = classify.New(classify.WithRules(classify.Rule{
		ID: "shop/sold-out", Reason: classify.ReasonInvalidRequest, Pattern: `(sold out`,
	}))
	fmt.Println(err)
	// Output:
	// retryable transient shop/stock-locked
	// rule "shop/sold-out": pattern "(sold out": missing closing )
}

// A user's rule outranks nearly all other evidence. If several of the user's rules match,
// the first of them decides.
func ExampleWithRules() {
	own, err := classify.New(classify.WithRules(
		classify.Rule{ID: "shop/retired", Reason: classify.ReasonInvalidRequest, Pattern: `closed for good`},
		classify.Rule{ID: "shop/closed", Reason: classify.ReasonTransient, Pattern: `closed`},
	))
	if err != nil {
		fmt.Println(err)
		return
	}
	res := own.Classify(classify.Evidence{Status: 503, Message: "the shop is closed for good"})
	fmt.Println(res.Category, res.Reason, res.Rule)
	// Output: fatal invalid_request shop/retired
}

// With the base None, only the user's own rules match.
func ExampleWithBase() {
	own, err := classify.New(
		classify.WithBase(classify.None),
		classify.WithRules(classify.Rule{ID: "shop/closed", Reason: classify.ReasonTransient, Pattern: `closed`}),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(own.Message("the shop is closed").Reason, own.Message("HTTP 401").Reason)
	// Output: transient unknown
}

// If a text is longer than the limit, only its beginning and its end are read.
func ExampleWithMaxBytes() {
	short, err := classify.New(classify.WithMaxBytes(32))
	if err != nil {
		fmt.Println(err)
		return
	}
	const text = "dump of all that was sent: HTTP 401, and more of it"
	fmt.Println(classify.Message(text).Reason, short.Message(text).Reason)
	// Output: authentication unknown
}

func ExampleReason_Policy() {
	for _, r := range []classify.Reason{classify.ReasonNetwork, classify.ReasonParsing, classify.ReasonAuthentication} {
		p := r.Policy()
		fmt.Println(r, p.Category, p.Retry, p.Calls(), p.Fallback)
	}
	// Output:
	// network retryable exponential 6 yes
	// parsing fatal corrective 2 after_corrective
	// authentication fatal none 1 no
}

// Name returns a reason's name in other systems.
func ExampleReason_Name() {
	r := classify.ReasonNetwork
	fmt.Println(
		r.Name(classify.ViewProvider),
		r.Name(classify.ViewDiagnostics),
		r.Name(classify.ViewResilience),
	)
	// Output: transient network NetworkTransient
}

func ExampleReason_Valid() {
	fmt.Println(classify.Reason("rate_limit").Valid(), classify.Reason("bad_luck").Valid())
	// Output: true false
}

func ExampleReasons() {
	retried := 0
	for _, r := range classify.Reasons() {
		if p := r.Policy(); p.Retry == classify.RetryExponential && p.Calls() > 1 {
			retried++
		}
	}
	fmt.Println(len(classify.Reasons()), "reasons,", retried, "of them retried")
	// Output: 17 reasons, 4 of them retried
}

func ExampleCategories() {
	fmt.Println(classify.Categories())
	// Output: [retryable context_overflow fatal timeout aborted]
}

func ExamplePolicy_Corrective() {
	fmt.Println(classify.ReasonParsing.Policy().Corrective(), classify.ReasonNetwork.Policy().Corrective())
	// Output: true false
}

func ExamplePolicy_Calls() {
	fmt.Println(
		classify.ReasonRateLimit.Policy().Calls(),
		classify.ReasonUnknown.Policy().Calls(),
		classify.ReasonPolicy.Policy().Calls(),
	)
	// Output: 3 1 1
}

// An unrecognised error is not retryable.
func ExampleResult_Retryable() {
	fmt.Println(classify.Message("connection refused").Retryable(), classify.Message("boom").Retryable())
	// Output: true false
}

func ExampleHostProvider() {
	fmt.Printf("%q %q\n", classify.HostProvider("api.anthropic.com"), classify.HostProvider("gateway.example"))
	// Output: "anthropic" ""
}
