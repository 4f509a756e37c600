package supervise

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
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
	last    atomic.Int64 // time of the last output, since began
	began   time.Time
}

// run starts the child and waits for its end, or makes one.
func (r *running) run(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	cmd := r.command.cmd()
	r.connect(cmd)
	input, err := connectInput(cmd, r.command.Stdin)
	if err != nil {
		return err
	}
	r.began = time.Now()
	ch, err := start(cmd, r.command.grace())
	if err != nil {
		input.close()
		return err
	}
	input.copy()
	if err := r.watch(ctx, ch); err != nil {
		ch.stop()
		r.look(ch)
		return err
	}
	ch.group.release()
	r.look(ch)
	if errors.Is(ch.err, exec.ErrWaitDelay) {
		return nil // the child went well, and somebody that it left behind holds its output open
	}
	if ch.err == nil {
		return input.failed()
	}
	return ch.err
}

// watch returns nil when the child has ended by itself, or why it must end.
func (r *running) watch(ctx context.Context, ch *child) error {
	timeout := orDefault(r.command.Timeout, DefaultTimeout)
	silence := orDefault(r.command.Silence, DefaultSilence)
	total, stopTotal := alarm(timeout)
	defer stopTotal()
	quiet, stopQuiet := alarm(silence)
	defer func() { stopQuiet() }()
	for {
		var err error
		select {
		case <-ch.ended:
			return nil
		case <-ctx.Done():
			err = ended(ctx)
		case <-total:
			err = tooLong(timeout)
		case <-quiet:
			if left := silence - (time.Since(r.began) - time.Duration(r.last.Load())); left > 0 {
				quiet, stopQuiet = alarm(left)
				continue
			}
			err = tooSilent(silence)
		}
		select {
		case <-ch.ended: // at the same moment, and that is the better news
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
	case <-ch.ended:
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
func (r *running) connect(cmd *exec.Cmd) {
	out, errs := r.command.Stdout, r.command.Stderr
	var one *sync.Mutex
	if out != nil && same(out, errs) {
		one = new(sync.Mutex)
	}
	cmd.Stderr = &noted{r: r, to: errs, one: one, keep: &r.tail}
	if f, ok := out.(*os.File); ok && one == nil && orDefault(r.command.Silence, DefaultSilence) == 0 {
		cmd.Stdout = f // nobody has to see what goes there
		return
	}
	if out == nil && orDefault(r.command.Silence, DefaultSilence) == 0 {
		return
	}
	cmd.Stdout = &noted{r: r, to: out, one: one}
}

// same is a == b for writers of any type, also those that cannot be compared.
func same(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }()
	return a == b
}

// noted passes output on and notes when it came.
type noted struct {
	r    *running
	to   io.Writer   // nil discards
	one  *sync.Mutex // where to is shared
	keep *tail       // may be nil
}

func (n *noted) Write(p []byte) (int, error) {
	n.r.last.Store(int64(time.Since(n.r.began)))
	if n.keep != nil {
		_, _ = n.keep.Write(p) // a tail takes everything
	}
	if n.to == nil {
		return len(p), nil
	}
	if n.one != nil {
		n.one.Lock()
		defer n.one.Unlock()
	}
	return n.to.Write(p)
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
