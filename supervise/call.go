package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/errclass/errclass/classify"
)

// ServerError is a server that is not there: it would not start, it crashed, it
// gave no answer in time.
type ServerError struct {
	Server string
	Reason string // "exited with code 1", "no answer within 30s"; masked
	Stderr string // the last 500 characters of its standard error, masked
	Err    error  // what is behind the reason
}

// Error calls it an MCP server, the kind that there mostly is: the text alone
// then says that a tool's server failed, and not the program itself.
func (e *ServerError) Error() string { return fmt.Sprintf("MCP server %q: %s", e.Server, e.Reason) }

func (e *ServerError) Unwrap() error { return e.Err }

// ErrorType is the reason, as OpenTelemetry's error.type has it: mcp, or timeout
// where there was no answer.
func (e *ServerError) ErrorType() string { return string(classify.Error(e).Reason) }

// CallError is a call that failed: the failure of one tool, after which
// everything else goes on.
type CallError struct {
	Server string
	Tool   string
	Err    error // a *ServerError, the error of the call itself, or the caller's context's
}

func (e *CallError) Error() string { return fmt.Sprintf("tool %q: %v", e.Tool, e.Err) }

func (e *CallError) Unwrap() error { return e.Err }

func (s *Server[C]) failure(err error) *ServerError {
	var known *ServerError
	if errors.As(err, &known) {
		return known
	}
	return &ServerError{Server: s.name, Reason: s.command.mask(err.Error()), Err: err}
}

// Call calls a tool: f, with the client of the child that runs. While the server
// is being started again it waits. The error is a [*CallError].
//
// Where f has not returned within the time of [WithAnswerTimeout], the call
// fails and the child is ended, as a crash: what it was doing for others fails
// too. Where ctx ends, the call alone fails, and the child goes on; f should
// return when its context ends, and has to when its connection is closed.
func Call[C, T any](ctx context.Context, s *Server[C], tool string, f func(context.Context, C) (T, error)) (T, error) {
	value, err := call(ctx, s, f)
	if err != nil {
		return value, &CallError{Server: s.name, Tool: tool, Err: err}
	}
	return value, nil
}

func call[C, T any](ctx context.Context, s *Server[C], f func(context.Context, C) (T, error)) (T, error) {
	var none T
	current, err := s.ready(ctx)
	if err != nil {
		return none, err
	}
	limit, cancel := limited(ctx, s.cfg.answer)
	defer cancel()
	forget := context.AfterFunc(limit, func() {
		if ctx.Err() == nil { // the server's time is over, not the caller's
			current.conn.fail(context.Cause(limit))
		}
	})
	defer forget() // before cancel, also where f panics
	value, err := f(limit, current.client)
	switch {
	case err == nil:
		return value, nil
	case ctx.Err() != nil:
		return none, errors.Join(ended(ctx), err)
	case limit.Err() != nil:
		return none, s.failure(context.Cause(limit))
	case current.broken():
		<-current.over // after settle at the latest
		return none, current.crash
	}
	return none, err
}
