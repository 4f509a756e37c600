// Command errclass classifies error messages and log lines. It gives each of them a
// category and a reason. The category says what to do next, and the reason says why.
//
//	errclass triage [FILE...]        show what is wrong: the errors of logs in groups
//	errclass logs [FILE...]          add error.category and error.reason to error lines of logs
//	errclass classify [MESSAGE...]   classify messages, or each line of standard input
//	errclass explain MESSAGE         show the deciding rule, what it matched, and the rules that lost
//	errclass rules                   list the text rules by precedence
//	errclass eval PATH...            measure rules and model against labelled messages
//	errclass run [--retry] -- CMD    run a command, classify its failure, and retry it
//
// Every command has the flags --rules, --rules-only and --no-model. The value of
// --rules is standard, minimal, or a YAML file. The rules of a YAML file are added to
// the standard rules.
//
// The exit codes are
//
//   - 0: success
//   - 1: a threshold was missed, or reading or writing failed
//   - 2: the command line or a rules file is wrong
//   - 141: the output of logs, classify or run was closed
//
// If the command of errclass run fails, errclass exits with that command's code. For
// details, see `errclass help COMMAND`.
package main

import (
	"os"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

func main() {
	cli.KeepOnClosedPipe()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
