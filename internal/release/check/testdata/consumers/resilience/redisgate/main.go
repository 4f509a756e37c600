package main

import (
	"context"
	"fmt"

	"github.com/errclass/errclass/resilience/redisgate"
)

func main() {
	_, err := redisgate.New(context.Background(), nil, redisgate.WithPrefix("shop"))
	fmt.Println(err)
}

// Output: redisgate: no client
