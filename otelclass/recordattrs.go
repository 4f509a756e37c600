package otelclass

import (
	"crypto/rand"
	"slices"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"

	"github.com/errclass/errclass/internal/attrkey"
)

// addTo adds the wanted attributes to r, which must not have them yet. It reports
// whether r now has all of them in full.
func (c *config) addTo(r *sdklog.Record, wanted attrkey.Set, v values) bool {
	var two [2]attribute.KeyValue // avoids an allocation if only category and reason are added
	added := c.append(two[:0], wanted, v)
	before, dropped := r.AttributesLen(), r.DroppedAttributes()
	r.AddAttributes(added...)
	noneDropped := r.DroppedAttributes() == dropped
	if noneDropped && equalFrom(r, before, added) {
		return true
	}
	return before <= maxFit && c.fit(r, before, dropped, noneDropped, added)
}

// equalFrom reports whether the attributes of r from index i on are equal to kvs.
func equalFrom(r *sdklog.Record, i int, kvs []attribute.KeyValue) bool {
	all := true
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		if i--; i < 0 {
			all = all && -i <= len(kvs) && kv.Key == kvs[-i-1].Key && kv.Value.AsString() == kvs[-i-1].Value.AsString()
		}
		return all
	})
	return all
}

// fit repairs r after AddAttributes has dropped or shortened some attributes of the
// slice added. It derives the SDK's limits from these changes. It reports whether r
// now has all attributes of added.
//
//   - To make room, it removes other attributes from the end, those of an exception
//     last.
//   - It counts the removed attributes as dropped.
//   - It leaves out attributes that the SDK would shorten.
//
// oldCount and oldDropped are the numbers of r's attributes and of its dropped
// attributes before AddAttributes. noneDropped is true if AddAttributes has dropped
// no attribute.
func (c *config) fit(r *sdklog.Record, oldCount, oldDropped int, noneDropped bool, added []attribute.KeyValue) bool {
	limit := r.AttributesLen()
	kept := make([]attribute.KeyValue, 0, limit+len(added))
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		if len(kept) < oldCount {
			kept = append(kept, kv)
		}
		return len(kept) < oldCount
	})
	wanted := len(added)
	added = slices.DeleteFunc(slices.Clone(added), func(kv attribute.KeyValue) bool {
		probe := r.Clone()
		probe.SetAttributes(kv)
		return !equalFrom(&probe, 0, []attribute.KeyValue{kv})
	})
	if noneDropped {
		limit += len(added)
	}
	for pass := range 2 { // the second pass removes attributes of exceptions too
		for i := len(kept) - 1; i >= 0 && len(kept)+len(added) > limit; i-- {
			if !c.writes(kept[i].Key) && (pass == 1 || !isException(kept[i:i+1])) {
				kept = slices.Delete(kept, i, i+1)
			}
		}
	}
	added = added[:min(len(added), max(limit-len(kept), 0))]
	r.SetAttributes(append(kept, added...)...)
	if !noneDropped && r.AttributesLen() == limit {
		countDropped(r, oldDropped+oldCount+wanted-limit)
	}
	return len(added) == wanted
}

// writes reports whether this package writes the key.
func (c *config) writes(key attribute.Key) bool {
	return c.names.Find(string(key))&c.wanted != 0
}

// dummies are attributes with random keys, which a full record counts as dropped.
var dummies = sync.OnceValue(func() []attribute.KeyValue {
	prefix := rand.Text()
	all := make([]attribute.KeyValue, 1024)
	for i := range all {
		all[i] = attribute.String(prefix+strconv.Itoa(i), "")
	}
	return all
})

// maxCounting limits the number of attributes that the SDK compares during
// countDropped.
const maxCounting = 1 << 14

// countDropped adds n to the number of dropped attributes of a full record. The SDK
// cannot set this number, so countDropped adds n dummies. To limit the work, it may
// stop early. The number is then too low.
func countDropped(r *sdklog.Record, n int) {
	all := dummies()
	for work := 0; n > 0 && work < maxCounting; work += r.AttributesLen() + len(all) {
		some := all[:min(n, len(all))]
		r.AddAttributes(some...)
		n -= len(some)
	}
}
