package resilience

import "time"

// healthWindow counts what happened in the last [HealthWindow], to the second.
// Whatever the rate of calls, it takes the same few kilobytes. It is not safe
// for concurrent use; the zero value is empty.
type healthWindow struct {
	buckets [HealthWindow / time.Second]healthCounts // a ring, one bucket a second
	newest  int64                                    // the second that was counted last
	sum     healthCounts                             // of all buckets
}

// healthCounts are calls that said something about an endpoint.
type healthCounts struct {
	calls, failed int
	latency       time.Duration // of all of them together
}

func (c *healthCounts) add(o healthCounts) {
	c.calls, c.failed, c.latency = c.calls+o.calls, c.failed+o.failed, c.latency+o.latency
}

// at forgets what has left the window by the second now and returns the rest.
// Seconds are counted from any fixed moment.
func (w *healthWindow) at(now int64) healthCounts {
	size := int64(len(w.buckets))
	if now-w.newest >= size {
		*w = healthWindow{newest: now}
	}
	for w.newest < now {
		w.newest++
		old := &w.buckets[w.newest%size]
		w.sum.add(healthCounts{-old.calls, -old.failed, -old.latency})
		*old = healthCounts{}
	}
	return w.sum
}

// add counts something that happened in the second when; what happened before
// the window began is no news, what is yet to come is taken as just now.
func (w *healthWindow) add(now, when int64, c healthCounts) {
	w.at(now)
	size := int64(len(w.buckets))
	when = min(when, w.newest)
	if when < 0 || when <= w.newest-size {
		return
	}
	w.buckets[when%size].add(c)
	w.sum.add(c)
}
