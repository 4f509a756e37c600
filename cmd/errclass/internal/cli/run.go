package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// Exit codes of `errclass run`, beside the child's own.
const (
	ExitTimeout       = 124 // as timeout(1): --timeout or --silence ended it
	ExitNotExecutable = 126 // as a shell
	ExitNotFound      = 127 // as a shell
	ExitSignal        = 128 // plus the number of the signal that ended the child, as a shell
	ExitAborted       = 130 // as a shell after Ctrl-C; for a closed output see exitClosed
)

// exitCategory are the codes of --exit-code category: those of sysexits(3) for
// "try again" (EX_TEMPFAIL), "wrong input" (EX_DATAERR) and "internal error"
// (EX_SOFTWARE).
var exitCategory = map[classify.Category]int{
	classify.CategoryRetryable:       75,
	classify.CategoryContextOverflow: 65,
	classify.CategoryFatal:           70,
	classify.CategoryTimeout:         ExitTimeout,
	classify.CategoryAborted:         ExitAborted,
}

// codeError ends the program with a code and without a word: everything has been
// said.
type codeError int

func (e codeError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// timeUp is the end of --timeout: a deadline that says how long it was.
type timeUp time.Duration

func (t timeUp) Error() string { return fmt.Sprintf("not done within %s", time.Duration(t)) }

func (timeUp) Unwrap() error { return context.DeadlineExceeded }

// The values of --exit-code.
const (
	exitByChild    = "child"
	exitByCategory = "category"
)

// runFlags are the flags of run.
type runFlags struct {
	retry            bool
	most             int
	timeout, silence time.Duration
	format           *format
	event            string
	exitCode         string
	explain          bool
	provider         string
	request          string
	rules            *ruleFlags
}

func newRun(s Streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command, say what its failure means, and repeat it where that helps",
		Long: `Run runs a command and passes its output on as it comes. When it fails, its exit
code, its signal and the end of its standard error are classified.

With --retry it is run again where that may help: after 1s, 2s, 4s and so on up
to 30s, or when its provider asks it to (not beyond a minute: then it is not
repeated). How often in all is the reason's to say (three times, six for the
network); --max lowers that.

Standard input: without --retry the command has it. With --retry a file is read
from the same place again each time, and from a pipe up to 16 MiB are kept for
the next time; where more was read the command is not repeated. A terminal's
input reaches the command through a pipe, so programs that draw on the screen
are not for run.

The command runs in a process group of its own. On --timeout, --silence, Ctrl-C,
when errclass gets SIGTERM, SIGQUIT, SIGHUP or SIGPIPE, and when nobody reads its
output any more, the whole group gets SIGTERM and, 5s later, SIGKILL. It is not
repeated after that.

With --format json the last line on standard error is an event:
{"type":"error","requestId":...,"error":...,"diagnostics":{"provider":...,
"errorType":...,"recoverable":...,"retried":...,"stderr":...}}. --event writes it
to a file, which is empty when all went well. Its owner alone may read the file
(an existing one is made so; another user's, and one with further hard links, is
refused). A file that is also standard output or standard error gets the event at
its end and stays as it is otherwise; so does /dev/fd/N. A named pipe is refused
where nobody has opened it for reading within a second. Secrets are masked. An
event that cannot be written is reported on standard error and changes no exit
code.

Exit codes: the command's own, or 128 and the number of the signal that ended
it; 124 a timeout, 130 aborted (Ctrl-C, SIGTERM, SIGQUIT, SIGHUP), 141 an output
that was closed, as by head, 127 not found, 126 not executable. With
--exit-code category a failure of the command is 75 where it is retryable, 65
for a context_overflow, 70 where it is fatal.`,
		Example: `  errclass run --retry -- codex exec 'fix the tests'
  errclass run --retry --timeout 10m --silence 2m --format json -- claude -p "$PROMPT"
  errclass run --exit-code category --event error.json -- ./import.sh < data.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no command given: errclass run [flags] -- COMMAND [ARGUMENT...]")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows COMMAND belongs to it, also without --
	flags.BoolVar(&f.retry, "retry", false, "run it again where that may help")
	flags.IntVar(&f.most, "max", 0, "run it no more than `N` times in all; 0 leaves that to the reason")
	flags.DurationVar(&f.timeout, "timeout", 0, "end it after this `time` in all, with its repetitions and waits; 0 is no limit")
	flags.DurationVar(&f.silence, "silence", 0, "end it when it has written nothing for this `time`; 0 is no limit")
	f.format = addFormat(cmd, "what is said about a failure on standard error: words, or an event")
	flags.StringVar(&f.event, "event", "", "write the event to this `file` instead")
	flags.StringVar(&f.exitCode, "exit-code", exitByChild, "exit with the command's own code or that of its category: `child|category`")
	flags.BoolVar(&f.explain, "explain", false, "show what decided about a failure, on standard error")
	flags.StringVar(&f.provider, "provider", "", "`name` for the event (default: the command's)")
	flags.StringVar(&f.request, "request-id", "", "`id` for the event")
	f.rules = addRules(cmd)
	complete(cmd, "exit-code", exitByChild, exitByCategory)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return f.run(s, args) }
	return cmd
}

func (f *runFlags) run(s Streams, args []string) error {
	c, err := f.rules.classifier()
	switch {
	case err != nil:
		return err
	case f.exitCode != exitByChild && f.exitCode != exitByCategory:
		return usagef("--exit-code %q: use %s or %s", f.exitCode, exitByChild, exitByCategory)
	case f.most < 0 || f.timeout < 0 || f.silence < 0:
		return usagef("--max, --timeout and --silence are never below 0")
	case f.most > 0 && !f.retry:
		return usagef("--max is for --retry, which is not given")
	}
	if f.provider == "" {
		f.provider = strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	}
	errs := &lineEnd{w: s.Err}
	var event io.WriteCloser
	if f.event != "" {
		if event, err = eventFile(&s, errs, f.event); err != nil {
			return usagef("--event: %w", err)
		}
		defer event.Close()
	}

	input := newRunInput(s.In, f.retry)
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	closed := func() { end(outputEnd{}) }
	defer endOnBrokenPipe(input, closed)()
	s.Out, errs.w = endsWith(s.Out, closed), endsWith(s.Err, closed)
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.timeout, timeUp(f.timeout))
		defer cancel()
	}
	r := repeater{
		command: supervise.Command{
			Name: args[0], Args: args[1:], Stdout: s.Out, Stderr: errs,
			Timeout: -1, Silence: limitOrNone(f.silence), Classifier: c, Provider: f.provider,
		},
		input: input, retry: f.retry, most: f.most, errs: errs, quiet: *f.format == formatJSON,
	}
	o, err := r.repeat(ctx)
	if err == nil {
		return nil
	}
	x := failure{outcome: o, err: err, calls: r.calls, classifier: c}
	if errors.As(context.Cause(ctx), new(outputEnd)) && !errors.Is(err, supervise.ErrWatchdog) { // which was first
		x = x.byClosedOutput()
	}
	return f.report(s, errs, event, x)
}

// limitOrNone is a limit as supervise has it: 0 would be its default there.
func limitOrNone(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// code is the exit code of a failure.
func (f *runFlags) code(x failure) int {
	var exit *exec.ExitError
	switch own := errors.As(x.err, &exit); {
	case x.outcome.Result.Category == classify.CategoryTimeout:
		return ExitTimeout
	case errors.As(x.err, new(outputEnd)):
		return int(exitClosed)
	case errors.Is(x.err, context.Canceled):
		return ExitAborted
	case !own && (errors.Is(x.err, exec.ErrNotFound) || errors.Is(x.err, fs.ErrNotExist)):
		return ExitNotFound
	case !own && x.outcome.ExitCode < 0:
		return ExitNotExecutable
	case !own: // the command went well, and something about its output or input did not
		return ExitFailed
	case f.exitCode == exitByCategory:
		return exitCategory[x.outcome.Result.Category]
	}
	if n, ok := x.outcome.Signal.(syscall.Signal); ok {
		return ExitSignal + int(n)
	}
	return x.outcome.ExitCode
}
