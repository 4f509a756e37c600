package otelclass

import (
	"crypto/rand"
	"slices"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// put adds those of our attributes that are wanted to r, which has none of them,
// and reports whether they stand there now, whole.
func (c *config) put(r *sdklog.Record, wanted keys, w values) bool {
	var two [2]attribute.KeyValue // details take an allocation
	ours := c.append(two[:0], wanted, w)
	before, dropped := r.AttributesLen(), r.DroppedAttributes()
	r.AddAttributes(ours...)
	room := r.DroppedAttributes() == dropped
	if room && holds(r, before, ours) {
		return true
	}
	return before <= maxFit && c.fit(r, before, dropped, room, ours)
}

// holds reports whether the attributes of r from the i-th on are kvs: a limit of
// the SDK may have shortened their texts.
func holds(r *sdklog.Record, i int, kvs []attribute.KeyValue) bool {
	all := true
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		if i--; i < 0 {
			all = all && -i <= len(kvs) && kv.Key == kvs[-i-1].Key && kv.Value.AsString() == kvs[-i-1].Value.AsString()
		}
		return all
	})
	return all
}

// fit makes room for ours in r, to which they were added in vain. Its limits
// cannot be asked for; what became of ours shows them. Of the attributes that r
// had before, the last ones give way, those of an exception after all others, and
// are counted as dropped. A word that would be shortened is left out: it would be
// another word.
func (c *config) fit(r *sdklog.Record, before, dropped int, room bool, ours []attribute.KeyValue) bool {
	limit := r.AttributesLen()
	had := make([]attribute.KeyValue, 0, limit+len(ours))
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		if len(had) < before {
			had = append(had, kv)
		}
		return len(had) < before
	})
	wanted := len(ours)
	ours = slices.DeleteFunc(slices.Clone(ours), func(kv attribute.KeyValue) bool {
		probe := r.Clone()
		probe.SetAttributes(kv)
		return !holds(&probe, 0, []attribute.KeyValue{kv})
	})
	if room {
		limit += len(ours)
	}
	for last := range 2 {
		for i := len(had) - 1; i >= 0 && len(had)+len(ours) > limit; i-- {
			if !c.ours(had[i].Key) && (last == 1 || !isException(had[i:i+1])) {
				had = slices.Delete(had, i, i+1)
			}
		}
	}
	ours = ours[:min(len(ours), max(limit-len(had), 0))]
	r.SetAttributes(append(had, ours...)...)
	if !room && r.AttributesLen() == limit {
		countDropped(r, dropped+before+wanted-limit)
	}
	return len(ours) == wanted
}

// ours reports whether key is one that this package writes.
func (c *config) ours(key attribute.Key) bool {
	return key == c.category || key == c.reason || c.details && (key == RuleKey || key == RetryAfterMSKey)
}

// fillers are attributes that nobody else has. They are offered to a record that
// is full, which counts them.
var fillers = sync.OnceValue(func() []attribute.KeyValue {
	prefix := rand.Text()
	all := make([]attribute.KeyValue, 1024)
	for i := range all {
		all[i] = attribute.String(prefix+strconv.Itoa(i), "")
	}
	return all
})

// maxCounting bounds the attributes that are compared in order to count dropped
// ones.
const maxCounting = 1 << 14

// countDropped adds n to the number of attributes that r, which is full, has
// dropped: SetAttributes has reset it, and there is no other way to set it. Where
// n is beyond the bound the number is too low.
func countDropped(r *sdklog.Record, n int) {
	all := fillers()
	for work := 0; n > 0 && work < maxCounting; work += r.AttributesLen() + len(all) {
		some := all[:min(n, len(all))]
		r.AddAttributes(some...)
		n -= len(some)
	}
}
