package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/errclass/errclass/classify"
)

// Outcome describes how a child ended.
type Outcome struct {
	Result   classify.Result // zero if the child succeeded
	ExitCode int             // -1 if the child did not start or a signal ended it
	Signal   os.Signal       // the signal that ended the child, or nil; always nil on Windows
	Stderr   string          // the last 500 characters of standard error, masked, without trailing white space
	// StreamError has the last 500 characters of the last error event, masked.
	// AI agents write such events if they have an argument such as --json or
	// stream-json. If the child succeeded, StreamError is "".
	StreamError string
	// Setup is set if a known agent is not installed or needs an update.
	Setup    *SetupError
	Duration time.Duration // from the start to the end
}

// Error is the failure of a child. The text names the program and says how it ended.
// It does not quote the child's output.
type Error struct {
	Program string // the name of the program, without its directory
	Outcome Outcome
	// Err is an *exec.ExitError, a *SetupError, or the error of the start, of a watchdog
	// or of the context. If a writer failed, Err wraps its error too.
	Err error
}

func (e *Error) Error() string { return e.Program + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ErrorType returns the reason of the error, for OpenTelemetry's error.type.
func (e *Error) ErrorType() string { return string(e.Outcome.Result.Reason) }

// ErrWatchdog matches, with errors.Is, the error of every child that a watchdog
// ended. Such an error also matches context.DeadlineExceeded.
var ErrWatchdog = errors.New("ended by the watchdog")

// watchdogError is the error of an exceeded limit.
type watchdogError struct {
	rule string // rule of the Result
	text string
}

func (e *watchdogError) Error() string { return e.text }

func (e *watchdogError) Timeout() bool { return true }

// Is returns true for context.DeadlineExceeded, so that package classify gives the
// category timeout.
func (e *watchdogError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == ErrWatchdog
}

func (e *watchdogError) result() classify.Result {
	return classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout, Rule: e.rule}
}

func timeoutError(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/timeout", fmt.Sprintf("still running after %s", limit)}
}

func silenceError(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/silence", fmt.Sprintf("no output for %s", limit)}
}

func answerError(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/answer", fmt.Sprintf("no answer within %s", limit)}
}

func maxCallError(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/call", fmt.Sprintf("progress, but no answer within %s", limit)}
}

func versionError(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/version", fmt.Sprintf("no answer to --version within %s", limit)}
}
