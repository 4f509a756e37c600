package resilience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// WaitForRecovery waits until the endpoint is healthy. If ctx ends first, it returns
// the error of ctx. It returns nil early in three cases:
//
//   - [HealthWindow] has passed.
//   - [Health.Shutdown] was called.
//   - There are no pings ([WithPing]), and the last session has not died.
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
// nil if nobody needs to wait.
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

// Watch makes the health of an endpoint depend on a session, such as a process. The
// session dies when its context ends. [context.Cause] returns the reason. After the
// death of the last session, the endpoint is unhealthy. It recovers when a new
// session begins or a ping succeeds.
//
// For a process, start a goroutine that calls [os/exec.Cmd.Wait]. When Wait has
// returned, cancel the context with the error of Wait.
//
// If a session closes normally, call the returned function before the context ends.
// Further calls of this function do nothing.
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

// sessionEnded records the end of a session. If the session closed normally, cause
// is nil.
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
