// Command errclass tells what errors mean: in messages, in log lines, in what
// child processes leave behind.
package main

import (
	"os"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

func main() {
	cli.KeepOnClosedPipe()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
