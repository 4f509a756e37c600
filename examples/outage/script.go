package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// kind says how an endpoint fails during an outage.
type kind string

// These are the values of kind. They are also the names in the table.
const (
	fine    kind = "none"
	reset   kind = "resets"   // connections are reset, for seconds
	outage  kind = "down"     // connections are refused, for minutes
	limit   kind = "429"      // a rate limit with Retry-After
	deadKey kind = "dead key" // 401 until a person replaces the key
)

// spell is one outage of an endpoint.
type spell struct {
	from, to time.Duration // since the start
	kind     kind
}

// script lists the outages of an endpoint in order, with gaps between them.
type script []spell

// at returns the kind of the outage at time t, and how long that outage lasts from
// then on.
func (s script) at(t time.Duration) (kind, time.Duration) {
	i, _ := slices.BinarySearchFunc(s, t, func(one spell, t time.Duration) int {
		if one.to <= t {
			return -1
		}
		return 1
	})
	if i < len(s) && s[i].from <= t {
		return s[i].kind, s[i].to - t
	}
	return fine, 0
}

// plan describes a random script. All outages are of one kind, with a gap before
// each. The other fields limit the lengths of the gaps and of the outages.
type plan struct {
	kind             kind
	gapMin, gapMax   time.Duration
	longMin, longMax time.Duration
}

// plans holds the endpoints. Each endpoint has only one kind of outage, so that
// its figures show the effect of that kind. The endpoint steady has no outages.
var plans = map[string]plan{
	"steady.example":  {kind: fine},
	"resets.example":  {reset, 30 * time.Second, 4 * time.Minute, 2 * time.Second, 15 * time.Second},
	"outages.example": {outage, 30 * time.Minute, 2 * time.Hour, time.Minute, 6 * time.Minute},
	"limits.example":  {limit, 5 * time.Minute, 20 * time.Minute, 10 * time.Second, 55 * time.Second},
	"deadkey.example": {deadKey, 12 * time.Hour, 12 * time.Hour, 3 * time.Hour, 3 * time.Hour},
}

func (p plan) String() string {
	if p.kind == fine {
		return string(fine)
	}
	if p.longMin == p.longMax {
		return fmt.Sprintf("%s, %s", p.kind, short(p.longMin))
	}
	return fmt.Sprintf("%s, %s to %s", p.kind, short(p.longMin), short(p.longMax))
}

// short formats d without parts that are zero: "3h" instead of "3h0m0s".
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if cut := strings.TrimSuffix(s, zero); strings.HasSuffix(cut, "m") || strings.HasSuffix(cut, "h") {
			s = cut
		}
	}
	return s
}

// scripts returns the scripts of a day, by endpoint.
func scripts(seed uint64) map[string]script {
	all := map[string]script{}
	for i, host := range hosts() {
		all[host] = plans[host].script(rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return all
}

// script returns a random script of a day according to p.
func (p plan) script(random *rand.Rand) script {
	var s script
	between := func(low, high time.Duration) time.Duration {
		return low + time.Duration(random.Float64()*float64(high-low))
	}
	for t := time.Duration(0); p.kind != fine; {
		from := t + between(p.gapMin, p.gapMax)
		if from >= day {
			break
		}
		t = from + between(p.longMin, p.longMax)
		s = append(s, spell{from, t, p.kind})
	}
	return s
}
