package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/redisgate"
)

// asWorker is an environment variable. If it is set, the program runs as a worker.
const asWorker = "FLEET_AS_WORKER"

// order is the task of a worker process. The process reads it from standard input.
type order struct {
	Name     string        `json:"name"`
	Provider string        `json:"provider"`
	Redis    string        `json:"redis"` // "" = nothing is shared
	Duration time.Duration `json:"duration"`
}

// counts are the results of a worker process. The process writes them to standard
// output.
type counts struct {
	Answered int `json:"answered"`
	Failed   int `json:"failed"`
}

// newExecutor returns an executor. If addr is not "", the executor shares its circuit
// breakers and rate limits with other processes, through the Redis server at addr.
func newExecutor(ctx context.Context, addr string) (x *resilience.Executor, done func(), err error) {
	config := &resilience.Config{Enabled: true}
	if addr == "" {
		x, err = resilience.New(config)
		return x, func() {}, err
	}
	client := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})
	sharer, err := redisgate.New(ctx, client)
	if err != nil {
		return nil, nil, err
	}
	x, err = resilience.New(config, resilience.WithSharing(sharer))
	return x, func() { _ = sharer.Close(); _ = client.Close() }, err
}

// work runs a worker process, until its calls are made or its standard input ends.
func work(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	var o order
	if !lines.Scan() {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
		return err
	}
	x, done, err := newExecutor(context.Background(), o.Redis)
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprintln(out, "ready")
	if !lines.Scan() {
		return io.ErrUnexpectedEOF
	}
	go func() {
		if !lines.Scan() {
			os.Exit(1)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), o.Duration)
	defer cancel()
	var c counter
	var all sync.WaitGroup
	for i := range 4 {
		endpoint := o.Provider + [...]string{awayPath, limitedPath}[i%2]
		all.Go(func() {
			for ctx.Err() == nil {
				begin := time.Now()
				c.add(ctx, call(ctx, x, o.Name, endpoint))
				pause(ctx, 200*time.Millisecond-time.Since(begin))
			}
		})
	}
	all.Wait()
	return json.NewEncoder(out).Encode(c.counts)
}

// call makes one call to an endpoint of the provider.
func call(ctx context.Context, x *resilience.Executor, worker, endpoint string) error {
	target := resilience.Target{Endpoint: endpoint}
	_, err := resilience.Do(ctx, x, resilience.Call{Targets: []resilience.Target{target}}, func(ctx context.Context, t resilience.Target) (string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.Endpoint, nil)
		if err != nil {
			return "", err
		}
		req.Header.Set(workerHeader, worker)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			return "", &resilience.ResponseError{StatusCode: resp.StatusCode, Header: resp.Header}
		}
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	})
	return err
}

// counter counts calls.
type counter struct {
	mu sync.Mutex
	counts
}

// add counts a call. It ignores a call that failed because the round ended.
func (c *counter) add(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.Answered++
	case ctx.Err() == nil:
		c.Failed++
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
