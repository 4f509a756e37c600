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

// repeater runs a command until it goes well, or no further run will help.
type repeater struct {
	command supervise.Command
	input   *runInput
	retry   bool
	most    int // runs in all; 0 = what the policy grants
	errs    io.Writer
	quiet   bool // no word about repetitions

	calls int // made so far
}

// repeat returns how the last run ended. Where ctx ends during a wait, that is
// what is said about it: the end of the run was its time or its caller.
func (r *repeater) repeat(ctx context.Context) (supervise.Outcome, error) {
	for {
		in, err := r.input.next()
		if err != nil {
			return supervise.Outcome{ExitCode: -1, Result: classify.Error(err)}, err
		}
		r.command.Stdin = in
		r.calls++
		o, err := supervise.Run(ctx, r.command)
		if err == nil || !r.retry || ctx.Err() != nil {
			return o, err
		}
		wait, again := r.pause(o.Result)
		if !again {
			return o, err
		}
		if !r.input.replayable() {
			fmt.Fprintf(r.errs, "errclass run: not repeated: more than %d bytes of standard input were read\n", maxKept)
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

// schedule has the pauses between runs. Its limit to three calls is not used: the
// reason says how often.
var schedule = resilience.FixedSchedule.Schedule()

// pause is how long to wait before the next run, if there is to be one.
func (r *repeater) pause(res classify.Result) (wait time.Duration, again bool) {
	limit := res.Policy().Calls()
	if r.most > 0 {
		limit = min(limit, r.most)
	}
	switch {
	case !res.Retryable(), r.calls >= limit:
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
