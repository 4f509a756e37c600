package otelclass

import (
	"sync"
	"sync/atomic"
)

// MaxEndpoints is the number of endpoints that have label values of their own. Later
// endpoints share the value "other". The same limit applies to the targets of
// fallbacks. The endpoints in [WithEndpoints] and the providers in [WithProviders]
// always have their own values. The limit keeps the number of series of attempts
// below 2,000, the default limit of an SDK.
const MaxEndpoints = 64

// other is the label value for names that have no value of their own.
const other = "other"

// boundedLabels maps names to label values. The first names map to themselves, and
// later names map to "other". The value of a name never changes.
type boundedLabels struct {
	own  sync.Map // name -> struct{}
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

// value returns the label value for a name. For the empty name it returns "".
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
