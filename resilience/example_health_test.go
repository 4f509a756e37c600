package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// recordFailures records ten failed calls to an endpoint.
func recordFailures(h *resilience.Health, name string) {
	for range resilience.HealthMinCalls {
		h.Record(context.Background(), resilience.Outcome{Endpoint: name, Latency: time.Second, Result: classify.Error(syscall.ECONNREFUSED)})
	}
}

// The executor asks the Health before each call and records each outcome.
func ExampleNewHealth() {
	h := resilience.NewHealth(nil)
	x := must(&resilience.Config{Enabled: true}, resilience.WithMonitor(h))
	targets := []resilience.Target{endpoint, gateway}
	recordFailures(h, endpoint.Name())

	model, err := resilience.Do(context.Background(), x, resilience.Call{Targets: targets},
		func(_ context.Context, t resilience.Target) (string, error) { return t.Model, nil })
	fmt.Println(model, err)
	// Output: medium <nil>
}

func ExampleHealth_Healthy() {
	h := resilience.NewHealth(nil)
	fmt.Println(h.Healthy(endpoint.Name()))
	recordFailures(h, endpoint.Name())
	fmt.Println(h.Healthy(endpoint.Name()))
	// Output:
	// true
	// false
}

// Errors that the caller causes do not make the endpoint unhealthy.
func ExampleHealth_Record() {
	h := resilience.NewHealth(nil)
	for range 100 {
		h.Record(context.Background(), resilience.Outcome{Endpoint: "https://api.example.com", Result: classify.Message("401 unauthorized")})
	}
	fmt.Println(h.Healthy("https://api.example.com"))
	// Output: true
}

func ExampleHealth_Snapshot() {
	h := resilience.NewHealth(nil)
	recordFailures(h, "https://api.example.com")
	for _, s := range h.Snapshot() {
		fmt.Println(s.Endpoint, s.Healthy, s.Calls, s.FailureRate, s.Latency)
	}
	// Output: https://api.example.com false 10 1 1s
}

func ExampleHealth_WaitForRecovery() {
	back := func(context.Context, string) error { return nil }
	cfg := &resilience.Config{HealthCheck: resilience.HealthConfig{PingIntervalMs: 1}}
	h := resilience.NewHealth(cfg, resilience.WithPing(back))
	recordFailures(h, "https://api.example.com")

	fmt.Println(h.WaitForRecovery(context.Background(), "https://api.example.com"))
	fmt.Println(h.Healthy("https://api.example.com"))
	fmt.Println(h.Shutdown(context.Background()))
	// Output:
	// <nil>
	// true
	// <nil>
}

func ExampleHealth_Shutdown() {
	h := resilience.NewHealth(nil)
	fmt.Println(h.Shutdown(context.Background()))
	// Output: <nil>
}

// In this example, Watch watches a process. When the process ends, the endpoint becomes
// unhealthy.
func ExampleHealth_Watch() {
	told := make(chan resilience.Event, 1)
	h := resilience.NewHealth(nil, resilience.WithHealthObserver(func(_ context.Context, e resilience.Event) { told <- e }))

	session, exited := context.WithCancelCause(context.Background())
	h.Watch(session, "agent 7")
	exited(errors.New("exit status 2")) // usually exited(cmd.Wait()) in a goroutine

	e := <-told
	fmt.Println(e.Target.Endpoint, e.To, e.Err)
	// Output: agent 7 unhealthy session died: exit status 2
}

func ExampleWithPing() {
	asked := make(chan string, 1)
	ping := func(_ context.Context, name string) error {
		select {
		case asked <- name:
		default:
		}
		return nil
	}
	cfg := &resilience.Config{HealthCheck: resilience.HealthConfig{PingIntervalMs: 1}}
	h := resilience.NewHealth(cfg, resilience.WithPing(ping))
	h.Healthy("https://api.example.com")
	fmt.Println(<-asked, h.Shutdown(context.Background()))
	// Output: https://api.example.com <nil>
}

func ExampleWithHealthObserver() {
	h := resilience.NewHealth(nil, resilience.WithHealthObserver(func(_ context.Context, e resilience.Event) {
		fmt.Println(e.Target.Endpoint, e.To, e.Failures, e.Result.Reason)
	}))
	recordFailures(h, "https://api.example.com")
	// Output: https://api.example.com unhealthy 10 network
}
