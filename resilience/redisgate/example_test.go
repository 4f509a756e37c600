package redisgate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/redisgate"
)

// If one process meets a rate limit, another process does not call the endpoint.
func Example() {
	server, err := miniredis.Run() // in a real fleet: Redis or Valkey
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx := context.Background()
	process := func() (*resilience.Executor, func()) {
		client := redis.NewClient(&redis.Options{Addr: server.Addr(), ContextTimeoutEnabled: true})
		sharer, err := redisgate.New(ctx, client, redisgate.WithPrefix("shop"))
		if err != nil {
			log.Fatal(err)
		}
		x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithSharing(sharer))
		if err != nil {
			log.Fatal(err)
		}
		return x, func() {
			_ = sharer.Close()
			_ = client.Close()
		}
	}

	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://api.example.com"}}}
	ctx, cancel := context.WithTimeout(ctx, time.Second) // too short for the rate limit
	defer cancel()

	one, done := process()
	defer done()
	_, err = resilience.Do(ctx, one, call, func(context.Context, resilience.Target) (string, error) {
		return "", &limitedError{20 * time.Second}
	})
	fmt.Println(err)
	for len(server.Keys()) < 2 {
		time.Sleep(time.Millisecond) // the change is sent in the background
	}

	other, done := process()
	defer done()
	_, err = resilience.Do(ctx, other, call, func(context.Context, resilience.Target) (string, error) {
		fmt.Println("never called")
		return "", nil
	})
	fmt.Println(errors.Is(err, resilience.ErrHeld))

	// Output:
	// 429 too many requests
	// true
}
