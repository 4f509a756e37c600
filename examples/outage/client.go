package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/resilience"
)

// taskHeader is the header that has the id of the request's task.
const taskHeader = "X-Task"

// ask makes the request of a task. It does not retry; the client's transport
// does.
func ask(ctx context.Context, client *http.Client, host string, task int) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+host+"/v1/messages", strings.NewReader(`{"question":"?"}`))
	if err != nil {
		return err
	}
	r.Header.Set(taskHeader, strconv.Itoa(task))
	resp, err := client.Do(r)
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

// naive retries every failed request five times, one second apart, whatever the
// error is.
type naive struct{ base http.RoundTripper }

func (n naive) RoundTrip(r *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, err := n.base.RoundTrip(r)
		if err == nil && resp.StatusCode < http.StatusBadRequest || attempt == 6 {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = body
		time.Sleep(time.Second)
	}
}

// classified is the client that uses package resilience: a transport, and a queue
// for longer outages.
type classified struct {
	client *http.Client
	queue  *resilience.Queue
}

// kindAsk is the kind of the tasks in the queue. The function for this kind makes
// the task's request again.
const kindAsk = "ask"

// newClassified builds the client. The client calls done for each task that
// succeeds after a restart by the queue.
func newClassified(w *world, observe resilience.Observer, done func(task int)) (*classified, error) {
	config := &resilience.Config{Enabled: true} // the defaults
	queue, err := resilience.NewQueue(config, resilience.WithQueueObserver(observe))
	if err != nil {
		return nil, err
	}
	executor, err := resilience.New(config,
		resilience.WithRestarter(queue),
		resilience.WithObserver(observe),
		resilience.WithProbe(func(_ context.Context, endpoint string) error {
			time.Sleep(50 * time.Millisecond)
			if !w.up(strings.TrimPrefix(endpoint, "https://"), time.Now()) {
				return errors.New("down")
			}
			return nil
		}),
		// The jitter depends only on the time, so that a seed always gives the same
		// figures.
		resilience.WithRandom(func() float64 {
			return rand.New(rand.NewPCG(w.seed, uint64(time.Now().UnixNano()))).Float64()
		}))
	if err != nil {
		return nil, err
	}
	transport := resilience.NewTransport(w, executor,
		resilience.WithMethods(http.MethodPost),
		resilience.WithCall(func(r *http.Request) resilience.Call {
			task := r.Header.Get(taskHeader)
			return resilience.Call{
				Key:     task,
				Targets: []resilience.Target{{Endpoint: "https://" + r.URL.Host}},
				Restart: resilience.Task{Kind: kindAsk, Payload: []byte(r.URL.Host + " " + task)},
			}
		}))
	c := &classified{client: &http.Client{Transport: transport}, queue: queue}
	queue.Register(kindAsk, func(ctx context.Context, payload []byte) error {
		var host string
		var task int
		if _, err := fmt.Sscan(string(payload), &host, &task); err != nil {
			return err
		}
		if err := ask(ctx, c.client, host, task); err != nil {
			return err
		}
		done(task)
		return nil
	})
	return c, nil
}

// drain waits until the queue is empty.
func (c *classified) drain(ctx context.Context) error {
	for len(c.queue.Tasks()) > 0 {
		time.Sleep(time.Minute)
	}
	left, err := c.queue.Shutdown(ctx)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%d tasks are left in the queue", len(left))
	}
	return err
}
