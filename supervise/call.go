package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/errclass/errclass/classify"
)

// ServerError reports that a server is unavailable. The server did not start,
// crashed, or did not answer in time.
type ServerError struct {
	Server string
	Reason string // "exited with code 1", "no answer within 30s"; masked
	Stderr string // the last 500 characters of the server's standard error, masked
	Err    error  // the error behind the reason
}

// Error returns a text with the words "MCP server". From these words, a classifier
// recognises a failed tool server.
func (e *ServerError) Error() string { return fmt.Sprintf("MCP server %q: %s", e.Server, e.Reason) }

func (e *ServerError) Unwrap() error { return e.Err }

// ErrorType returns the reason of the error, for OpenTelemetry's error.type. The
// reason is timeout if there was no answer, and mcp otherwise.
func (e *ServerError) ErrorType() string { return string(classify.Error(e).Reason) }

// CallError is the failure of one tool call. The program can continue.
type CallError struct {
	Server string
	Tool   string
	Err    error // a *ServerError, the error of the call, or the error of the caller's context
}

func (e *CallError) Error() string { return fmt.Sprintf("tool %q: %v", e.Tool, e.Err) }

func (e *CallError) Unwrap() error { return e.Err }

func (s *Server[C]) failure(err error) *ServerError {
	var existing *ServerError
	if errors.As(err, &existing) {
		return existing
	}
	return &ServerError{Server: s.name, Reason: s.command.mask(err.Error()), Err: err}
}

// Call calls f with the client of the running child. If the server is being
// restarted, Call waits. The error is a [*CallError], which contains tool, the name
// of the tool.
//
// If ctx ends, only this call fails, and the child keeps running.
//
// If f does not return within the time of [WithAnswerTimeout], the call fails. The
// server then ends the child, so the child's other calls fail too. This counts as a
// crash. [WithPing] and [Server.Progress] change this:
//
//   - If the child answers a ping and f returns within the next second, the child
//     keeps running.
//   - After a progress report, the call has more time.
//
// f should return when its context ends. f must return when the connection to the
// child is closed.
func Call[C, T any](ctx context.Context, s *Server[C], tool string, f func(context.Context, C) (T, error)) (T, error) {
	value, err := call(ctx, s, f)
	if err != nil {
		return value, &CallError{Server: s.name, Tool: tool, Err: err}
	}
	return value, nil
}

func call[C, T any](ctx context.Context, s *Server[C], f func(context.Context, C) (T, error)) (T, error) {
	var none T
	current, err := s.readySession(ctx)
	if err != nil {
		return none, err
	}
	callCtx, limit := current.limitCall(ctx)
	defer limit.end() // even if f panics
	value, err := f(callCtx, current.client)
	switch {
	case err == nil:
		return value, nil
	case ctx.Err() != nil:
		return none, errors.Join(contextError(ctx), err)
	case callCtx.Err() != nil:
		return none, s.failure(context.Cause(callCtx))
	case current.broken():
		<-current.done // takes at most exitWait
		return none, current.crash
	}
	return none, err
}
