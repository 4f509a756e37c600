// Package cli implements the commands of errclass.
//
// Every command uses only the [Streams] passed to [Main].
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// These are exit codes.
const (
	ExitOK     = 0 // success; also if a reader closed the output of explain, rules or eval
	ExitFailed = 1 // a threshold was missed, or reading or writing failed
	ExitUsage  = 2 // the command line or a rules file is wrong
)

// Streams are the three standard streams.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Main runs errclass and returns the exit code. The arguments do not include the
// program's name.
func Main(args []string, s Streams) int {
	started := false
	root := newRoot(s, &started)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	var code codeError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	case outputClosed(err):
		return ExitOK // the reader, such as head, has read enough
	}
	fmt.Fprintf(s.Err, "errclass: %v\n", err)
	if !started { // cobra rejected the command line
		fmt.Fprintf(s.Err, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return ExitUsage
	}
	if errors.As(err, new(*usageError)) {
		return ExitUsage
	}
	return ExitFailed
}

// usageError is a wrong command line that cobra did not detect.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// newRoot returns the root command. When a command begins, *started becomes true.
func newRoot(s Streams, started *bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "errclass",
		Short: "Classify error messages and log lines",
		Long: `errclass classifies error messages and log lines.

The category says what to do next:
  retryable         the same call may succeed later
  context_overflow  shrink the model's input, then call again
  fatal             a person or the code must change something; also unknown errors
  timeout           the command's own deadline or watchdog ended it (run)
  aborted           the caller cancelled
The reason says why: rate_limit, network, authentication and others.

Exit codes: 0 success, 1 a threshold was missed or reading or writing failed,
2 the command line or a rules file is wrong, 141 the output of logs, classify
or run was closed. Otherwise run exits with the exit code of its command.`,
		Example: `  errclass classify 'HTTP 429: rate limit exceeded'
  app 2>&1 | errclass logs | jq -cR 'fromjson? | select(."error.category" == "fatal")'
  errclass triage /var/log/app
  errclass explain 'context deadline exceeded'
  errclass eval corpus.jsonl --min-category 95
  errclass run --retry -- codex exec 'fix the tests'`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(s.Err)
			return errors.Join(cmd.Help(), usagef("no command given"))
		},
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(newClassify(s), newLogs(s), newTriage(s), newExplain(s), newRules(s), newEval(s), newRun(s))
	for _, c := range root.Commands() {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			return run(cmd, args)
		}
	}
	return root
}

// open opens a file for reading. The name "-" means standard input.
func (s Streams) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.In), nil
	}
	return os.Open(name)
}
