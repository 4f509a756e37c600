package resilience

import "time"

// idleTimeout is the time after which an unused entry can be removed.
const idleTimeout = time.Hour

// recent is a map that drops expired entries and, when full, the least recently
// used. The zero value has capacity [MaxKeys]. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	capacity int // 0 = MaxKeys
	entries  *bounded[K, *recentEntry[K, V]]
}

type recentEntry[K comparable, V any] struct {
	key      K
	value    V
	lastUsed time.Time
}

// sweepThreshold is the number of entries that a map can have before expired entries
// are removed.
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
