package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// WaitForRecovery waits until the endpoint is healthy. It returns ctx's error if ctx
// ends first. Without [WithPing], it returns nil at once, because only calls can
// then show a recovery. But if the endpoint's last session has died, it waits for a
// new session. It also returns nil after [HealthWindow] and on [Health.Shutdown].
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

// recovery returns a channel that is closed when the endpoint recovers. It returns
// nil if the endpoint is healthy or its recovery cannot be detected.
func (h *Health) recovery(ctx context.Context, endpoint string) <-chan struct{} {
	defer h.notify(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.get(endpoint)
	if h.evaluate(e, Event{}) || h.ping == nil && e.sessionErr == nil {
		return nil
	}
	return e.recovered
}

// Watch makes an endpoint's health depend on a session, such as a process or a
// connection. The session dies when its context ends; [context.Cause] says why. For
// a process, start a goroutine that calls the Wait method of the exec.Cmd and then
// cancels the context with the error of Wait. When the last session of an endpoint
// dies, the endpoint is unhealthy until Watch is called for a new session or a ping
// succeeds.
//
// If a session closes normally, call the returned function stop before the context
// ends. Further calls of stop do nothing.
func (h *Health) Watch(session context.Context, endpoint string) (stop func()) {
	h.mu.Lock()
	e := h.get(endpoint)
	e.sessions++
	h.endpoints.setRank(e.name, e.rank())
	if e.sessionErr != nil {
		e.markUp()
	}
	h.evaluate(e, Event{})
	h.mu.Unlock()
	h.notify(session)

	var once sync.Once
	end := func(cause error) {
		once.Do(func() { h.sessionEnded(session, e, cause) })
	}
	stopWaiting := context.AfterFunc(session, func() { end(context.Cause(session)) })
	return func() {
		if stopWaiting() {
			end(nil)
		}
	}
}

// sessionEnded records the end of a session. cause is nil if the session closed
// normally.
func (h *Health) sessionEnded(session context.Context, e *endpointHealth, cause error) {
	defer h.notify(session)
	h.mu.Lock()
	defer h.mu.Unlock()
	e.sessions--
	if e.sessions == 0 && cause != nil {
		e.sessionErr = fmt.Errorf("session died: %w", cause)
	}
	h.evaluate(e, Event{Result: classify.Error(e.sessionErr), Err: e.sessionErr})
	h.endpoints.setRank(e.name, e.rank())
}
