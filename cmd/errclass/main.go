// Command errclass classifies error messages and log lines. It gives each of
// them a category (what to do next) and a reason (why).
//
//	errclass classify [MESSAGE...]   classify messages, or each line of standard input
//	errclass logs [FILE...]          add error.category and error.reason to lines of JSON logs
//	errclass explain MESSAGE         show the rule that decided, its bytes, and the rules that lost
//	errclass rules                   list the text rules by precedence
//	errclass eval PATH...            measure rules and model against labelled messages
//	errclass run [--retry] -- CMD    run a command, classify its failure, and retry it
//
// errclass logs changes no line except that it inserts the two fields before the
// closing brace of error lines. It keeps the order of the lines.
//
//	journalctl -o json | errclass logs | jq 'select(."error.category" == "fatal")'
//
// Every command takes --rules (standard, minimal, or a YAML file that is added
// to standard) and --rules-only. The exit codes are
//
//   - 0: success
//   - 1: a threshold was missed, or reading or writing failed
//   - 2: the command line or a rules file is wrong
//   - 141: the output of logs, classify or run was closed
//
// Otherwise run exits with the exit code of its command. `errclass help COMMAND`
// has the details.
package main

import (
	"os"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

func main() {
	cli.KeepOnClosedPipe()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
