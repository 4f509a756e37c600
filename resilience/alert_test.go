package resilience_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// newAlertFixture returns a fixture with a breaker that never opens. The result alerts
// receives the alerts that the fixture raises.
func newAlertFixture(t *testing.T) (b *fixture, alerts *events) {
	cfg := single()
	cfg.CircuitBreaker.Mode = resilience.BreakerForceClosed
	alerts = new(events)
	return newFixture(t, cfg, resilience.WithAlert(alerts.observe)), alerts
}

// Ten failures raise one alert. After a success, ten more raise the next alert.
func TestAlert_OnceUntilRecovered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, alerts := newAlertFixture(t)
		b.fail(9, errNetwork)
		assert.Empty(t, alerts.all)
		b.fail(1, errKey)
		require.Len(t, alerts.all, 1)
		a := alerts.all[0]
		assert.Equal(t, resilience.KindAlert, a.Kind)
		assert.Equal(t, 10, a.Failures)
		assert.Equal(t, primary, a.Target)
		assert.Equal(t, classify.ReasonAuthentication, a.Result.Reason)
		assert.Equal(t, errKey, a.Err)
		assert.Equal(t, alerts.all, b.events.ofKind(resilience.KindAlert), "observers get it too")

		b.fail(50, errNetwork)
		time.Sleep(time.Hour / 2)
		b.fail(50, errNetwork)
		assert.Len(t, alerts.all, 1, "nobody is told twice")
		b.fail(1, nil)
		b.fail(9, errNetwork)
		assert.Len(t, alerts.all, 1)
		b.fail(1, errNetwork)
		assert.Len(t, alerts.all, 2, "after it had recovered")
	})
}

func TestAlert_Window(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		took time.Duration
		want int
	}{
		{name: "ten in exactly five minutes", took: 5 * time.Minute, want: 1},
		{name: "a little slower", took: 5*time.Minute + time.Nanosecond, want: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, alerts := newAlertFixture(t)
				b.fail(1, errNetwork)
				time.Sleep(tt.took)
				b.fail(9, errNetwork)
				assert.Len(t, alerts.all, tt.want)
			})
		})
	}
}

// A success does not reset the count of failures. The caller's errors do not count.
func TestAlert_WhatCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, alerts := newAlertFixture(t)
		b.fail(9, errNetwork)
		b.fail(30, context.Canceled)
		b.fail(30, errOverflow)
		b.fail(1, nil)
		assert.Empty(t, alerts.all)
		b.fail(1, errNetwork)
		assert.Len(t, alerts.all, 1)
	})
}

// Each endpoint has its own count of failures.
func TestAlert_PerEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, alerts := newAlertFixture(t)
		for _, target := range []resilience.Target{secondary, tertiary} {
			for range 9 {
				_, err := resilience.Do(t.Context(), b.x, resilience.Call{Targets: []resilience.Target{target}}, newScript(map[resilience.Target][]error{target: {errNetwork}}).call)
				require.Error(t, err)
			}
		}
		assert.Empty(t, alerts.all)
	})
}
