package supervise

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/errclass/errclass/classify"
)

// Run runs a child to its end and classifies how it ended. Run is safe for
// concurrent use.
//
// If the child exited with 0 and all output was passed on, the error is nil. The
// Result is then zero. Otherwise the error is an [*Error].
//
// Run returns when the child has ended and its output was read. A process that the
// child started may keep the output open:
//
//   - If the child ended by itself, Run waits at most Command.Grace for the end of the
//     output, and does not end the process. While a writer is busy but makes progress,
//     this wait can be ten times as long. If the context or Command.Timeout ends the
//     wait, Run ends the process. The error then says only how the child ended. But if
//     a writer blocks, the error is that of the context or of the timeout.
//   - If a watchdog or the context ended the child, Run ends the process too.
//
// If a process survives SIGKILL, Run then waits at most Command.Grace or
// [DefaultGrace], whichever is longer.
func Run(ctx context.Context, c Command) (Outcome, error) {
	began := time.Now()
	r := execution{command: &c, outcome: Outcome{ExitCode: -1}}
	err := r.run(ctx)
	r.outcome.Duration = time.Since(began)
	stderr := c.written(r.tail.text())
	r.outcome.Stderr = lastRunes(stderr.masked, StderrRunes)
	if err == nil {
		return r.outcome, nil
	}
	event := c.written(r.stream.text()).first(maxEventText)
	r.outcome.StreamError = lastRunes(event.masked, StderrRunes)
	r.outcome.Result = c.classify(ctx, err, event, stderr)
	if setup := c.agentSetup(err, r.outcome.Result, stderr.raw); setup != nil {
		r.outcome.Setup, err = setup, setup
	}
	r.outcome.Result.Provider = c.Provider
	return r.outcome, &Error{Program: c.base(), Outcome: r.outcome, Err: err}
}

// execution is the state of one Run.
type execution struct {
	command *Command
	outcome Outcome
	tail    tail
	stream  streamErrors
	outputs outputs
}

// run starts the child and waits. If a watchdog fires or ctx ends, run ends the
// child.
func (r *execution) run(ctx context.Context) error {
	if err := contextError(ctx); err != nil {
		r.command.Terminal.close()
		return err
	}
	cmd := r.command.cmd()
	if err := r.connect(cmd); err != nil {
		r.outputs.begin(false)
		return err
	}
	input, err := r.connectInput(cmd)
	if err != nil {
		r.outputs.begin(false)
		return err
	}
	ch, err := start(cmd, &r.outputs, r.command.grace())
	if err != nil {
		input.close()
		return err
	}
	input.copy()
	if err := r.watch(ctx, ch); err != nil {
		exited := ch.hasExited()
		if !ch.stop() || !exited {
			r.recordExit(ch)
			return err
		}
		// The child ended by itself. ch.stop ended only processes that the child had
		// started.
	}
	if ctx.Err() != nil {
		ch.group.kill() // end the processes that the child started
	}
	ch.group.release()
	r.recordExit(ch)
	if ch.err == nil {
		return errors.Join(r.outputs.writeError(), input.readError())
	}
	if err := r.outputs.writeError(); err != nil && !errors.Is(err, syscall.EPIPE) {
		return errors.Join(ch.err, err) // the child failed because its output was closed
	}
	return ch.err
}

// watch waits until the child has ended and its output was read, and returns nil. If a
// limit is exceeded or ctx ends first, watch returns the error. After the child's end,
// the limit on silence does not apply.
func (r *execution) watch(ctx context.Context, ch *child) error {
	timeout := orDefault(r.command.Timeout, DefaultTimeout)
	silence := orDefault(r.command.Silence, DefaultSilence)
	total, stopTotal := newTimer(timeout)
	defer stopTotal()
	step := silenceStep(silence)
	quiet, stopQuiet := newTimer(step)
	defer func() { stopQuiet() }()
	exited := ch.exited
	for {
		var err error
		select {
		case <-ch.drained:
			return nil
		case <-exited:
			exited, quiet = nil, nil
			continue
		case <-ctx.Done():
			err = contextError(ctx)
		case <-total:
			err = timeoutError(timeout)
		case due := <-quiet:
			if ch.hasExited() {
				quiet = nil
				continue
			}
			if time.Since(due) > step { // this program was stopped and read no output
				r.outputs.activity.record()
			}
			if left := silence - r.outputs.activity.idle(); left > 0 {
				quiet, stopQuiet = newTimer(min(left, step))
				continue
			}
			err = silenceError(silence)
		}
		select {
		case <-ch.drained: // the child ended at the same moment: ignore err
			return nil
		default:
			return err
		}
	}
}

// silenceStep returns the time between two checks for silence. A check that comes a
// whole step late shows that this program was stopped, for example by Ctrl-Z.
func silenceStep(limit time.Duration) time.Duration {
	const steps, shortest = 10, 100 * time.Millisecond
	return max(limit/steps, min(limit, shortest))
}

// newTimer returns the channel and the Stop method of a timer. If d <= 0, the
// channel never receives.
func newTimer(d time.Duration) (<-chan time.Time, func() bool) {
	if d <= 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// contextError returns the error of ctx, joined with the cause. It returns nil while
// ctx is active.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || cause == nil || errors.Is(cause, err) {
		return cause
	}
	return errors.Join(err, cause)
}

// recordExit sets exit code and signal in the outcome if the process has ended.
func (r *execution) recordExit(ch *child) {
	if ch.hasExited() {
		r.outcome.ExitCode, r.outcome.Signal = exit(ch.cmd.ProcessState)
	}
}

func exit(state *os.ProcessState) (code int, signal os.Signal) {
	if state == nil {
		return -1, nil
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		signal = status.Signal()
	}
	return state.ExitCode(), signal
}

// connectInput sets the child's standard input.
func (r *execution) connectInput(cmd *exec.Cmd) (*input, error) {
	if t := r.command.Terminal; t != nil {
		return t.connectInput(r.command.Stdin), nil
	}
	return connectInput(cmd, r.command.Stdin)
}

// connect sets the child's standard output and error.
func (r *execution) connect(cmd *exec.Cmd) error {
	if r.command.Terminal != nil {
		return r.connectTerminal(cmd)
	}
	out, errs := r.command.Stdout, r.command.Stderr
	shared := out != nil && sameWriter(out, errs)
	toErrs, err := r.outputs.add("standard error", tee(&r.tail, errs))
	if err != nil {
		return err
	}
	cmd.Stderr = toErrs
	f, isFile := out.(*os.File)
	switch read := orDefault(r.command.Silence, DefaultSilence) > 0 || asksForEvents(r.command.Args); {
	case isFile && !shared && !read:
		cmd.Stdout = f // the child can write to the file itself
		return nil
	case out == nil && !read:
		return nil
	}
	toOut, err := r.outputs.add("standard output", tee(&r.stream, out))
	if err != nil {
		return err
	}
	cmd.Stdout = toOut
	if shared {
		mu := new(sync.Mutex)
		for _, o := range r.outputs.all {
			o.mu = mu
		}
	}
	return nil
}

// sameWriter reports whether a == b. If a comparison panics, it returns false.
func sameWriter(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }()
	return a == b
}

// classify classifies err by what the child wrote: its last error event and its standard
// error. If err wraps an ExitError, classify sets ExitError.Stderr to a masked text.
func (c *Command) classify(ctx context.Context, err error, event, stderr written) classify.Result {
	var watchdog *watchdogError
	if errors.As(err, &watchdog) {
		return watchdog.result()
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return classify.Standard.Error(err) // the context ended the child: ignore the user's rules
	}
	classifier := c.classifier()
	again := func() classify.Result { return classifier.Error(err) }
	exitOnly := again()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || errors.As(err, new(*writeError)) {
		return exitOnly // after a writer's error, the child only complains of its output
	}
	for _, candidate := range candidates(event, stderr) {
		if candidate.raw == "" {
			continue
		}
		exit.Stderr = []byte(candidate.raw)
		if res := again(); res != exitOnly {
			candidate.hide(exit, res, again)
			return res
		}
		// Some classifiers read only the text of err, not exit.Stderr. So classify the
		// child's text itself too.
		res := classifier.Message(candidate.raw)
		if res.Reason != classify.ReasonUnknown && res.Rule != classify.RuleModel && exitOnly.Reason == classify.ReasonUnknown {
			exit.Stderr = []byte(candidate.masked)
			return res
		}
	}
	end := written{lastRunes(stderr.raw, StderrRunes), lastRunes(stderr.masked, StderrRunes)}
	end.hide(exit, exitOnly, again)
	return exitOnly
}
