package main

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience/asynqrestart"
)

func main() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"}) // connects at the first command
	queue := asynqrestart.NewQueue(client, nil)
	fmt.Println(queue.Shutdown(context.Background()))
}

// Output: <nil>
