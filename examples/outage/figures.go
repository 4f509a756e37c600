package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// share is the fraction part/total.
type share struct{ part, total int }

func (s *share) add(part bool) {
	s.total++
	if part {
		s.part++
	}
}

func (s share) plus(o share) share { return share{s.part + o.part, s.total + o.total} }

// percent returns the fraction in percent, or 0 if the total is 0.
func (s share) percent() float64 {
	if s.total == 0 {
		return 0
	}
	return 100 * float64(s.part) / float64(s.total)
}

func (s share) String() string {
	if s.total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d, %s %%", s.part, s.total, digits(s.percent()))
}

// digits formats a percentage with one decimal place. Close to 0 or 100, it uses up
// to three.
func digits(percent float64) string {
	d := 1
	for off := min(percent, 100-percent); d < 3 && 0 < off && off < 5*math.Pow10(-d); {
		d++
	}
	return fmt.Sprintf("%.*f", d, percent)
}

// times is a histogram of durations. Each bucket's upper bound is 1 % above the
// lower bound.
type times struct {
	counts [1800]int
	n      int
}

const bucketWidth = 1.01

func (t *times) add(d time.Duration) {
	i := int(math.Log(max(d.Seconds()*1000, 1)) / math.Log(bucketWidth))
	t.counts[min(i, len(t.counts)-1)]++
	t.n++
}

func (t *times) merge(o *times) {
	for i, n := range o.counts {
		t.counts[i] += n
	}
	t.n += o.n
}

// quantile returns the quantile q of the durations, or 0 if there are none.
func (t *times) quantile(q float64) time.Duration {
	left := int(q * float64(t.n-1))
	for i, n := range t.counts {
		if left < n {
			return time.Duration(math.Pow(bucketWidth, float64(i)+0.5) * float64(time.Millisecond)).Round(10 * time.Millisecond)
		}
		left -= n
	}
	return 0
}

// result has the figures of one endpoint, or of all endpoints, for each client.
type result struct {
	troubles  int
	succeeded [clients]share
	// recovered.total counts the tasks whose first call failed in the plain loop.
	// recovered.part counts those of them that the client completed in the end.
	recovered [clients]share
	// delays has the times that the recovered tasks took to succeed. paired has
	// these times only for tasks that both clients recovered.
	delays, paired [clients]times
	vain           [clients]int // calls to an endpoint that is down or limited
	openings       share        // circuit breakers that opened; part: those that opened while the endpoint was up
	restarts       share        // tasks in the restart queue; part: tasks that succeeded
}

// figures are the results of a run.
type figures struct {
	tasks                int
	rate                 float64
	mostBusy, mostQueued int
	endpoints            map[string]*result
}

func newFigures(tasks int, rate float64) figures {
	f := figures{tasks: tasks, rate: rate, endpoints: map[string]*result{}}
	for _, p := range plans {
		f.endpoints[p.host] = &result{}
	}
	return f
}

// add adds the results of a task. Both clients must be done with the task.
func (f *figures) add(t *task) {
	r, affected, both := f.endpoints[t.endpoint.host], t.tries[plain].firstFailed, true
	for c, try := range t.tries {
		r.succeeded[c].add(try.succeeded)
		both = both && try.succeeded
		if affected {
			r.recovered[c].add(try.succeeded)
			if try.succeeded {
				r.delays[c].add(try.took)
			}
		}
	}
	for c, try := range t.tries {
		if affected && both {
			r.paired[c].add(try.took)
		}
	}
}

// all returns the sum of all endpoints.
func (f figures) all() *result {
	sum := &result{}
	for _, r := range f.endpoints {
		sum.troubles += r.troubles
		sum.openings, sum.restarts = sum.openings.plus(r.openings), sum.restarts.plus(r.restarts)
		for c := range clients {
			sum.succeeded[c], sum.recovered[c] = sum.succeeded[c].plus(r.succeeded[c]), sum.recovered[c].plus(r.recovered[c])
			sum.delays[c].merge(&r.delays[c])
			sum.paired[c].merge(&r.paired[c])
			sum.vain[c] += r.vain[c]
		}
	}
	return sum
}

// met reports whether the figures reach all targets in the list aims.
func (f figures) met() bool {
	return !slices.ContainsFunc(aims, func(a aim) bool { return !a.met(f) })
}

// worse returns the endpoints at which package resilience had fewer
// successful tasks than the plain loop.
func (f figures) worse() (hosts []string) {
	for _, p := range plans {
		if r := f.endpoints[p.host]; r.succeeded[gated].part < r.succeeded[plain].part {
			hosts = append(hosts, p.host)
		}
	}
	return hosts
}

// ratio returns a/b, or 0 if b is 0.
func ratio[T int | time.Duration](a, b T) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// aim is a figure that the client with package resilience must reach.
type aim struct {
	name, asked string
	plain       func(figures) string // of the other client; nil if there is none
	value       func(figures) string
	met         func(figures) bool
}

var aims = []aim{
	{
		"failures recovered", ">= 95 %",
		func(f figures) string { return f.all().recovered[plain].String() },
		func(f figures) string { return f.all().recovered[gated].String() },
		func(f figures) bool { return f.all().recovered[gated].percent() >= 95 },
	},
	{
		// One breaker that opened by mistake is allowed, because one may already be
		// more than 1 % of all openings.
		"breakers opened for an endpoint that was up", "< 1 %, or one", nil,
		func(f figures) string { return f.all().openings.String() },
		func(f figures) bool { o := f.all().openings; return o.part <= 1 || o.percent() < 1 },
	},
	{
		"endpoints with fewer successes than the plain loop", "none", nil,
		func(f figures) string {
			return strings.Join(append([]string{fmt.Sprint(len(f.worse()))}, f.worse()...), ", ")
		},
		func(f figures) bool { return len(f.worse()) == 0 },
	},
	{
		"time to recover, median, of those that both recovered", "<= 1.5 times",
		func(f figures) string { return f.all().paired[plain].quantile(0.5).String() },
		func(f figures) string {
			p := f.all().paired
			return fmt.Sprintf("%s, %.2f times", p[gated].quantile(0.5), ratio(p[gated].quantile(0.5), p[plain].quantile(0.5)))
		},
		func(f figures) bool {
			p := f.all().paired
			return ratio(p[gated].quantile(0.5), p[plain].quantile(0.5)) <= 1.5
		},
	},
	{
		"calls to an endpoint that is down or limited", "<= a tenth",
		func(f figures) string { return fmt.Sprint(f.all().vain[plain]) },
		func(f figures) string {
			v := f.all().vain
			return fmt.Sprintf("%d, %s %%", v[gated], digits(100*ratio(v[gated], v[plain])))
		},
		func(f figures) bool { v := f.all().vain; return ratio(v[gated], v[plain]) <= 0.1 },
	},
}
