package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// WaitForRecovery returns nil once the endpoint is healthy, and the error of
// ctx where that ends before. It also returns nil where waiting leads to
// nothing, so that calls find out themselves: at once where there is no ping
// and no session to come back, after [HealthWindow] at the latest, and with
// [Health.Shutdown].
func (h *Health) WaitForRecovery(ctx context.Context, endpoint string) error {
	limit := time.NewTimer(HealthWindow)
	defer limit.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		recovered := h.recovery(ctx, endpoint)
		if recovered == nil {
			return nil
		}
		select {
		case <-recovered:
		case <-ctx.Done():
		case <-limit.C:
			return nil
		case <-h.ctx.Done():
			return nil
		}
	}
}

// recovery returns what is closed when the endpoint recovers; nil where there
// is nothing to wait for.
func (h *Health) recovery(ctx context.Context, endpoint string) <-chan struct{} {
	defer h.tell(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.of(endpoint)
	if h.judge(e, Event{}) || h.ping == nil && e.dead == nil {
		return nil
	}
	return e.changed
}

// Watch ties an endpoint to a session, a process or a connection that calls go
// through. The session is a context that ends when it does, and whose
// [context.Cause] says why: a goroutine that waits for the process cancels it
// with what Wait returned. When the last session that is watched ends, the
// endpoint is unhealthy at once, until another one is watched.
//
// The func that is returned stops watching, for a session that ends in good
// order: it must be called before the context ends. Calling it again does
// nothing.
func (h *Health) Watch(session context.Context, endpoint string) (stop func()) {
	h.mu.Lock()
	e := h.of(endpoint)
	e.live++
	h.endpoints.place(e.name, e.rank())
	if e.dead != nil {
		e.answered()
	}
	h.judge(e, Event{})
	h.mu.Unlock()
	h.tell(session)

	var once sync.Once
	over := func(cause error) {
		once.Do(func() { h.sessionOver(session, e, cause) })
	}
	stopWaiting := context.AfterFunc(session, func() { over(context.Cause(session)) })
	return func() {
		if stopWaiting() {
			over(nil)
		}
	}
}

// sessionOver takes note of a session that has died of cause, or has ended in
// good order where cause is nil.
func (h *Health) sessionOver(session context.Context, e *endpointHealth, cause error) {
	defer h.tell(session)
	h.mu.Lock()
	defer h.mu.Unlock()
	e.live--
	if e.live == 0 && cause != nil {
		e.dead = fmt.Errorf("session died: %w", cause)
	}
	h.judge(e, Event{Result: classify.Error(e.dead), Err: e.dead})
	h.endpoints.place(e.name, e.rank())
}
