package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// kind says how calls to an endpoint fail.
type kind string

// These are the kinds, with their names in the printed table.
const (
	fine   kind = "none"
	resets kind = "resets"                  // connections are reset
	down   kind = "down"                    // connections are refused
	limit  kind = "429"                     // a rate limit with Retry-After
	hangs  kind = "no answer"               // calls end with the attempt timeout
	flaky  kind = "one call in five: reset" // at any time
	broken kind = "one call in five: a 503" // at any time
)

// plan describes an endpoint and its troubles: periods in which calls fail. All its
// troubles are of one kind.
type plan struct {
	host             string
	share            int // of the tasks, in percent
	kind             kind
	gapMin, gapMax   time.Duration // before each trouble
	longMin, longMax time.Duration // duration of a trouble
}

var plans = []plan{
	{host: "steady.example", share: 5, kind: fine},
	{"blips.example", 15, resets, 10 * time.Second, 30 * time.Second, 2 * time.Second, 15 * time.Second},
	{"outages.example", 40, down, time.Minute, 2 * time.Minute, time.Minute, 6 * time.Minute},
	{"limits.example", 15, limit, 20 * time.Second, time.Minute, 10 * time.Second, 55 * time.Second},
	{"hangs.example", 15, hangs, 30 * time.Second, 90 * time.Second, 20 * time.Second, 2 * time.Minute},
	{host: "flaky.example", share: 5, kind: flaky},
	{host: "broken.example", share: 5, kind: broken},
}

func (p plan) String() string {
	if p.longMax == 0 {
		return string(p.kind)
	}
	return fmt.Sprintf("%s, %s to %s", p.kind, short(p.longMin), short(p.longMax))
}

// short formats "2m0s" as "2m".
func short(d time.Duration) string {
	if s, ok := strings.CutSuffix(d.String(), "m0s"); ok {
		return s + "m"
	}
	return d.String()
}

// tasks returns the endpoint's share of n tasks.
func (p plan) tasks(n int) int { return n * p.share / 100 }

// time returns how long the endpoint's share of n tasks takes. The unit of rate is
// tasks per second.
func (p plan) time(n int, rate float64) time.Duration {
	return time.Duration(float64(p.tasks(n)) / rate * float64(time.Second))
}

// fewest returns the smallest number of tasks that makes a run long enough for at
// least one trouble of each endpoint whose plan has troubles.
func fewest(rate float64) int {
	most := 1.0
	for _, p := range plans {
		most = max(most, (p.gapMax+p.longMax).Seconds()*rate*100/float64(p.share))
	}
	return int(math.Ceil(most))
}

type trouble struct{ from, to time.Duration } // times since the start of the run

// script lists the troubles of an endpoint, the periods in which its calls fail,
// sorted by time.
type script []trouble

// remaining returns how long the trouble at time t still lasts, or 0 if there is
// none.
func (s script) remaining(t time.Duration) time.Duration {
	i, _ := slices.BinarySearchFunc(s, t, func(one trouble, t time.Duration) int {
		if one.to <= t {
			return -1
		}
		return 1
	})
	if i < len(s) && s[i].from <= t {
		return s[i].to - t
	}
	return 0
}

// golden is the golden ratio. The fractional parts of its multiples are evenly
// spread over [0, 1).
const golden = 1.618033988749895

// script returns random troubles between the start of a run and the time until. Their
// lengths are evenly spread, so even a few troubles include short and long ones.
func (p plan) script(random *rand.Rand, until time.Duration) script {
	if p.longMax == 0 {
		return nil
	}
	var s script
	offset, t := random.Float64(), time.Duration(0)
	for i := 1; ; i++ {
		_, spread := math.Modf(offset + float64(i)*golden)
		from := t + p.gapMin + time.Duration(random.Float64()*float64(p.gapMax-p.gapMin))
		t = from + p.longMin + time.Duration(spread*float64(p.longMax-p.longMin))
		if t > until {
			return s
		}
		s = append(s, trouble{from, t})
	}
}
