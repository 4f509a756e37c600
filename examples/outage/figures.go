package main

import (
	"fmt"
	"slices"
	"time"
)

// slots is the number of columns of the chart, one for each half hour.
const slots = 48

// share is a part of a total. part is the number of members with some property, and
// of is the number of all members.
type share struct{ part, of int }

func (s *share) add(part bool) {
	s.of++
	if part {
		s.part++
	}
}

// percent returns the fraction in percent, or 0 if the total is 0.
func (s share) percent() float64 { return 100 * mean(s.part, s.of) }

func (s share) String() string { return fmt.Sprintf("%d of %d, %.1f %%", s.part, s.of, s.percent()) }

// mean returns sum/n, or 0 if n is 0.
func mean(sum, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// actions counts the actions of the breakers and the restart queue. Only the client
// with package resilience has these. The comment of each field describes the total.
// After "part:" it says which members of the total part counts.
type actions struct {
	openings share // openings of breakers; part: although the endpoint was up
	refusals share // calls that breakers refused; part: although the endpoint was up again
	restarts share // tasks given to the queue; part: those that completed
}

// figures are the results of a day with one strategy.
type figures struct {
	actions
	succeeded share            // of: all tasks
	byHost    map[string]share // succeeded, by endpoint
	// recovered counts the tasks that had a failed call or a refusal by a breaker.
	// Its part counts those tasks that succeeded in the end.
	recovered share
	// retried counts the tasks that succeeded after at least one failed call.
	// retries counts the calls of these tasks, without the first call of each task.
	retries, retried int
	calls            int
	wasted           int             // calls of a task after a fatal error
	down             int             // calls to an endpoint that was down
	failed           [slots]int      // tasks that did not succeed, by the half hour of their start
	delays           []time.Duration // times from start to success of recovered tasks, sorted
}

// sum computes the figures of the tasks.
func (s *simulation) sum(all []job) figures {
	f := figures{actions: s.actions, down: s.world.down, byHost: map[string]share{}}
	for _, j := range all {
		rec := s.world.calls[j.id]
		if rec == nil {
			rec = &record{} // breakers refused all its calls
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

// quantile returns the delay that a share q of all delays does not exceed. It
// returns 0 if there are no delays.
func (f figures) quantile(q float64) time.Duration {
	if len(f.delays) == 0 {
		return 0
	}
	return f.delays[int(q*float64(len(f.delays)-1))].Round(100 * time.Millisecond)
}

// goal is a figure that number 004 of docs/specifications.md requires.
type goal struct {
	name  string
	asked string
	value func(figures) string
	met   func(figures) bool
}

var goals = []goal{
	{
		"recovered from temporary failures", "80 %+",
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
