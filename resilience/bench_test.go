package resilience_test

import (
	"context"
	"testing"

	"github.com/errclass/errclass/resilience"
)

// BenchmarkDo compares a successful call through Do with a direct call.
func BenchmarkDo(b *testing.B) {
	f := func(context.Context, resilience.Target) (int, error) { return 1, nil }
	x := executor(b, enabled())
	for _, bm := range []struct {
		name string
		x    *resilience.Executor
		call resilience.Call
	}{
		{name: "off", call: resilience.Call{Targets: []resilience.Target{primary}}},
		{name: "on", x: x, call: resilience.Call{Targets: []resilience.Target{primary}}},
		{name: "on with a key and a fallback", x: x, call: resilience.Call{Key: "k", Targets: []resilience.Target{primary, secondary}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := resilience.Do(b.Context(), bm.x, bm.call, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
