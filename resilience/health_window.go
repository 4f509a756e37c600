package resilience

import "time"

// healthWindow counts the outcomes of the last [HealthWindow] in buckets of one
// second. The zero value is empty. It is not safe for concurrent use.
type healthWindow struct {
	buckets [HealthWindow / time.Second]healthCounts // a ring, one bucket per second
	newest  int64                                    // second of the newest bucket, counted from Health.start
	sum     healthCounts                             // sum of all buckets
}

// healthCounts counts outcomes.
type healthCounts struct {
	calls, failed int
	latency       time.Duration // sum over all calls
}

func (c *healthCounts) add(o healthCounts) {
	c.calls, c.failed, c.latency = c.calls+o.calls, c.failed+o.failed, c.latency+o.latency
}

// advance drops buckets older than the window and returns the sum of the rest. The
// time now is in seconds.
func (w *healthWindow) advance(now int64) healthCounts {
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

// add adds c to the bucket of second t. If t is before the window, c is ignored. If t
// is after now, c is added to the newest bucket.
func (w *healthWindow) add(now, t int64, c healthCounts) {
	w.advance(now)
	size := int64(len(w.buckets))
	t = min(t, w.newest)
	if t < 0 || t <= w.newest-size {
		return
	}
	w.buckets[t%size].add(c)
	w.sum.add(c)
}
