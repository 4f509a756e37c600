package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/errclass/errclass/classify"
)

// Outcome is how a child ended. It is a plain value.
type Outcome struct {
	Result   classify.Result // what it means; zero = it went well
	ExitCode int             // -1 where there is none: it did not start, or a signal ended it
	Signal   os.Signal       // that ended it, or nil; always nil on Windows
	Stderr   string          // the last 500 characters of standard error, masked, without white space at their end
	Duration time.Duration   // from the start to the end
}

// Error is a child that did not end well. Its text has the program's name and
// how it ended, but nothing of what the child wrote.
type Error struct {
	Program string // the name of the program, without its folder
	Outcome Outcome
	Err     error // an *exec.ExitError, what os/exec said to its start, a watchdog's error, or the cause of the context's end
}

func (e *Error) Error() string { return e.Program + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ErrorType is the reason, as OpenTelemetry's error.type has it.
func (e *Error) ErrorType() string { return string(e.Outcome.Result.Reason) }

// ErrWatchdog is in the chain of every error that stands for a child that was
// ended because it took too long. So is context.DeadlineExceeded.
var ErrWatchdog = errors.New("ended by the watchdog")

// watchdogError says which limit was met. It is this program's own deadline:
// see Is.
type watchdogError struct {
	rule string // of the Result
	text string
}

func (e *watchdogError) Error() string { return e.text }

func (e *watchdogError) Timeout() bool { return true }

// Is makes the error this program's own deadline for package classify, which
// has to give it the category timeout wherever it is classified again.
func (e *watchdogError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == ErrWatchdog
}

func (e *watchdogError) result() classify.Result {
	return classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout, Rule: e.rule}
}

func tooLong(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/timeout", fmt.Sprintf("still running after %s", limit)}
}

func tooSilent(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/silence", fmt.Sprintf("no output for %s", limit)}
}

func noAnswer(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/answer", fmt.Sprintf("no answer within %s", limit)}
}

func noVersion(limit time.Duration) *watchdogError {
	return &watchdogError{"watchdog/version", fmt.Sprintf("no answer to --version within %s", limit)}
}
