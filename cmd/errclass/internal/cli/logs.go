package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

func newLogs(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [FILE...]",
		Short: "Add error.category and error.reason to lines of JSON logs",
		Long: `Logs reads lines of JSON and writes the same lines, with error.category and
error.reason added to those that are errors. Without files, and for "-", it
reads standard input.

An error is a line whose level, severity or lvl is error or above (by name, or
50 and above as pino counts), whose PRIORITY is 3 or below (journalctl -o json),
or that has no level but an error field; --all takes every JSON object.
Classified are the error fields (error, err, exception.message, stderr), then
the message (msg, message, MESSAGE, log, event): the first that is known for
anything decides. HTTP statuses (status, status_code, http.response.status_code)
count as well.

No line is dropped, moved or rewritten. The two fields are put in before the
closing brace, each only where the line does not have it yet; all other bytes
stay. What is no error or no JSON object, or is longer than 16 MiB, passes as it
is; how many lines were not looked at is said on standard error. Of a text that
is longer than 64 KiB the first and the last 32 KiB are looked at (192 KiB each
with --rules minimal). jq stops at a line that is no JSON, unless it reads with
-R and fromjson?.

Signals: Ctrl-C and SIGTERM reach every program of a pipeline, and the one that
logs has its last lines still to write. So while a pipe is read, Ctrl-C does
nothing (as with tee -i), and SIGTERM, SIGHUP and SIGQUIT (Ctrl-\) let it read on
to the end of the input, which is the end of the program that writes it. It ends
earlier with a second SIGTERM or SIGQUIT (a second or more after the first) or
when nothing has come for 30 seconds after the first. A file or a terminal is read
until the first signal. Where a signal ended the reading, what was read is
written, --summary counts it, and the exit code is that of the signal (130, 131,
143 in a shell).

An output that is closed, as by head, ends it with a message and exit code 141,
as shells have it for a closed pipe; one that cannot be written (a full disk)
with the error and 1. An input that is also the output is refused.`,
		Example: `  app 2>&1 | errclass logs >> app.jsonl
  app 2>&1 | errclass logs | jq -cR 'fromjson? | select(."error.category" == "fatal")'
  journalctl -o json -f | errclass logs
  errclass logs --summary yesterday.jsonl > /dev/null
  errclass logs --summary --format json app.jsonl 2> summary.json > /dev/null`,
	}
	out := addFormat(cmd, "how --summary looks: a table, or one JSON object")
	rules := addRules(cmd)
	all := cmd.Flags().Bool("all", false, "classify every JSON object, whatever its level")
	summary := cmd.Flags().Bool("summary", false, "count what was found, on standard error")
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		if len(files) == 0 {
			files = []string{"-"}
		}
		sigs := notifyInterrupts("logs", s.Err, s.readsPipe(files[0]))
		defer sigs.stop()
		if err := refuseOwnOutput(s, files); err != nil {
			return err
		}
		c, err := rules.classifier() // which may take seconds
		if err != nil {
			return err
		}
		p := logline.NewProcessor(logline.NewAnnotator(c, *all), blockingWriter{s.Out}, *summary)
		readErr, writeErr := processFiles(p, s, files, sigs)
		found := p.Summary()
		var ended error
		if outputClosed(writeErr) {
			writeErr, ended = nil, exitClosed
			fmt.Fprintf(s.Err, "errclass logs: the output was closed after about %d lines; the rest was not read\n", found.Lines)
		}
		err = errors.Join(readErr, writeErr)
		switch {
		case *summary && *out == formatJSON:
			err = errors.Join(err, writeSummaryJSON(s.Err, found))
		case *summary:
			describeSkipped(s.Err, found, len(files))
			err = errors.Join(err, writeSummary(s.Err, found))
		default:
			describeSkipped(s.Err, found, len(files))
		}
		if sig := sigs.stop(); sig != nil {
			fmt.Fprintf(s.Err, "errclass logs: ended by a signal (%s) after %d lines; the rest was not read\n", sig, found.Lines)
			if err != nil {
				fmt.Fprintf(s.Err, "errclass: %v\n", err)
			}
			return endBy(sig)
		}
		if err != nil {
			return err
		}
		return ended
	}
	return cmd
}

// processFiles sends all files through p. A file that cannot be read does not
// keep the others from it; an output that cannot be written ends it, and so does
// a signal.
func processFiles(p *logline.Processor, s Streams, names []string, sigs *interrupts) (readErr, writeErr error) {
	bar := newProgress(s, names)
	defer bar.done()
	defer sigs.finish()
	var failed []error
	for _, name := range names {
		err := processFile(p, s, name, bar, sigs)
		switch {
		case errors.Is(err, errInterrupted):
			return errors.Join(failed...), nil
		case errors.As(err, new(*logline.OutputError)):
			return errors.Join(failed...), err
		case err != nil:
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...), nil
}

func processFile(p *logline.Processor, s Streams, name string, bar *progressBar, sigs *interrupts) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := s.In
	if name != "-" {
		in = f
	}
	r, release := sigs.reader(in)
	defer release()
	err = p.Process(bar.reader(r))
	if err != nil && name == "-" && !errors.As(err, new(*logline.OutputError)) {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
}

// readsPipe reports whether name is standard input and that is a pipe.
func (s Streams) readsPipe(name string) bool {
	info, err := s.stat(name)
	return name == "-" && err == nil && isPipe(info.Mode())
}

// describeSkipped says which lines passed without having been looked at.
func describeSkipped(w io.Writer, s logline.Summary, files int) {
	where := ""
	if files > 1 {
		where = " of all files together"
	}
	if s.NotJSON > 0 {
		fmt.Fprintf(w, "errclass logs: lines that are no JSON objects, passed on as they are: %d of %d, the first is line %d%s\n",
			s.NotJSON, s.Lines, s.FirstNotJSON, where)
	}
	if s.TooLong > 0 {
		fmt.Fprintf(w, "errclass logs: lines longer than %d bytes, passed on as they are: %d of %d, the first is line %d%s\n",
			logline.MaxLine, s.TooLong, s.Lines, s.FirstTooLong, where)
	}
}

func writeSummaryJSON(w io.Writer, s logline.Summary) error {
	if s.Counts == nil {
		s.Counts = []logline.Count{}
	}
	return writeJSON(w, s)
}

func writeSummary(w io.Writer, s logline.Summary) error {
	t := newTable("", "CATEGORY", "REASON", "COUNT", "FIRST SEEN", "LAST SEEN")
	for _, c := range s.Counts {
		t.AppendRow(table.Row{c.Category, c.Reason, c.Count, moment(c.First), moment(c.Last)})
	}
	t.AppendFooter(table.Row{"errors", fmt.Sprintf("of %d lines", s.Lines), s.Classified})
	return render(w, t)
}

// moment is a time for people, to the second; "-" is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02 15:04:05Z")
}
