package resilience

import (
	"sync"
	"time"
)

// ScheduleName names one of the schedules of pauses.
type ScheduleName string

// The schedules. The pause before retry n, counted from 0, doubles from the first
// figure to the second one; what follows is the jitter.
const (
	MediumSchedule ScheduleName = "medium" // 0.5 s to 8 s, ± 200 ms; the default
	FixedSchedule  ScheduleName = "fixed"  // three calls at most, 1 s to 30 s apart, no jitter
	ShortSchedule  ScheduleName = "short"  // 0.2 s to 2 s, ± 10 %
	LongSchedule   ScheduleName = "long"   // 1 s to 30 s, ± 20 %
	CustomSchedule ScheduleName = "custom" // baseDelayMs to maxDelayMs, ± jitterPercent, of [RetryConfig]
)

// Schedule says how long to wait before a call is repeated. It is a plain
// value; the zero Schedule never waits.
type Schedule struct {
	Base           time.Duration // before the first retry; doubled for each further one
	Max            time.Duration // that doubling ends here; jitter comes on top
	Jitter         time.Duration // symmetric: up to this much more or less
	JitterFraction float64       // the same as a part of the pause; the two add up
	MaxCalls       int           // in all, whatever an error's policy says; 0 = no limit
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

// Schedule returns the schedule of that name; custom has its default figures
// here. A name that is none of the five gives the default, medium.
func (n ScheduleName) Schedule() Schedule {
	if n == CustomSchedule {
		return defaultSettings.retry.custom()
	}
	if s, ok := schedules[n]; ok {
		return s
	}
	return schedules[MediumSchedule]
}

// schedule is what complete settings ask for.
func (r RetryConfig) schedule() Schedule {
	if r.Schedule == CustomSchedule {
		return r.custom()
	}
	return r.Schedule.Schedule()
}

func (r RetryConfig) custom() Schedule {
	return Schedule{Base: ms(r.BaseDelayMs), Max: ms(r.MaxDelayMs), JitterFraction: *r.JitterPercent}
}

// Nominal returns the pause before retry n, counted from 0, without jitter. A
// negative n is taken as 0.
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

// Delay returns the pause before retry n with jitter, which random moves: 0 is
// all of it down, just below 1 all of it up, 0.5 none. It is never negative.
func (s Schedule) Delay(n int, random float64) time.Duration {
	d := s.Nominal(n)
	span := float64(s.Jitter) + s.JitterFraction*float64(d)
	return max(d+time.Duration((2*random-1)*span), 0)
}

// backoff keeps, for each key, how many pauses there have been since the last
// success of a call with that key. It is safe for concurrent use.
type backoff struct {
	random func() float64 // in [0, 1); safe for concurrent use

	mu    sync.Mutex
	steps recent[backoffKey, int]
}

// backoffKey: a target that is fallen back to starts with the shortest pause,
// whatever the primary has come to.
type backoffKey struct {
	key    string
	target Target
}

// next returns the pause after a call that has failed number times on this
// target within its Do; without a key, that alone counts.
func (b *backoff) next(k backoffKey, s Schedule, number int) (nominal, delay time.Duration) {
	step := number - 1
	if k.key != "" {
		step = b.advance(k)
	}
	return s.Nominal(step), s.Delay(step, b.random())
}

// advance counts a pause and returns how many there were before.
func (b *backoff) advance(k backoffKey) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	step, _ := b.steps.get(k, now)
	b.steps.set(k, step+1, now)
	return step
}

// reset forgets the pauses of a key after a success.
func (b *backoff) reset(k backoffKey) {
	if k.key == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps.remove(k)
}
