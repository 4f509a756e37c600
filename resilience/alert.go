package resilience

import (
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// alerts detects endpoints that keep failing. It raises one alert after 10
// failures within 5 minutes. It raises the next alert of an endpoint only after
// a call has succeeded. It is safe for concurrent use.
type alerts struct {
	mu         sync.Mutex
	byEndpoint recent[string, *failures]
}

// failures are the recent failures of one endpoint.
type failures struct {
	times   []time.Time // at most threshold entries
	alerted bool
}

// record counts the outcome of a call. The time now is the end of the call. If
// an alert is due, record returns the number of failures, otherwise 0.
func (a *alerts) record(endpoint string, r classify.Result, threshold int, now time.Time) (count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known := a.byEndpoint.get(endpoint, now)
	switch {
	case r.Category == "":
		if known && f.alerted {
			a.byEndpoint.remove(endpoint) // recovered
		}
		return 0
	case !countsForAlert(r):
		return 0
	}
	if !known {
		f = new(failures)
		a.byEndpoint.set(endpoint, f, now)
	}
	return f.add(threshold, now)
}

// countsForAlert reports whether a failure counts for alerts. Aborted and
// context_overflow failures do not, because the caller causes them. An invalid
// key counts, because a person has to replace it.
func countsForAlert(r classify.Result) bool {
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
