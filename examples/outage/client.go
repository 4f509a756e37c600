package main

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/resilience"
)

// client is one of the two clients that are compared.
type client int

const (
	plain client = iota // a retry loop
	gated               // package resilience
	clients
)

// attemptTimeout is the timeout of one call, for both clients. An answer must
// begin within this time.
const attemptTimeout = 5 * time.Second

// ask makes the request of a task. It does not retry; the client's transport
// does.
func ask(ctx context.Context, c *http.Client, host string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+"/v1/messages", strings.NewReader(`{"question":"?"}`))
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return &resilience.ResponseError{StatusCode: resp.StatusCode, Header: resp.Header}
	}
	return nil
}

// loop is a careful retry loop, as a programmer writes it by hand. It makes as many
// calls as package resilience. Tasks share no state.
type loop struct{ base http.RoundTripper }

func (l loop) RoundTrip(r *http.Request) (*http.Response, error) {
	schedule := resilience.MediumSchedule.Schedule()
	for n := 1; ; n++ {
		resp, calls, err := l.try(r)
		if n >= calls {
			return resp, err
		}
		wait := schedule.Delay(n-1, noise(0, tryOf(r.Context()).task.id, n))
		if err == nil {
			if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
				wait = time.Duration(seconds) * time.Second
			}
			_ = resp.Body.Close()
		}
		if err := pause(r.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// try makes one call. maxCalls is the maximum number of calls for the whole task:
//
//   - 6 after a network error
//   - 3 after a timeout, a rate limit or a server error
//   - 0 after any other answer: no call follows
func (l loop) try(r *http.Request) (resp *http.Response, maxCalls int, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), attemptTimeout)
	defer cancel()
	body, err := r.GetBody()
	if err != nil {
		return nil, 0, err
	}
	once := r.Clone(ctx)
	once.Body = body
	resp, err = l.base.RoundTrip(once)
	switch {
	case ctx.Err() != nil:
		return nil, 3, err
	case err != nil:
		return nil, 6, err
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= http.StatusInternalServerError:
		return resp, 3, nil
	default:
		return resp, 0, nil
	}
}

// kindAsk is the kind of the tasks in the restart queue. The queue runs such a task
// by making its failed request again.
const kindAsk = "ask"

// newGated builds the client that uses package resilience and a queue for longer
// outages. A new call waits at an open circuit breaker only if the call begins less than
// bridge after the breaker opened. Later calls fail at once, except trial calls.
func newGated(w *world, capacity int, bridge time.Duration, observe resilience.Observer) (*http.Client, *resilience.Queue, error) {
	config := &resilience.Config{Enabled: true} // the defaults, except for two settings
	config.CircuitBreaker.BridgeMs = new(int(bridge / time.Millisecond))
	config.Retry.AttemptTimeoutMs = int(attemptTimeout / time.Millisecond)
	queue, err := resilience.NewQueue(config, resilience.WithQueueObserver(observe),
		resilience.WithQueueCapacity(capacity), resilience.WithQueueWorkers(max(resilience.DefaultQueueWorkers, capacity/100)))
	if err != nil {
		return nil, nil, err
	}
	executor, err := resilience.New(config, resilience.WithRestarter(queue), resilience.WithObserver(observe),
		// The jitter depends only on the fake time, so runs with one seed are alike.
		resilience.WithRandom(func() float64 { return noise(uint64(time.Now().UnixNano()), 0, 0) }))
	if err != nil {
		return nil, nil, err
	}
	c := &http.Client{Transport: resilience.NewTransport(w, executor,
		resilience.WithMethods(http.MethodPost),
		resilience.WithCall(func(r *http.Request) resilience.Call {
			return resilience.Call{
				Targets: []resilience.Target{{Endpoint: "https://" + r.URL.Host}},
				Restart: resilience.Task{Kind: kindAsk, Payload: []byte(r.URL.Host)},
			}
		}))}
	queue.Register(kindAsk, func(ctx context.Context, host []byte) error { return ask(ctx, c, string(host)) })
	return c, queue, nil
}
