package main

import (
	"errors"
	"fmt"

	"github.com/errclass/errclass/classify"
)

func main() {
	result := classify.Error(errors.New("HTTP 429 Too Many Requests"))
	fmt.Println(result.Category, result.Reason)
}

// Output: retryable rate_limit
