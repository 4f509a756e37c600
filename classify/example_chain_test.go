package classify_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/errclass/errclass/classify"
)

func ExampleError_chain() {
	lookup := &net.DNSError{Err: "no such host", Name: "api.exmaple.com", IsNotFound: true}
	for _, err := range []error{
		fmt.Errorf("ask: %w", context.DeadlineExceeded),
		fmt.Errorf("ask: %w", lookup),
		errors.Join(errors.New("attempt 1 failed"), lookup),
		fmt.Errorf("ask: %w", classify.ErrBudgetExceeded),
	} {
		r := classify.Error(err)
		fmt.Println(r.Category, r.Reason, r.Rule)
	}
	// Output:
	// timeout timeout context/deadline-exceeded
	// fatal network_permanent dns/not-found
	// fatal network_permanent dns/not-found
	// fatal budget_exceeded own/budget
}

func ExampleResult_Name() {
	r := classify.Message("openai.APIConnectionError: Connection error.")
	fmt.Println(r.Reason, r.Name(classify.ViewProvider), r.Name(classify.ViewResilience))
	// Output: network timeout NetworkTransient
}

func ExampleResult_Policy() {
	p := classify.Error(fmt.Errorf("ask: %w", context.DeadlineExceeded)).Policy()
	fmt.Println(p.Category, p.Retry, p.Calls())
	p = classify.Error(classify.ErrBudgetExceeded).Policy()
	fmt.Println(p.Category, p.Retry, p.Calls(), p.Fallback)
	// Output:
	// timeout exponential 3
	// fatal none 1 no
}
