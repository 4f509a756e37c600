package main

import (
	"context"
	"fmt"
	"os"

	"github.com/errclass/errclass/supervise"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "HTTP 429 Too Many Requests")
		os.Exit(1)
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := supervise.Run(context.Background(), supervise.Command{Name: self, Args: []string{"child"}})
	fmt.Println(outcome.Result.Reason, err != nil)
}

// Output: rate_limit true
