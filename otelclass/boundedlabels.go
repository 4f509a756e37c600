package otelclass

import (
	"sync"
	"sync/atomic"
)

// MaxEndpoints is the number of endpoints, and of targets of fallbacks, that have
// label values of their own. Those that come later share the value "other".
// Endpoints of [WithEndpoints] and providers of [WithProviders] always have their
// own values. The limit keeps each instrument below the 2,000 series that an SDK
// keeps by default.
const MaxEndpoints = 64

// other is the label value of what has no value of its own.
const other = "other"

// boundedLabels gives names their label values: the first ones their own, all
// later ones "other". Values are never taken back.
type boundedLabels struct {
	own  sync.Map // of struct{} by name
	full atomic.Bool
	mu   sync.Mutex
	n    int
}

func newBoundedLabels(declared []string) *boundedLabels {
	l := &boundedLabels{n: len(declared)}
	for _, name := range declared {
		l.own.Store(name, struct{}{})
	}
	l.full.Store(l.n >= MaxEndpoints)
	return l
}

// value returns the label value of a name. The empty name has none.
func (l *boundedLabels) value(name string) string {
	if name == "" {
		return ""
	}
	if _, ok := l.own.Load(name); ok {
		return name
	}
	if l.full.Load() {
		return other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.own.Load(name); ok {
		return name
	}
	if l.n >= MaxEndpoints {
		l.full.Store(true)
		return other
	}
	l.n++
	l.own.Store(name, struct{}{})
	return name
}
