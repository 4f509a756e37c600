// Package supervise runs the child processes of a program, such as command line
// agents and tool servers on stdio. [Run] runs a child to its end and classifies
// that end; [NewServer] keeps a server running and calls it; [LookUp] checks
// whether a program is installed.
//
//	out, err := supervise.Run(ctx, supervise.Command{Name: "codex", Args: []string{"exec", prompt}, Stdout: os.Stdout})
//	if err != nil {
//		fmt.Println(out.Result.Category, out.Result.Reason, out.Stderr)
//	}
//
// What happens to a child:
//
//   - The child starts in its own process group (a job object on Windows). If the
//     child has to be ended, the other processes of the group are ended too. The
//     child's output is passed on at once. The last 500 characters of standard error
//     are kept, with secrets masked ([MaskSecrets]).
//   - Two watchdogs limit the total time and the time without output. If one
//     fires, or the caller's context ends, the child's group gets SIGTERM and,
//     after five seconds, SIGKILL.
//   - When this program ends, even by SIGKILL, some systems end its children. Linux
//     and FreeBSD kill the child itself, but not the processes that the child
//     started. Windows ends the whole group. On other systems the child keeps
//     running.
//   - If this program is PID 1 or a subreaper (Linux), it reaps the orphans of
//     the child's group. [Run] does not wait for zombies in the group.
//   - The child's end becomes a [classify.Result]. If a watchdog ended the child,
//     the category is timeout. If the caller's context ended it, the category is
//     aborted or timeout. Otherwise the classifier decides by exit code, signal,
//     standard error and the last error event on standard output. Agents write such
//     events as JSON lines (stream-json, --json). Errors of an agent's tools do not
//     count.
//   - The error is an [*Error]. classify.Error, slogclass and other packages give it
//     the same category and reason.
//
// For a program that reports failures to another program, [NewEvent] returns the
// error event, and [UserText] a message for the user. The message never quotes a
// provider or a child. docs/specifications.md has the source of the event and of the
// default limits.
//
// A child cannot use the terminal of this program: on Unix, the child runs in a
// background process group, and the system stops a background process that reads
// from the terminal. A program that draws on a screen needs a pseudo-terminal of its
// own ([Terminal]).
package supervise
