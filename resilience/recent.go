package resilience

import "time"

// Entries that nothing has touched for this long may be forgotten. It is far
// beyond every wait of this package (the last restart comes after 4 minutes),
// so only what is really over is lost.
const forgetAfter = time.Hour

// recent is a map that does not grow for ever: keys are the caller's, who may
// use each of them once. It is not safe for concurrent use; the zero value is
// ready.
type recent[K comparable, V any] struct {
	entries map[K]recentEntry[V]
	sweepAt int // so many entries are reason to look for old ones
}

type recentEntry[V any] struct {
	value   V
	touched time.Time
}

// leastSweep keeps small maps from being swept at all.
const leastSweep = 1024

// get returns the value of k, and that it was there. It counts as a touch.
func (r *recent[K, V]) get(k K, now time.Time) (V, bool) {
	e, ok := r.entries[k]
	if ok {
		r.entries[k] = recentEntry[V]{e.value, now}
	}
	return e.value, ok
}

// set puts v under k.
func (r *recent[K, V]) set(k K, v V, now time.Time) {
	if r.entries == nil {
		r.entries = make(map[K]recentEntry[V])
		r.sweepAt = leastSweep
	}
	r.entries[k] = recentEntry[V]{v, now}
	if len(r.entries) < r.sweepAt {
		return
	}
	for k, e := range r.entries {
		if now.Sub(e.touched) > forgetAfter {
			delete(r.entries, k)
		}
	}
	// Doubling keeps the cost of sweeping constant for each entry.
	r.sweepAt = max(leastSweep, 2*len(r.entries))
}

// remove forgets k.
func (r *recent[K, V]) remove(k K) { delete(r.entries, k) }
