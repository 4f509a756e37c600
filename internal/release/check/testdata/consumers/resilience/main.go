package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/errclass/errclass/resilience"
)

func main() {
	x, err := resilience.New(&resilience.Config{Enabled: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := 0
	answer, err := resilience.Do(context.Background(), x, resilience.Call{}, func(context.Context, resilience.Target) (string, error) {
		calls++
		if calls == 1 {
			return "", errors.New("HTTP 429: try again in 0.001s")
		}
		return "done", nil
	})
	fmt.Println(calls, answer, err)
}

// Output: 2 done <nil>
