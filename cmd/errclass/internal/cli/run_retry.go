package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/supervise"
)

// retrier runs a command until it succeeds or must not be run again.
type retrier struct {
	command supervise.Command
	input   *runInput
	retry   bool
	maxRuns int // 0 means as many as the reason's policy allows
	errs    io.Writer
	quiet   bool // do not report retries

	// terminal opens a new terminal for one run. If terminal is nil, the command gets
	// no terminal. restore resets the mode of this program's own terminal.
	terminal func() (t *supervise.Terminal, restore func(), err error)

	calls int // number of runs so far
}

// run runs the command, repeats it if necessary, and returns the outcome of the last run.
// If ctx ends during a pause, run returns the error of ctx, and the Result of the outcome
// classifies that error.
func (r *retrier) run(ctx context.Context) (supervise.Outcome, error) {
	for {
		in, err := r.input.next()
		if err != nil {
			return supervise.Outcome{ExitCode: -1, Result: classify.Error(err)}, err
		}
		r.command.Stdin = in
		r.calls++
		o, err := r.runOnce(ctx)
		if err == nil || !r.retry || ctx.Err() != nil || onlyCopyingFailed(o, err) {
			return o, err
		}
		wait, again := r.pause(o.Result)
		if !again {
			return o, err
		}
		if !r.input.replayable() {
			fmt.Fprintf(r.errs, "errclass run: not retried: more than %d bytes of standard input were read\n", maxReplay)
			return o, err
		}
		if !r.quiet {
			fmt.Fprintf(r.errs, "errclass run: %s %s (%s): again in %s\n", o.Result.Category, o.Result.Reason, printable(o.Result.Rule), wait)
		}
		if err := sleep(ctx, wait); err != nil {
			o.Result = classify.Error(err)
			o.Result.Provider = r.command.Provider
			return o, err
		}
	}
}

// onlyCopyingFailed reports whether the command succeeded, but copying its input or
// output failed.
func onlyCopyingFailed(o supervise.Outcome, err error) bool {
	return o.ExitCode == 0 && !errors.Is(err, supervise.ErrWatchdog)
}

// runOnce runs the command once, in a new terminal if r.terminal is set.
func (r *retrier) runOnce(ctx context.Context) (supervise.Outcome, error) {
	if r.terminal == nil {
		return supervise.Run(ctx, r.command)
	}
	t, restore, err := r.terminal()
	if err != nil {
		err = fmt.Errorf("open a terminal for the command: %w", err)
		return supervise.Outcome{ExitCode: -1, Result: classify.Error(err)}, err
	}
	defer restore()
	command := r.command
	command.Terminal = t
	return supervise.Run(ctx, command)
}

// schedule has the pauses between runs. It does not limit the number of runs.
var schedule = resilience.FixedSchedule.Schedule()

// pause returns the time until the next run. If again is false, there is no next run.
func (r *retrier) pause(res classify.Result) (wait time.Duration, again bool) {
	limit := res.Policy().Calls()
	if r.maxRuns > 0 {
		limit = min(limit, r.maxRuns)
	}
	// A timeout here comes from --silence. If the limit of --timeout has passed, ctx has
	// ended, and run does not call pause.
	again = res.Retryable() || res.Category == classify.CategoryTimeout
	switch {
	case !again, r.calls >= limit:
		return 0, false
	case res.HasRetryAfter:
		return res.RetryAfter, res.RetryAfter <= resilience.MaxRetryAfterWait
	}
	return schedule.Nominal(r.calls - 1), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		if cause := context.Cause(ctx); errors.Is(cause, ctx.Err()) {
			return cause
		}
		return ctx.Err()
	}
}
