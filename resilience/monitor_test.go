package resilience_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// monitor is a Monitor that knows when each endpoint becomes healthy.
type monitor struct {
	mu             sync.Mutex
	unhealthyUntil map[string]time.Time
	wait           error // result of WaitForRecovery
	outcomes       []resilience.Outcome
}

func (m *monitor) Healthy(endpoint string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !time.Now().Before(m.unhealthyUntil[endpoint])
}

func (m *monitor) WaitForRecovery(ctx context.Context, endpoint string) error {
	if m.wait != nil {
		return m.wait
	}
	m.mu.Lock()
	until := m.unhealthyUntil[endpoint]
	m.mu.Unlock()
	select {
	case <-time.After(time.Until(until)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *monitor) Record(_ context.Context, o resilience.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes = append(m.outcomes, o)
}

func TestMonitor_Preflight(t *testing.T) {
	t.Parallel()
	gaveUp := errors.New("gave up")
	for _, tt := range []struct {
		name     string
		targets  []resilience.Target
		deadline time.Duration
		wait     error
		want     string
		took     time.Duration
		is       []error
	}{
		{name: "waits where nobody else is there", targets: []resilience.Target{primary}, want: "a-1", took: 90 * time.Second},
		{name: "asks somebody else", targets: []resilience.Target{primary, secondary}, want: "b-1"},
		{name: "waits for the first where all are ill", targets: []resilience.Target{primary, tertiary}, want: "a-1", took: 90 * time.Second},
		{name: "ends with the caller's deadline", targets: []resilience.Target{primary}, deadline: 5 * time.Second, took: 5 * time.Second, is: []error{context.DeadlineExceeded}},
		{name: "the monitor gives up", targets: []resilience.Target{primary}, wait: gaveUp, is: []error{gaveUp}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				start := time.Now()
				m := &monitor{wait: tt.wait, unhealthyUntil: map[string]time.Time{
					primary.Endpoint: start.Add(90 * time.Second), tertiary.Endpoint: start.Add(time.Hour),
				}}
				s := newScript(nil)
				got, err := resilience.Do(ctx, executor(t, enabled(), resilience.WithMonitor(m)), resilience.Call{Targets: tt.targets}, s.call)
				assert.Equal(t, tt.want, got)
				assert.Equal(t, tt.took, time.Since(start))
				for _, is := range tt.is {
					require.ErrorIs(t, err, is)
					assert.Empty(t, s.calls)
				}
				if tt.is == nil {
					require.NoError(t, err)
				}
			})
		})
	}
}

func TestMonitor_Record(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := new(monitor)
		x := executor(t, enabled(), resilience.WithMonitor(m))
		n := 0
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{primary}},
			func(context.Context, resilience.Target) (int, error) {
				n++
				time.Sleep(time.Duration(n) * time.Second)
				return 0, []error{errNetwork, nil}[n-1]
			})
		require.NoError(t, err)
		require.Len(t, m.outcomes, 2)
		first, second := m.outcomes[0], m.outcomes[1]
		assert.Equal(t, primary.Endpoint, first.Endpoint)
		assert.True(t, first.Failed())
		assert.Equal(t, time.Second, first.Latency)
		assert.False(t, second.Failed())
		assert.Equal(t, 2*time.Second, second.Latency)
		assert.Equal(t, time.Now(), second.Time)
	})
}

// restarter is a Restarter that records the offered calls.
type restarter struct {
	err     error
	offered []resilience.Restart
}

func (r *restarter) Offer(_ context.Context, one resilience.Restart) error {
	r.offered = append(r.offered, one)
	return r.err
}

func TestRestarter_Offer(t *testing.T) {
	t.Parallel()
	full := errors.New("restart queue is full")
	task := resilience.Task{Kind: "summarise", Payload: []byte("42")}
	for _, tt := range []struct {
		name    string
		err     error
		task    resilience.Task
		cancel  bool
		spend   error
		refuse  error
		offered bool
	}{
		{name: "network", err: errNetwork, task: task, offered: true},
		{name: "peer's timeout", err: errSlow, task: task, offered: true},
		{name: "transient", err: errTransient, task: task},
		{name: "rate limit", err: errLimited, task: task},
		{name: "fatal", err: errKey, task: task},
		{name: "permanent", err: errDNS, task: task},
		{name: "own deadline", err: context.DeadlineExceeded, task: task},
		{name: "no task", err: errNetwork},
		{name: "cancelled", err: errNetwork, task: task, cancel: true},
		{name: "stopped by the budget", err: errNetwork, task: task, spend: classify.ErrBudgetExceeded},
		{name: "queue is full", err: errNetwork, task: task, refuse: full, offered: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(time.Second, cancel)
				}
				q := &restarter{err: tt.refuse}
				s := newScript(map[resilience.Target][]error{primary: {tt.err}})
				call := resilience.Call{Key: "k", Agent: "g", Targets: []resilience.Target{primary}, Restart: tt.task}
				call.Spend = func(context.Context, resilience.Attempt, any) error { return tt.spend }
				_, err := resilience.Do(ctx, executor(t, enabled(), resilience.WithRestarter(q)), call, s.call)
				require.ErrorIs(t, err, tt.err)
				assert.EqualError(t, err, tt.err.Error())
				if !tt.offered {
					assert.Empty(t, q.offered)
					return
				}
				require.Len(t, q.offered, 1)
				r := q.offered[0]
				assert.Equal(t, task, r.Task)
				assert.Equal(t, call.Targets, r.Targets)
				assert.Equal(t, "k", r.Key)
				assert.Equal(t, "g", r.Agent)
				assert.Len(t, r.History, len(s.calls))
				assert.Equal(t, tt.err, r.Err)
				assert.Equal(t, classify.CategoryRetryable, r.Result.Category)
				e := asError(t, err)
				assert.Equal(t, tt.refuse == nil, e.Queued)
				if tt.refuse != nil {
					require.ErrorIs(t, err, full)
				}
			})
		})
	}
}

// If a breaker refuses a call, the call is queued only if network failures have opened
// the breaker.
func TestRestarter_OpenBreaker(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		err    error
		queued bool
	}{
		{name: "opened by the network", err: errNetwork, queued: true},
		{name: "opened by the provider", err: answer(503, "90")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := new(restarter)
				b := newFixture(t, strict(), resilience.WithRestarter(q))
				b.fail(5, tt.err)
				_, err := resilience.Do(t.Context(), b.x, resilience.Call{
					Targets: []resilience.Target{primary}, Restart: resilience.Task{Kind: "k"},
				}, newScript(nil).call)
				require.ErrorIs(t, err, resilience.ErrOpen)
				assert.Len(t, q.offered, map[bool]int{true: 1}[tt.queued])
				if tt.queued {
					assert.True(t, asError(t, err).Queued)
					assert.Equal(t, string(classify.ReasonTransient), asError(t, err).ErrorType())
				}
			})
		})
	}
}
