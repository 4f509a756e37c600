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

// Run runs a child to its end and says what that end means. The error is nil
// exactly where the Result is zero: the child exited with 0 and all of its
// output was passed on; else it is an [*Error].
//
// It returns when the child has ended and its output was read. For output that
// somebody holds open whom the child left behind, it waits no longer than
// Command.Grace; such a process goes on where the child ended by itself, and is
// ended with it where a watchdog or the context ended it. Where a process
// survives SIGKILL (it waits for a device), Run gives up on it after another
// Grace.
//
// Safe for concurrent use.
func Run(ctx context.Context, c Command) (Outcome, error) {
	began := time.Now()
	r := running{command: &c, outcome: Outcome{ExitCode: -1}}
	err := r.run(ctx)
	r.outcome.Duration = time.Since(began)
	text := c.mask(r.tail.text())
	r.outcome.Stderr = lastRunes(text, StderrRunes)
	if err == nil {
		return r.outcome, nil
	}
	r.outcome.Result = c.meaning(ctx, err, text)
	r.outcome.Result.Provider = c.Provider
	return r.outcome, &Error{Program: c.base(), Outcome: r.outcome, Err: err}
}

// running is one run of a command.
type running struct {
	command *Command
	outcome Outcome
	tail    tail
	outputs outputs
}

// run starts the child and waits for its end, or makes one.
func (r *running) run(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	cmd := r.command.cmd()
	if err := r.connect(cmd); err != nil {
		r.outputs.begin(false)
		return err
	}
	input, err := connectInput(cmd, r.command.Stdin)
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
	if err := r.watch(ctx, ch.ended); err != nil {
		ch.stop()
		r.look(ch)
		return err
	}
	if ctx.Err() != nil {
		ch.group.kill() // the child ended at the same moment, but not what it has started
	}
	ch.group.release()
	r.look(ch)
	if ch.err != nil {
		return ch.err
	}
	return errors.Join(r.outputs.failed(), input.failed())
}

// watch returns nil when the child has ended by itself, or why it must end.
func (r *running) watch(ctx context.Context, over <-chan struct{}) error {
	timeout := orDefault(r.command.Timeout, DefaultTimeout)
	silence := orDefault(r.command.Silence, DefaultSilence)
	total, stopTotal := alarm(timeout)
	defer stopTotal()
	quiet, stopQuiet := alarm(silence)
	defer func() { stopQuiet() }()
	for {
		var err error
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			err = ended(ctx)
		case <-total:
			err = tooLong(timeout)
		case <-quiet:
			if left := silence - r.outputs.at.idle(); left > 0 {
				quiet, stopQuiet = alarm(left)
				continue
			}
			err = tooSilent(silence)
		}
		select {
		case <-over: // at the same moment, and that is the better news
			return nil
		default:
			return err
		}
	}
}

// alarm is a channel that gets a value after d; for 0 it never does.
func alarm(d time.Duration) (<-chan time.Time, func() bool) {
	if d <= 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// ended is how ctx has ended: its error and, where the caller gave one, the
// cause; nil while it has not.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == nil || cause == nil || errors.Is(cause, err) {
		return cause
	}
	return errors.Join(err, cause)
}

// look takes down how the process ended, as far as it has.
func (r *running) look(ch *child) {
	select {
	case <-ch.exited:
		r.outcome.ExitCode, r.outcome.Signal = exit(ch.cmd.ProcessState)
	default:
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

// connect gives the child its standard output and error.
func (r *running) connect(cmd *exec.Cmd) error {
	out, errs := r.command.Stdout, r.command.Stderr
	shared := out != nil && same(out, errs)
	keep := io.Writer(&r.tail)
	if errs != nil {
		keep = io.MultiWriter(&r.tail, errs)
	}
	toErrs, err := r.outputs.add("standard error", keep)
	if err != nil {
		return err
	}
	cmd.Stderr = toErrs
	f, isFile := out.(*os.File)
	switch watched := orDefault(r.command.Silence, DefaultSilence) > 0; {
	case isFile && !shared && !watched:
		cmd.Stdout = f // nobody has to see what goes there
		return nil
	case out == nil && !watched:
		return nil
	case out == nil:
		out = io.Discard
	}
	toOut, err := r.outputs.add("standard output", out)
	if err != nil {
		return err
	}
	cmd.Stdout = toOut
	if shared {
		one := new(sync.Mutex)
		for _, o := range r.outputs.all {
			o.one = one
		}
	}
	return nil
}

// same is a == b for writers of any type, also those that cannot be compared.
func same(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }()
	return a == b
}

// meaning is what err means. text is what is kept of standard error, masked.
func (c *Command) meaning(ctx context.Context, err error, text string) classify.Result {
	var dog *watchdogError
	if errors.As(err, &dog) {
		return dog.result()
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return classify.Standard.Error(err) // a user's rules do not decide about the caller's own doing
	}
	by := c.classifier()
	bare := by.Error(err)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || text == "" {
		return bare
	}
	for _, reading := range readings(text) {
		// What err carries is what decided, so that it is classified the same
		// wherever it is met again.
		exit.Stderr = []byte(reading)
		if res := by.Error(err); res != bare {
			return res
		}
		// Classifiers that read nothing but text look at err.Error() alone.
		if res := by.Message(reading); res.Reason != classify.ReasonUnknown && bare.Reason == classify.ReasonUnknown {
			return res
		}
	}
	exit.Stderr = []byte(lastRunes(text, StderrRunes))
	return bare
}
