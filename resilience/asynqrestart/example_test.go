package asynqrestart_test

import (
	"context"
	"fmt"
	"log"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/asynqrestart"
)

// A call fails with a network error. A machine of the fleet makes the call again.
func Example() {
	server, err := miniredis.Run() // in a real fleet: Redis or Valkey
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	config := &resilience.Config{
		Enabled:     true,
		Retry:       resilience.RetryConfig{MaxNetworkRetries: new(0)},
		TaskRestart: resilience.RestartConfig{RestartBackoffBaseMs: 1}, // the default is a minute
	}
	done := make(chan bool)
	queue := asynqrestart.NewQueue(client, config, asynqrestart.WithCheckInterval(10*time.Millisecond)) // the default is 5 s
	queue.Register("summarize", func(ctx context.Context, payload []byte) error {
		fmt.Printf("restart %d: %s\n", resilience.RestartNumber(ctx), payload)
		close(done)
		return nil
	})
	if err := queue.Start(); err != nil {
		log.Fatal(err)
	}

	x, err := resilience.New(config, resilience.WithRestarter(queue))
	if err != nil {
		log.Fatal(err)
	}
	call := resilience.Call{
		Key:     "document 7",
		Targets: []resilience.Target{{Endpoint: "https://api.example.com"}},
		Restart: resilience.Task{Kind: "summarize", Payload: []byte("document 7")},
	}
	_, err = resilience.Do(context.Background(), x, call, func(context.Context, resilience.Target) (string, error) {
		return "", syscall.ECONNRESET
	})
	fmt.Println(err)
	<-done
	if err := queue.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := client.Close(); err != nil {
		log.Fatal(err)
	}

	// Output:
	// connection reset by peer
	// restart 1: document 7
}
