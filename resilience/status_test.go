package resilience_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// Status summarizes the events of a task, while the task runs and afterwards.
func TestStatuses_OfACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s resilience.Statuses
		x := executor(t, enabled(), resilience.WithObserver(s.Observe))
		_, ok := s.Status("task")
		assert.False(t, ok)
		done := make(chan error)
		go func() {
			fails := newScript(map[resilience.Target][]error{primary: {errLimited}, secondary: {errTransient, nil}})
			_, err := resilience.Do(t.Context(), x, resilience.Call{Key: "task", Targets: []resilience.Target{primary, secondary}}, fails.call)
			done <- err
		}()
		synctest.Wait()
		now, ok := s.Status("task")
		require.True(t, ok)
		assert.Equal(t, resilience.PhaseWaiting, now.Phase)
		assert.Equal(t, 1, now.Calls)
		assert.Equal(t, classify.ReasonRateLimit, now.Last.Reason)
		assert.Equal(t, primary, now.Target)
		now.Events[0].Key = "mine" // the returned status is a copy

		require.NoError(t, <-done)
		end, _ := s.Status("task")
		assert.Equal(t, resilience.PhaseSucceeded, end.Phase)
		assert.Equal(t, 5, end.Calls)
		assert.Equal(t, 3, end.Retries)
		assert.Equal(t, 1, end.Fallbacks)
		assert.Equal(t, secondary, end.Target)
		assert.Equal(t, classify.ReasonTransient, end.Last.Reason)
		assert.Equal(t, time.Now(), end.Updated)
		assert.Equal(t, "task", end.Events[0].Key)
		assert.Len(t, end.Events, 5+3+1+1)
	})
}

func TestStatuses_Phases(t *testing.T) {
	t.Parallel()
	type event = resilience.Event
	restart := func(to string) event { return event{Kind: resilience.KindRestart, To: to, Attempt: 1} }
	failed := event{Kind: resilience.KindDone, Err: errNetwork}
	for _, tt := range []struct {
		name     string
		events   []event
		want     resilience.Phase
		restarts int
	}{
		{name: "failed", events: []event{{Kind: resilience.KindAttempt}, failed}, want: resilience.PhaseFailed},
		{name: "queued before its call returns", events: []event{restart(resilience.RestartQueued), failed}, want: resilience.PhaseQueued},
		{name: "restarted", events: []event{restart(resilience.RestartQueued), failed, restart(resilience.RestartStarted)}, want: resilience.PhaseRunning, restarts: 1},
		{name: "restarted with success", events: []event{restart(resilience.RestartStarted), restart(resilience.RestartSucceeded)}, want: resilience.PhaseSucceeded, restarts: 1},
		{name: "refused", events: []event{restart(resilience.RestartRefused), failed}, want: resilience.PhaseFailed},
		{name: "given up", events: []event{restart(resilience.RestartFailed)}, want: resilience.PhaseFailed},
		{name: "an alert is no phase", events: []event{{Kind: resilience.KindWait}, {Kind: resilience.KindAlert}}, want: resilience.PhaseWaiting},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s resilience.Statuses
			for _, e := range tt.events {
				e.Key = "k"
				s.Observe(t.Context(), e)
			}
			got, ok := s.Status("k")
			require.True(t, ok)
			assert.Equal(t, tt.want, got.Phase)
			assert.Equal(t, tt.restarts, got.Restarts)
		})
	}
}

// The memory of Statuses is limited, for long tasks and for many tasks.
func TestStatuses_Bounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s resilience.Statuses
		for i := range 200 {
			s.Observe(t.Context(), resilience.Event{Key: "long", Attempt: i})
		}
		got, _ := s.Status("long")
		require.Len(t, got.Events, 50)
		assert.Equal(t, 199, got.Events[49].Attempt, "the last ones are kept")

		for i := range 5000 {
			s.Observe(context.Background(), resilience.Event{Key: fmt.Sprint(i)})
			time.Sleep(time.Minute)
		}
		_, old := s.Status("0")
		assert.False(t, old)
		_, recent := s.Status("4999")
		assert.True(t, recent)
		_, none := s.Status("")
		assert.False(t, none)
	})
}
