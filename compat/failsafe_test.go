package compat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// BenchmarkFailsafe measures the figures of docs/comparison.md. It compares a direct
// call, failsafe-go and package resilience.
func BenchmarkFailsafe(b *testing.B) {
	breaker := circuitbreaker.NewBuilder[int]().WithFailureThreshold(5).WithDelay(5 * time.Minute).Build()
	retry := retrypolicy.NewBuilder[int]().
		AbortOnErrors(circuitbreaker.ErrOpen).
		HandleIf(func(_ int, err error) bool { return err != nil && !errors.Is(err, context.Canceled) }).
		WithBackoff(500*time.Millisecond, 8*time.Second).
		WithMaxRetries(2).
		Build()
	policies := failsafe.With[int](retry, breaker)
	x, err := resilience.New(&resilience.Config{Enabled: true})
	require.NoError(b, err)
	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://a.example", Provider: "claude", Model: "a-1"}}}
	for _, side := range []struct {
		name string
		do   func(context.Context) (int, error)
	}{
		{"bare", func(context.Context) (int, error) { return 1, nil }},
		{"failsafe-go", func(ctx context.Context) (int, error) {
			return policies.WithContext(ctx).Get(func() (int, error) { return 1, nil })
		}},
		{"resilience", func(ctx context.Context) (int, error) {
			return resilience.Do(ctx, x, call, func(context.Context, resilience.Target) (int, error) { return 1, nil })
		}},
	} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := side.do(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
