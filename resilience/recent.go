package resilience

import "time"

// Entries that nothing has touched for this long may be forgotten. It is far
// beyond every wait of this package (the last restart comes after 4 minutes),
// so only what is really over is lost.
const forgetAfter = time.Hour

// recent is a map that does not grow for ever: keys are the caller's, who may
// use each of them once. Beyond leastSweep entries it forgets those that are
// old, and beyond its bound the one that was touched least recently. It is not
// safe for concurrent use; the zero value is ready and keeps [MaxKeys].
type recent[K comparable, V any] struct {
	most    int // 0 = MaxKeys
	entries *bounded[K, *recentEntry[K, V]]
}

type recentEntry[K comparable, V any] struct {
	key     K
	value   V
	touched time.Time
}

// leastSweep keeps small maps from being swept at all.
const leastSweep = 1024

// get returns the value of k, and that it was there. It counts as a touch.
func (r *recent[K, V]) get(k K, now time.Time) (value V, ok bool) {
	if r.entries == nil {
		return value, false
	}
	e, ok := r.entries.get(k)
	if !ok {
		return value, false
	}
	e.touched = now
	return e.value, true
}

// set puts v under k.
func (r *recent[K, V]) set(k K, v V, now time.Time) {
	if r.entries == nil {
		most := r.most
		if most == 0 {
			most = MaxKeys
		}
		r.entries = newBounded[K, *recentEntry[K, V]](most)
	}
	if e, ok := r.entries.get(k); ok {
		e.value, e.touched = v, now
		return
	}
	r.entries.add(k, &recentEntry[K, V]{k, v, now}, plain)
	for r.entries.len() > leastSweep {
		e, ok := r.entries.oldest(plain)
		if !ok || now.Sub(e.touched) <= forgetAfter {
			return
		}
		r.entries.remove(e.key)
	}
}

// remove forgets k.
func (r *recent[K, V]) remove(k K) {
	if r.entries != nil {
		r.entries.remove(k)
	}
}
