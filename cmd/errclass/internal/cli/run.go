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

// These are the exit codes of `errclass run`, besides those of the child.
const (
	ExitTimeout       = 124 // --timeout or --silence ended the child; as in timeout(1)
	ExitNotExecutable = 126 // as in a shell
	ExitNotFound      = 127 // as in a shell
	ExitSignal        = 128 // plus the number of the signal that ended the child; as in a shell
	ExitAborted       = 130 // as in a shell after Ctrl-C
)

// exitCategory has the exit codes for "--exit-code category". Three come from
// sysexits(3).
var exitCategory = map[classify.Category]int{
	classify.CategoryRetryable:       75,
	classify.CategoryContextOverflow: 65,
	classify.CategoryFatal:           70,
	classify.CategoryTimeout:         ExitTimeout,
	classify.CategoryAborted:         ExitAborted,
}

// codeError is the exit code of a failure that was already reported.
type codeError int

func (e codeError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// timeoutError is the [context.Cause] of a run that --timeout ended.
type timeoutError time.Duration

func (t timeoutError) Error() string { return fmt.Sprintf("not done within %s", time.Duration(t)) }

func (timeoutError) Unwrap() error { return context.DeadlineExceeded }

// These are the values of --exit-code.
const (
	exitByChild    = "child"
	exitByCategory = "category"
)

// runFlags are the flags of the command run.
type runFlags struct {
	retry, pty       bool
	maxRuns          int
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
		Short: "Run a command, classify its failure, and retry it",
		Long: `Run runs a command and passes its output on without delay. If the command fails,
run classifies its exit code, its signal, the end of its standard error, and the
last error event on its standard output (stream-json or --json of the agents).

With --retry it runs the command again after a retryable failure: after 1s, 2s,
4s and so on up to 30s. If the provider names a time to wait, it waits for that
time, or gives up if that is more than a minute. The reason limits the number of
runs to three, or to six for network; --max lowers that number.

Standard input: without --retry, the command reads it itself. With --retry, each
run gets the same input again. A file is read again from its offset. Of a pipe,
up to 16 MiB are kept; if the command read more, it is not run again. The input
from a terminal reaches the command through a pipe, while errclass is in the
foreground; in the background (errclass run ... &) the command waits for it.

With --pty the command gets a terminal of its own, with the size of yours, for
programs that draw on the screen or print colours only there. Keys go to the
command, Ctrl-C too. Its output and errors go to standard output, with the line
ends of a terminal, and run classifies the end of both. An input that is no
terminal is followed by Ctrl-D, and is not echoed; a line of more than 4095 bytes
is cut by the system. The bytes 04, 15 and 7f of such an input still act as keys
(Ctrl-D, Ctrl-U, Backspace), and a carriage return ends a line. What you type is
not typed again for another run. --pty is not supported on Windows: use WSL.

The command runs in a process group of its own. These events end it: --timeout,
--silence, Ctrl-C, a SIGTERM, SIGQUIT, SIGHUP or SIGPIPE to errclass, and a
closed output. The whole group then gets SIGTERM and, 5s later, SIGKILL. Only
after --silence may the command run again.

If the command ends by itself, the processes that it started keep running. If they
keep its output open, run passes on what they write for 5s, and then closes the
output. The terminal of --pty is hung up at once.

With --format json the last line on standard error is an event:
{"type":"error","requestId":...,"error":...,"diagnostics":{"provider":...,
"errorType":...,"recoverable":...,"retried":...,"stderr":...}}. Secrets in it are
masked.

--event writes the event to a file. The file is empty if the command succeeds.
Only its owner can read it: run sets the mode of an existing file, and refuses a
file of another user or with several hard links. If the file is also standard
output or standard error, or /dev/fd/N, the event is appended to it. A named pipe
is refused if nobody opens it for reading within a second. If the event cannot be
written, run reports that on standard error and keeps the exit code.

Exit codes: the command's own; 128 plus the number of the signal that ended the
command; 124 timeout; 130 aborted (Ctrl-C, SIGTERM, SIGQUIT, SIGHUP); 141 the
output was closed, as by head; 127 not found; 126 not executable. With
--exit-code category, a failed command gives 75 if it is retryable, 65 for
context_overflow and 70 if it is fatal.`,
		Example: `  errclass run --retry -- codex exec 'fix the tests'
  errclass run --retry --timeout 10m --silence 2m --format json -- claude -p "$PROMPT"
  errclass run --pty --retry -- claude "$PROMPT"
  errclass run --exit-code category --event error.json -- ./import.sh < data.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no command given: errclass run [flags] -- COMMAND [ARGUMENT...]")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // flags after COMMAND belong to COMMAND
	flags.BoolVar(&f.retry, "retry", false, "run the command again after a retryable failure")
	flags.BoolVar(&f.pty, "pty", false, "give the command a terminal of its own (not on Windows)")
	flags.IntVar(&f.maxRuns, "max", 0, "run the command at most `N` times; 0 is the limit of the reason")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the command after this `time`, including retries and waits; 0 is no limit")
	flags.DurationVar(&f.silence, "silence", 0, "end the command after this `time` without output; 0 is no limit")
	f.format = addFormat(cmd, "report a failure on standard error as a message, or as an event")
	flags.StringVar(&f.event, "event", "", "write the event to this `file` instead")
	flags.StringVar(&f.exitCode, "exit-code", exitByChild, "exit with the command's exit code or with that of its category: `child|category`")
	flags.BoolVar(&f.explain, "explain", false, "explain a failure on standard error, as errclass explain does")
	flags.StringVar(&f.provider, "provider", "", "provider `name` in the event (default: the command's name)")
	flags.StringVar(&f.request, "request-id", "", "request `id` in the event")
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
	case f.maxRuns < 0 || f.timeout < 0 || f.silence < 0:
		return usagef("--max, --timeout and --silence must not be negative")
	case f.maxRuns > 0 && !f.retry:
		return usagef("--max needs --retry")
	case f.pty && !ptySupported:
		return usagef("--pty is not supported on this system: run errclass in WSL or on another system, or leave out --pty")
	}
	if f.provider == "" {
		f.provider = strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	}
	errs := &lineWriter{w: s.Err}
	var event io.WriteCloser
	if f.event != "" {
		if event, err = eventFile(&s, errs, f.event); err != nil {
			return usagef("--event: %w", err)
		}
		defer event.Close()
	}

	input := newRunInput(s.In, f.retry, f.pty)
	terminals := s // the original streams; detectClosed replaces some of them
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	closed := func() { end(closedOutputError{}) }
	defer endOnBrokenPipe(input, closed)()
	s.Out, errs.w = detectClosed(s.Out, closed), detectClosed(s.Err, closed)
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.timeout, timeoutError(f.timeout))
		defer cancel()
	}
	r := retrier{
		command: supervise.Command{
			Name: args[0], Args: args[1:], Stdout: s.Out, Stderr: errs,
			Timeout: -1, Silence: limitOrNone(f.silence), Classifier: c, Provider: f.provider,
		},
		input: input, retry: f.retry, maxRuns: f.maxRuns, errs: errs, quiet: *f.format == formatJSON,
	}
	if f.pty {
		r.terminal = func() (*supervise.Terminal, func(), error) { return openTerminal(terminals) }
	}
	o, err := r.run(ctx)
	if err == nil {
		return nil
	}
	x := failure{outcome: o, err: err, calls: r.calls, classifier: c}
	if errors.As(context.Cause(ctx), new(closedOutputError)) && !errors.Is(err, supervise.ErrWatchdog) { // the watchdog was first
		x = x.asClosedOutput()
	}
	return f.report(s, errs, event, x)
}

// limitOrNone converts a flag to a limit of package supervise. 0 becomes -1, which
// means no limit.
func limitOrNone(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// code returns the exit code of a failure.
func (f *runFlags) code(x failure) int {
	var exit *exec.ExitError
	switch own := errors.As(x.err, &exit); {
	case x.outcome.Result.Category == classify.CategoryTimeout:
		return ExitTimeout
	case errors.As(x.err, new(closedOutputError)):
		return int(exitClosed)
	case errors.Is(x.err, context.Canceled):
		return ExitAborted
	case !own && (errors.Is(x.err, exec.ErrNotFound) || errors.Is(x.err, fs.ErrNotExist)):
		return ExitNotFound
	case !own && x.outcome.ExitCode < 0:
		return ExitNotExecutable
	case !own: // the command succeeded, but copying its input or output failed
		return ExitFailed
	case f.exitCode == exitByCategory:
		return exitCategory[x.outcome.Result.Category]
	}
	if n, ok := x.outcome.Signal.(syscall.Signal); ok {
		return ExitSignal + int(n)
	}
	return x.outcome.ExitCode
}
