package resilience

import (
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// alerts finds endpoints that keep failing: 10 failures within 5 minutes are
// one alert, and the next one comes only after a call to the endpoint has
// succeeded and as many have failed again. It is safe for concurrent use.
type alerts struct {
	mu sync.Mutex
	by recent[string, *failures]
}

// failures are those of one endpoint.
type failures struct {
	times   []time.Time // no more than the threshold
	alerted bool
}

// record takes the outcome of a call to an endpoint that ended now. Where it
// is time for an alert, count is how many failures made it so, else 0.
func (a *alerts) record(endpoint string, r classify.Result, threshold int, now time.Time) (count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.by.get(endpoint, now)
	switch {
	case r.Category == "":
		if known && f.alerted {
			a.by.remove(endpoint) // recovered
		}
		return 0
	case !alarming(r):
		return 0
	}
	if !known {
		f = new(failures)
		a.by.set(endpoint, f, now)
	}
	return f.add(threshold, now)
}

// alarming: every failure but those that the caller ended or may end himself
// by asking for less. A dead key counts, as somebody has to replace it.
func alarming(r classify.Result) bool {
	return r.Category != classify.CategoryAborted && r.Category != classify.CategoryContextOverflow
}

func (f *failures) add(threshold int, now time.Time) (count int) {
	if f.alerted {
		return 0
	}
	if len(f.times) == threshold {
		f.times = append(f.times[:0], f.times[1:]...)
	}
	f.times = append(f.times, now)
	if len(f.times) < threshold || now.Sub(f.times[0]) > AlertWindow {
		return 0
	}
	f.alerted, f.times = true, nil
	return threshold
}
