package resilience

import "time"

// idleTimeout is the time after which an unused entry can be removed. It is longer
// than the default pauses of calls and restarts, which last minutes.
const idleTimeout = time.Hour

// recent is a bounded map whose unused entries expire. If it has more than
// sweepThreshold entries, it drops expired ones. If it is full, it drops the least
// recently used one. It is not safe for concurrent use. The zero value is ready to
// use and has capacity [MaxKeys].
type recent[K comparable, V any] struct {
	capacity int // 0 = MaxKeys
	entries  *bounded[K, *recentEntry[K, V]]
}

type recentEntry[K comparable, V any] struct {
	key      K
	value    V
	lastUsed time.Time
}

// sweepThreshold is the number of entries up to which expired entries are kept.
const sweepThreshold = 1024

// get returns the value of k and marks the entry as used.
func (r *recent[K, V]) get(k K, now time.Time) (value V, ok bool) {
	if r.entries == nil {
		return value, false
	}
	e, ok := r.entries.get(k)
	if !ok {
		return value, false
	}
	e.lastUsed = now
	return e.value, true
}

func (r *recent[K, V]) set(k K, v V, now time.Time) {
	if r.entries == nil {
		capacity := r.capacity
		if capacity == 0 {
			capacity = MaxKeys
		}
		r.entries = newBounded[K, *recentEntry[K, V]](capacity)
	}
	if e, ok := r.entries.get(k); ok {
		e.value, e.lastUsed = v, now
		return
	}
	r.entries.add(k, &recentEntry[K, V]{k, v, now}, plain)
	for r.entries.len() > sweepThreshold {
		e, ok := r.entries.oldest(plain)
		if !ok || now.Sub(e.lastUsed) <= idleTimeout {
			return
		}
		r.entries.remove(e.key)
	}
}

func (r *recent[K, V]) remove(k K) {
	if r.entries != nil {
		r.entries.remove(k)
	}
}
