package resilience

import (
	"sync"
	"sync/atomic"
	"time"
)

// ScheduleName is the name of a [Schedule].
type ScheduleName string

// These are the names of the schedules. Each comment gives the first pause, the
// longest pause and the jitter. Jitter is a random change of each pause. Pauses
// double until the longest pause is reached.
const (
	MediumSchedule ScheduleName = "medium" // 0.5 s to 8 s, ± 200 ms; the default
	FixedSchedule  ScheduleName = "fixed"  // 1 s to 30 s, no jitter; three calls at most
	ShortSchedule  ScheduleName = "short"  // 0.2 s to 2 s, ± 10 %
	LongSchedule   ScheduleName = "long"   // 1 s to 30 s, ± 20 %
	CustomSchedule ScheduleName = "custom" // baseDelayMs to maxDelayMs, ± jitterPercent of [RetryConfig]
)

// Schedule describes the pauses between calls. The zero Schedule has no pauses.
type Schedule struct {
	Base           time.Duration // pause before the first retry; doubled for each further one
	Max            time.Duration // longest pause before jitter
	Jitter         time.Duration // largest random change of a pause, in both directions
	JitterFraction float64       // jitter as a fraction of the pause, in addition to Jitter
	MaxCalls       int           // limit of calls, including the first; 0 = no limit
}

var schedules = map[ScheduleName]Schedule{
	MediumSchedule: {Base: 500 * time.Millisecond, Max: 8 * time.Second, Jitter: 200 * time.Millisecond},
	FixedSchedule:  {Base: time.Second, Max: 30 * time.Second, MaxCalls: 3},
	ShortSchedule:  {Base: 200 * time.Millisecond, Max: 2 * time.Second, JitterFraction: 0.1},
	LongSchedule:   {Base: time.Second, Max: 30 * time.Second, JitterFraction: 0.2},
}

func (n ScheduleName) valid() bool {
	_, named := schedules[n]
	return named || n == CustomSchedule
}

// Schedule returns the schedule with this name. For [CustomSchedule], the schedule
// has the default pauses and jitter. For an unknown name, Schedule returns the
// medium schedule.
func (n ScheduleName) Schedule() Schedule {
	if n == CustomSchedule {
		return defaultSettings.retry.custom()
	}
	if s, ok := schedules[n]; ok {
		return s
	}
	return schedules[MediumSchedule]
}

// schedule returns the selected schedule. All fields of r must be set.
func (r RetryConfig) schedule() Schedule {
	if r.Schedule == CustomSchedule {
		return r.custom()
	}
	return r.Schedule.Schedule()
}

func (r RetryConfig) custom() Schedule {
	return Schedule{Base: ms(r.BaseDelayMs), Max: ms(r.MaxDelayMs), JitterFraction: *r.JitterPercent}
}

// Nominal returns the pause before a retry, without jitter. The first retry has the
// number 0. A negative number counts as 0.
func (s Schedule) Nominal(n int) time.Duration {
	d := min(s.Base, s.Max)
	for ; n > 0 && 0 < d && d < s.Max; n-- {
		if d > s.Max/2 {
			return s.Max // doubling could overflow
		}
		d *= 2
	}
	return max(d, 0)
}

// Delay returns the pause before retry n, with jitter. The first retry has the
// number 0. random must be at least 0 and less than 1:
//
//   - 0 subtracts all of the jitter.
//   - 0.5 leaves the pause as it is.
//   - Numbers near 1 add all of the jitter.
//
// The result is never negative.
func (s Schedule) Delay(n int, random float64) time.Duration {
	d := s.Nominal(n)
	span := float64(s.Jitter) + s.JitterFraction*float64(d)
	return max(d+time.Duration((2*random-1)*span), 0)
}

// backoff counts, for each [Call.Key], the pauses since the key's last success. It
// is safe for concurrent use.
type backoff struct {
	random func() float64 // returns numbers in [0, 1); safe for concurrent use

	used atomic.Bool // an entry has been added to b.steps

	mu    sync.Mutex
	steps recent[backoffKey, int]
}

// backoffKey is the key of a call together with a target. Each target has its own
// count.
type backoffKey struct {
	key    string
	target Target
}

// next returns the pause after a failed call, without jitter and with jitter. The
// pause grows with each failed call:
//
//   - With a key, next counts all pauses since the key's last success.
//   - Without a key, next uses the call's number, which begins at 1.
func (b *backoff) next(k backoffKey, s Schedule, number int) (nominal, delay time.Duration) {
	step := number - 1
	if k.key != "" {
		step = b.advance(k)
	}
	return s.Nominal(step), s.Delay(step, b.random())
}

// advance counts one pause of a key. It returns the number of earlier pauses.
func (b *backoff) advance(k backoffKey) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.used.Store(true)
	step, _ := b.steps.get(k, now)
	b.steps.set(k, step+1, now)
	return step
}

// reset sets the number of pauses of a key to 0 after a success.
func (b *backoff) reset(k backoffKey) {
	if k.key == "" || !b.used.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps.remove(k)
}
