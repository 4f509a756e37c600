// Command errclass tells what errors mean, in messages and in lines of logs:
// a category (what to do next) and a reason (why).
//
//	errclass classify [MESSAGE...]   what each message means; without one, each line of standard input
//	errclass logs [FILE...]          JSON log lines in, the same lines with error.category and error.reason out
//	errclass explain MESSAGE         what decided, on which bytes, what it beat, and where to read on
//	errclass rules                   every text rule, by precedence
//	errclass eval CORPUS.jsonl       how often the rules are right about labelled messages
//	errclass run [--retry] -- CMD    runs a command, says what its failure means, repeats it where that helps
//
// What goes through `errclass logs` stays as it is, byte for byte and in its
// order, except that error lines get the two fields before their closing
// brace:
//
//	journalctl -o json | errclass logs | jq 'select(."error.category" == "fatal")'
//
// Every command takes --rules (standard, minimal, or a YAML file that is added
// to standard) and --rules-only. The exit code is 0, or 1 where a threshold was
// missed or reading or writing failed, or 2 where the command line or a rules
// file is wrong, or 141 where the output of logs, classify or run was closed; else
// run exits as its command does. `errclass help COMMAND` has the rest.
package main

import (
	"os"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

func main() {
	cli.KeepOnClosedPipe()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
