package resilience

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/errclass/errclass/classify"
)

// alerts raises one alert for each endpoint that keeps failing. An endpoint gets
// another alert only after a success. alerts is safe for concurrent use.
type alerts struct {
	raised atomic.Int64 // endpoints with an alert

	mu         sync.Mutex
	byEndpoint recent[string, *failures]
}

// failures are the recent failures of one endpoint.
type failures struct {
	times   []time.Time // at most threshold entries
	alerted bool
}

// record counts a failed call. It returns the number of recent failures if an alert
// is due, and otherwise 0.
func (a *alerts) record(endpoint string, r classify.Result, threshold int, now time.Time) (count int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !countsForAlert(r) {
		return 0
	}
	f, known := a.byEndpoint.get(endpoint, now)
	if !known {
		f = new(failures)
		a.byEndpoint.set(endpoint, f, now)
	}
	count = f.add(threshold, now)
	if count > 0 {
		a.raised.Add(1)
	}
	return count
}

// succeeded ends the alert of an endpoint, if there is one.
func (a *alerts) succeeded(endpoint string, now time.Time) {
	if a.raised.Load() == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if f, known := a.byEndpoint.get(endpoint, now); known && f.alerted {
		a.byEndpoint.remove(endpoint)
		a.raised.Add(-1)
	}
}

// countsForAlert returns false for failures that the caller causes.
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
