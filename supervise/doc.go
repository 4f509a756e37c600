// Package supervise runs child processes that a program depends on: command
// line agents, and tool servers on stdio. [Run] runs one to its end and says
// what that end means; [NewServer] keeps one alive and calls it; [LookUp] says
// whether a program is there at all.
//
//	out, err := supervise.Run(ctx, supervise.Command{Name: "codex", Args: []string{"exec", prompt}, Stdout: os.Stdout})
//	if err != nil {
//		fmt.Println(out.Result.Category, out.Result.Reason, out.Stderr)
//	}
//
// What happens to a child:
//
//   - It starts in a process group of its own (a job object on Windows), so
//     that what it starts in turn is ended with it. What it writes is passed on
//     at once; of its standard error the last 500 characters are kept, with
//     secrets masked ([MaskSecrets]).
//   - Two watchdogs look at it: one for the time in all, one for silence. They,
//     and the end of the caller's context, end it: SIGTERM to the whole group,
//     then, after five seconds, SIGKILL.
//   - Its end becomes a [classify.Result]. The category timeout comes from the
//     watchdogs and aborted from the caller's context, and both are set here;
//     everything else is what the classifier makes of exit code, signal and
//     standard error.
//   - The error is an [*Error]. classify.Error, slogclass and others that meet it
//     further up come to the same category and reason.
//
// For a program that reports failures to another one, [NewEvent] makes the error
// event, and [UserText] the words for its user, which never hold what a provider
// or a child said. docs/specifications.md has the source of the event and of the
// default figures.
//
// A child gets no terminal from here: it is in the background of one, where
// reading from it stops a process. Programs that draw on a screen are not what
// this is for.
package supervise
