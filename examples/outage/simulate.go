package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

// task is one request that both clients make at the same time.
type task struct {
	id       int
	endpoint *endpoint
	start    time.Time
	tries    [clients]try
	left     int // clients that are not done; guarded by simulation.mu
}

// A try is what one client does for a task.
type try struct {
	task        *task
	calls       int
	firstFailed bool // the first call failed
	succeeded   bool
	took        time.Duration // from the start of the task to its end
}

type tryKey struct{}

// tryOf returns the *try that a request belongs to, even after a restart.
func tryOf(ctx context.Context) *try {
	t, _ := ctx.Value(tryKey{}).(*try)
	return t
}

// simulation is a run at one rate. Of a finished task, only the figures are kept.
type simulation struct {
	endpoints map[string]*endpoint

	mu      sync.Mutex
	figures figures
	busy    int // requests of both clients under way
	queued  int
}

// simulate runs the tasks at a rate. Call it under fake time.
func simulate(ctx context.Context, o options, rate float64) (figures, error) {
	seed, n := o.seed, o.tasks
	s := &simulation{endpoints: map[string]*endpoint{}, figures: newFigures(n, rate)}
	for i, p := range plans {
		s.endpoints[p.host] = &endpoint{
			plan: p, seed: seed + uint64(i)<<32, start: time.Now(),
			script: p.script(rand.New(rand.NewPCG(seed, uint64(i))), p.time(n, rate)),
		}
	}
	capacity := max(resilience.DefaultQueueCapacity, int(rate*600)) // ten minutes of tasks
	client, queue, err := newGated(&world{gated, s.endpoints}, capacity, o.bridge, s.observe)
	if err != nil {
		return figures{}, err
	}
	both := [clients]*http.Client{plain: {Transport: loop{&world{plain, s.endpoints}}}, gated: client}
	var running sync.WaitGroup
	for i, p := range plans {
		running.Go(func() {
			random, next := rand.New(rand.NewPCG(seed, uint64(i)|1<<40)), time.Now()
			for id := range p.tasks(n) {
				next = next.Add(time.Duration(random.ExpFloat64() / rate * float64(time.Second)))
				time.Sleep(time.Until(next))
				t := s.begin(id, s.endpoints[p.host])
				for c, client := range both {
					running.Go(func() {
						try := &t.tries[c]
						s.end(try, ask(context.WithValue(ctx, tryKey{}, try), client, p.host))
					})
				}
			}
		})
	}
	running.Wait()
	if err := s.drain(ctx, queue); err != nil {
		return figures{}, err
	}
	for _, e := range s.endpoints {
		f := s.figures.endpoints[e.host]
		f.troubles = len(e.script)
		for c := range clients {
			f.vain[c] = int(e.vain[c].Load())
		}
	}
	return s.figures, nil
}

// drain waits until the queue is empty.
func (s *simulation) drain(ctx context.Context, q *resilience.Queue) error {
	waiting := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.queued
	}
	for waiting() > 0 {
		time.Sleep(time.Minute)
	}
	left, err := q.Shutdown(ctx)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%d tasks are left in the queue", len(left))
	}
	return err
}

func (s *simulation) begin(id int, e *endpoint) *task {
	t := &task{id: id, endpoint: e, start: time.Now(), left: int(clients)}
	for c := range t.tries {
		t.tries[c].task = t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += int(clients)
	s.figures.mostBusy = max(s.figures.mostBusy, s.busy)
	return t
}

// end records that a client has finished a task, unless the task is now queued.
func (s *simulation) end(t *try, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	if failed, ok := errors.AsType[*resilience.Error](err); ok && failed.Queued {
		s.queued++
		s.figures.mostQueued = max(s.figures.mostQueued, s.queued)
		return
	}
	s.done(t, err)
}

// done records that a client has finished a task. The caller must have locked mu.
func (s *simulation) done(t *try, err error) {
	t.succeeded, t.took = err == nil, time.Since(t.task.start)
	if t.task.left--; t.task.left == 0 {
		s.figures.add(t.task)
	}
}

// observe counts the breakers that open and the restarts that end.
func (s *simulation) observe(ctx context.Context, e resilience.Event) {
	if e.Kind != resilience.KindBreaker && e.Kind != resilience.KindRestart {
		return
	}
	at := s.endpoints[strings.TrimPrefix(e.Target.Endpoint, "https://")]
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.figures.endpoints[at.host]
	switch {
	case e.Kind == resilience.KindBreaker && e.From == string(resilience.BreakerClosed):
		f.openings.add(at.up(e.Time))
	case e.Kind == resilience.KindRestart:
		switch e.To {
		case resilience.RestartSucceeded, resilience.RestartFailed:
			f.restarts.add(e.To == resilience.RestartSucceeded)
			s.queued--
			s.done(tryOf(ctx), e.Err)
		}
	}
}
