// Package supervise runs the child processes of a program. Examples are command line
// agents and tool servers on stdio.
//
//   - [Run] runs a child to its end and classifies how the child ended.
//   - [NewServer] keeps a server running, and [Call] calls it.
//   - [LookUp] checks whether a program is installed.
//
// For example:
//
//	out, err := supervise.Run(ctx, supervise.Command{Name: "codex", Args: []string{"exec", prompt}, Stdout: os.Stdout})
//	if err != nil {
//		fmt.Println(out.Result.Category, out.Result.Reason, out.Stderr)
//	}
//
// What happens to a child:
//
//   - The child starts in its own process group, or in a job object on Windows. If
//     the child has to be ended, the whole group is ended.
//   - Output is passed on at once. The last 500 characters of standard error are
//     kept, with secrets masked ([MaskSecrets]).
//   - One watchdog limits the total time. Another limits the time without output, and
//     does not count the time in which this program itself is stopped.
//   - If a limit is reached or the caller's context ends, the group gets SIGTERM.
//     After five seconds, the group gets SIGKILL.
//   - If this program is PID 1 or a subreaper on Linux, it reaps the orphans of the
//     group.
//   - [Run] does not wait for zombies in the group.
//
// If this program ends, even by SIGKILL, the system decides about the child:
//
//   - Linux and FreeBSD kill the child, but not the processes that the child
//     started.
//   - Windows ends the whole group.
//   - On other systems the child keeps running.
//
// The end of the child becomes a [classify.Result]:
//
//   - If a watchdog ended the child, the category is timeout.
//   - If the caller's context ended the child, the category is aborted or timeout.
//   - Otherwise the classifier reads the exit code, the signal and standard error.
//     It also reads the last error event on standard output. It reads these texts
//     unmasked, because a masked word may be the cause ("fetch password: ETIMEDOUT").
//
// Agents write error events as JSON lines (stream-json, --json). Errors of an
// agent's tools do not count. The error of a child is an [*Error]. If classify.Error,
// slogclass or another package classifies this error again, category and reason stay
// the same. The Stderr of its [exec.ExitError] is masked. If masking hides the cause,
// words for the reason are added there, such as "(masked: ETIMEDOUT)".
//
// Some programs report failures to another program. For them, [NewEvent] returns an
// error event. [UserText] returns a message for the user. The message never quotes a
// provider or a child. docs/specifications.md names the sources of the event and of
// the default limits.
//
// A child cannot use the terminal of this program. On Unix, the system stops a
// background process that reads from the terminal. If a program draws on a screen,
// give it a pseudo-terminal ([Terminal]).
package supervise
