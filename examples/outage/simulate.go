package main

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

const day = 24 * time.Hour

// strategy is a way to deal with failures.
type strategy string

// These are the values of strategy. They are also the names in the table.
const (
	noRetry    strategy = "no retry"
	everything strategy = "retry everything"
	errclass   strategy = "errclass"
)

var strategies = []strategy{noRetry, everything, errclass}

// hosts returns the endpoints in a fixed order.
func hosts() []string { return slices.Sorted(maps.Keys(plans)) }

// job is a task: one request at some time of the day.
type job struct {
	id   int
	at   time.Duration // since the start
	host string
}

// jobs returns n tasks at random times of the day, spread evenly over the
// endpoints.
func jobs(seed uint64, n int) []job {
	random := rand.New(rand.NewPCG(seed, 1<<40))
	all, names := make([]job, n), hosts()
	for i := range all {
		all[i] = job{id: i, at: time.Duration(random.Int64N(int64(day))), host: names[i%len(names)]}
	}
	slices.SortFunc(all, func(a, b job) int { return cmp.Compare(a.at, b.at) })
	return all
}

// simulation is a day with one strategy.
type simulation struct {
	world *world

	mu      sync.Mutex
	done    map[int]time.Duration // when tasks succeeded
	refused map[int]bool          // tasks that a breaker refused
	actions actions
}

// simulate runs the tasks of a day and then empties the queue. Call it under fake
// time.
func simulate(ctx context.Context, seed uint64, n int, how strategy) (figures, error) {
	s := &simulation{world: newWorld(seed, scripts(seed)), done: map[int]time.Duration{}, refused: map[int]bool{}}
	client := &http.Client{Transport: s.world}
	drain := func(context.Context) error { return nil }
	switch how {
	case everything:
		client.Transport = naive{s.world}
	case errclass:
		c, err := newClassified(s.world, s.observe, s.succeeded)
		if err != nil {
			return figures{}, err
		}
		client, drain = c.client, c.drain
	}
	all := jobs(seed, n)
	var running sync.WaitGroup
	for _, j := range all {
		time.Sleep(time.Until(s.world.start.Add(j.at)))
		running.Go(func() {
			if ask(ctx, client, j.host, j.id) == nil {
				s.succeeded(j.id)
			}
		})
	}
	running.Wait()
	if err := drain(ctx); err != nil {
		return figures{}, err
	}
	return s.sum(all), nil
}

// succeeded records the time at which a task succeeded.
func (s *simulation) succeeded(task int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[task] = time.Since(s.world.start)
}

// observe counts the actions of breakers and the queue. It compares each decision
// of a breaker with the script.
func (s *simulation) observe(_ context.Context, e resilience.Event) {
	up := s.world.up(strings.TrimPrefix(e.Target.Endpoint, "https://"), e.Time)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case resilience.KindBreaker:
		if e.From == string(resilience.BreakerClosed) {
			s.actions.openings.add(up)
		}
	case resilience.KindDone:
		if e.Attempt == 0 {
			s.actions.refusals.add(up)
			if task, err := strconv.Atoi(e.Key); err == nil {
				s.refused[task] = true
			}
		}
	case resilience.KindRestart:
		switch e.To {
		case resilience.RestartSucceeded:
			s.actions.restarts.add(true)
		case resilience.RestartFailed, resilience.RestartRefused, resilience.RestartReturned:
			s.actions.restarts.add(false)
		}
	}
}
