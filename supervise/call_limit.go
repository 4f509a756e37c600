package supervise

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// pingTimeout limits the time for the answer to a ping. A shorter WithAnswerTimeout
// takes precedence.
const pingTimeout = 5 * time.Second

// tokenKey is the context key of a call's progress token.
type tokenKey struct{}

// ProgressToken returns the progress token of a call, as in MCP. The context must
// come from [Call]. For any other context, ProgressToken returns "". To use
// [Server.Progress], the client must send the token with the request.
func ProgressToken(ctx context.Context) string {
	token, _ := ctx.Value(tokenKey{}).(string)
	return token
}

// Progress reports progress of the call with the given token. The time of
// [WithAnswerTimeout] starts again for this call. [WithMaxCallTime] limits the total
// time. Unknown tokens are ignored.
func (s *Server[C]) Progress(token any) {
	if text, ok := token.(string); ok {
		if limit, ok := s.calls.Load(text); ok {
			limit.(*callLimit[C]).extend()
		}
	}
}

// callLimit is the time limit of one call.
type callLimit[C any] struct {
	session  *session[C]
	caller   context.Context
	token    string
	cancel   context.CancelCauseFunc // cancels the context of the call
	began    time.Time
	returned chan struct{} // closed when the function of the call has returned

	mu       sync.Mutex
	timer    *time.Timer // nil without a limit
	deadline time.Time
	cause    error // the error of the call when the deadline has passed
}

// limitCall returns the context and the time limit of a call.
func (c *session[C]) limitCall(caller context.Context) (context.Context, *callLimit[C]) {
	s := c.server
	l := &callLimit[C]{
		session: c, caller: caller, token: fmt.Sprintf("supervise-%d", s.lastToken.Add(1)),
		began: time.Now(), returned: make(chan struct{}),
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(caller, tokenKey{}, l.token))
	l.cancel = cancel
	if limit := s.cfg.answer; limit > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.deadline, l.cause = l.began.Add(limit), answerError(limit)
		l.timer = time.AfterFunc(limit, l.expire)
	}
	s.calls.Store(l.token, l)
	return ctx, l
}

// extend moves the deadline after progress. A deadline that has passed is not moved.
func (l *callLimit[C]) extend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	cfg := &l.session.server.cfg
	now := time.Now()
	next, cause := now.Add(cfg.answer), error(answerError(cfg.answer))
	if last := l.began.Add(cfg.maxCall); cfg.maxCall > 0 && next.After(last) {
		next, cause = last, maxCallError(cfg.maxCall)
	}
	if l.timer == nil || !next.After(l.deadline) || !l.timer.Stop() {
		return
	}
	l.deadline, l.cause = next, cause
	l.timer.Reset(next.Sub(now))
}

// end releases the limit when the function of the call has returned.
func (l *callLimit[C]) end() {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.session.server.calls.Delete(l.token)
	close(l.returned)
	l.cancel(nil)
}

// expire ends the call at its deadline and pings the child. It closes the connection
// in these cases:
//
//   - The child does not answer the ping.
//   - The function of the call does not return within exitWait.
func (l *callLimit[C]) expire() {
	if l.caller.Err() != nil {
		return
	}
	l.mu.Lock()
	cause := l.cause
	l.mu.Unlock()
	l.cancel(cause)
	if l.session.answersPing() {
		wait := time.NewTimer(exitWait)
		defer wait.Stop()
		select {
		case <-l.returned:
			return
		case <-wait.C:
		}
	}
	l.session.conn.fail(cause)
}

// answersPing pings the child and reports whether the child answers in time.
func (c *session[C]) answersPing() bool {
	s := c.server
	if s.ping == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(s.lifetime, min(pingTimeout, s.cfg.answer))
	defer cancel()
	answered := make(chan bool, 1)
	go func() {
		ok := false
		defer func() {
			_ = recover() // a panic is no answer
			answered <- ok
		}()
		ok = s.ping(ctx, c.client) == nil
	}()
	select {
	case ok := <-answered:
		return ok
	case <-ctx.Done():
		return false
	}
}
