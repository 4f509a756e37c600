package resilience_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/resilience"
)

// fault is a period in which an endpoint fails.
type fault struct {
	from, to time.Duration
	limited  bool // a rate limit; otherwise the network is down
}

// faults generates regular faults of random length within half an hour.
func faults(every, shortest, longest time.Duration, limited bool) (all []fault) {
	random := rand.New(rand.NewPCG(5, 6))
	for from := every / 2; from < trafficTime-every; from += every {
		all = append(all, fault{from, from + shortest + time.Duration(random.Int64N(int64(longest-shortest))), limited})
	}
	return all
}

const trafficTime = 30 * time.Minute

// traffic counts calls, answered calls, failed requests and openings of breakers.
type traffic struct {
	calls, answered, failed, openings int
}

func (r traffic) share() float64 { return 100 * float64(r.answered) / float64(r.calls) }

func (r traffic) String() string {
	return fmt.Sprintf("%.2f %% answered, %d calls in vain, %d openings", r.share(), r.failed, r.openings)
}

// drive makes calls for half an hour through an executor. If cfg is nil, a plain retry
// loop makes the calls instead.
func drive(t *testing.T, cfg *resilience.Config, perSecond float64, all []fault, flaky bool) (r traffic) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var failed, answered, openings atomic.Int64
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(7, 8))
		float := func() float64 {
			mu.Lock()
			defer mu.Unlock()
			return random.Float64()
		}
		call := func(context.Context, resilience.Target) (int, error) {
			at := time.Since(start)
			time.Sleep(callTime)
			for _, tr := range all {
				if at < tr.from || at >= tr.to {
					continue
				}
				failed.Add(1)
				if tr.limited {
					return 0, answer(429, strconv.Itoa(int((tr.to-at)/time.Second)+1))
				}
				return 0, errNetwork
			}
			if flaky && float() < 0.2 {
				return 0, errTransient
			}
			return 0, nil
		}
		do := func() error {
			schedule := resilience.MediumSchedule.Schedule()
			for n := 0; ; n++ {
				_, err := call(t.Context(), primary)
				if err == nil || n == 5 {
					return err
				}
				time.Sleep(schedule.Delay(n, float()))
			}
		}
		if cfg != nil {
			x := executor(t, cfg, resilience.WithRandom(float), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
				if e.Kind == resilience.KindBreaker && e.From == string(resilience.BreakerClosed) {
					openings.Add(1)
				}
			}))
			do = func() error {
				_, err := resilience.Do(t.Context(), x, onPrimary, call)
				return err
			}
		}
		var running sync.WaitGroup
		interval := time.Duration(float64(time.Second) / perSecond)
		for time.Since(start) < trafficTime {
			r.calls++
			running.Go(func() {
				if do() == nil {
					answered.Add(1)
				}
			})
			time.Sleep(interval)
		}
		running.Wait()
		r.answered, r.failed, r.openings = int(answered.Load()), int(failed.Load()), int(openings.Load())
	})
	return r
}

// An executor gets about as many answers as a plain retry loop, with far fewer failed
// requests.
func TestGate_Traffic(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		all    []fault
		flaky  bool
		behind float64 // percentage points by which the share of answers may be lower than the plain loop's
	}{
		{name: "blips of 2 to 15 s", all: faults(time.Minute, 2*time.Second, 15*time.Second, false), behind: 0.1},
		{name: "outages of 1 to 6 min", all: faults(7*time.Minute, time.Minute, 6*time.Minute, false), behind: 3.5},
		{name: "rate limits of 10 to 55 s", all: faults(2*time.Minute, 10*time.Second, 55*time.Second, true), behind: -0.1},
		{name: "one call in five fails", flaky: true, behind: 1},
	} {
		for _, perSecond := range []float64{0.2, 2, 50} {
			t.Run(fmt.Sprint(tt.name, ", ", perSecond, " a second"), func(t *testing.T) {
				t.Parallel()
				plain, gated := drive(t, nil, perSecond, tt.all, tt.flaky), drive(t, enabled(), perSecond, tt.all, tt.flaky)
				t.Log("plain loop: ", plain)
				t.Log("resilience: ", gated)
				assert.GreaterOrEqual(t, gated.share(), min(plain.share()-tt.behind, 100))
				if perSecond >= 2 {
					// At a low rate, the executor saves fewer failed calls, because
					// most of these calls open the breaker or are trials.
					assert.LessOrEqual(t, gated.failed, plain.failed/map[float64]int{2: 5, 50: 10}[perSecond])
				}
			})
		}
	}
}
