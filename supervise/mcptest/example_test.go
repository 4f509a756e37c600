package mcptest

import (
	"context"
	"fmt"
	"os"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/supervise"
)

// asRateLimited is an environment variable. If it is set, the test binary fails with
// a rate limit error.
const asRateLimited = "MCPTEST_AS_RATE_LIMITED"

// If the error is retryable, package resilience starts the child again.
func Example_retry() {
	x, err := resilience.New(&resilience.Config{Enabled: true, Retry: resilience.RetryConfig{Schedule: resilience.FixedSchedule}})
	if err != nil {
		fmt.Println(err)
		return
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := supervise.Command{Name: self, Env: append(os.Environ(), asRateLimited+"=1")}
	calls := 0

	out, err := resilience.Do(context.Background(), x, resilience.Call{}, func(ctx context.Context, _ resilience.Target) (supervise.Outcome, error) {
		calls++
		return supervise.Run(ctx, agent)
	})

	fmt.Println(err != nil, supervise.NewEvent("request-4", "codex", calls, out).Line())
	// Output: true {"type":"error","requestId":"request-4","error":"OpenAI takes no more requests at the moment","diagnostics":{"provider":"codex","errorType":"rate_limit","recoverable":true,"retried":2,"stderr":"HTTP 429: rate limit exceeded, try again in 0.001s"}}
}
