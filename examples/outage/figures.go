package main

import (
	"fmt"
	"slices"
	"time"
)

// slots are the columns of the chart: half hours.
const slots = 48

// share is a part of something.
type share struct{ part, of int }

func (s *share) add(part bool) {
	s.of++
	if part {
		s.part++
	}
}

// percent is 0 of nothing.
func (s share) percent() float64 { return 100 * mean(s.part, s.of) }

func (s share) String() string { return fmt.Sprintf("%d of %d, %.1f %%", s.part, s.of, s.percent()) }

// mean is 0 of nothing.
func mean(sum, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// acts are what breakers and the restart queue did. Only errclass has them.
type acts struct {
	openings share // of breakers; the part that was false: a health probe would have found the endpoint up
	refusals share // of calls by breakers; the part in which the endpoint was up again
	restarts share // tasks that the queue was given; the part that it brought to an end
}

// figures are what a day with one strategy has come to.
type figures struct {
	acts
	succeeded share            // of all tasks
	byHost    map[string]share // the same
	// recovered is the share of the tasks that succeeded in the end, among
	// those that met a failure which passes, or a breaker.
	recovered share
	// retries are the calls of tasks that recovered after a call in vain, but for
	// their first ones; retried is how many tasks that were.
	retries, retried int
	calls            int
	wasted           int             // calls of a task after it was told of a fatal error
	down             int             // calls to an endpoint that was down
	failed           [slots]int      // tasks that did not succeed, by when they began
	delays           []time.Duration // of recovered tasks from begin to success, the shortest first
}

// sum adds up what the tasks have come to.
func (s *simulation) sum(all []job) figures {
	f := figures{acts: s.acts, down: s.world.down, byHost: map[string]share{}}
	for _, j := range all {
		rec := s.world.calls[j.id]
		if rec == nil {
			rec = &record{} // breakers refused it to the end
		}
		finished, ok := s.done[j.id]
		f.calls += rec.calls
		f.wasted += rec.wasted
		f.succeeded.add(ok)
		host := f.byHost[j.host]
		host.add(ok)
		f.byHost[j.host] = host
		if !ok {
			f.failed[int(j.at*slots/day)]++
		}
		if rec.failed == 0 && !s.refused[j.id] {
			continue
		}
		f.recovered.add(ok)
		if !ok {
			continue
		}
		f.delays = append(f.delays, finished-j.at)
		if rec.failed > 0 {
			f.retried++
			f.retries += rec.calls - 1
		}
	}
	slices.Sort(f.delays)
	return f
}

// quantile of the delays; 0 where there is none.
func (f figures) quantile(q float64) time.Duration {
	if len(f.delays) == 0 {
		return 0
	}
	return f.delays[int(q*float64(len(f.delays)-1))].Round(100 * time.Millisecond)
}

// goal is a figure that specification 004 (docs/specifications.md) asks for.
type goal struct {
	name  string
	asked string
	value func(figures) string
	met   func(figures) bool
}

var goals = []goal{
	{
		"recovered from failures that pass", "80 %+",
		func(f figures) string { return f.recovered.String() },
		func(f figures) bool { return f.recovered.percent() >= 80 },
	},
	{
		"mean retries before success", "3",
		func(f figures) string { return fmt.Sprintf("%.1f", mean(f.retries, f.retried)) },
		func(f figures) bool { m := mean(f.retries, f.retried); return 2.5 <= m && m <= 3.5 },
	},
	{
		"breakers opened for an endpoint that was up", "<5 %",
		func(f figures) string { return f.openings.String() },
		func(f figures) bool { return f.openings.of > 0 && f.openings.percent() < 5 },
	},
	{
		"restarted tasks that succeeded", "90 %+",
		func(f figures) string { return f.restarts.String() },
		func(f figures) bool { return f.restarts.percent() >= 90 },
	},
	{
		"calls after a fatal error", "0",
		func(f figures) string { return fmt.Sprint(f.wasted) },
		func(f figures) bool { return f.wasted == 0 },
	},
}
