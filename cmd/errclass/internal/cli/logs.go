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
		Long: `Logs reads lines of JSON and writes them again. To lines that are errors it adds
error.category and error.reason. Without files, and for "-", it reads standard
input.

A line is an error if its level, severity or lvl is error or above (a name, or
50 and above as in pino), if its PRIORITY is 3 or below (journalctl -o json), or
if it has an error field and no level. With --all every JSON object is
classified. Logs classifies the error fields (error, err, exception.message,
stderr) and then the message (msg, message, MESSAGE, log, event). The first one
with a known reason decides. An HTTP status (status, status_code,
http.response.status_code) counts too.

No line is dropped, moved or rewritten. The two fields are inserted before the
closing brace, each only if the line does not have it yet. Lines that are not
errors, not JSON objects, or longer than 16 MiB pass unchanged. A message on
standard error counts lines of the last two kinds. Of a text longer than 64 KiB
only the first and the last 32 KiB are read (192 KiB each with --rules minimal).
jq stops at a line that is not JSON; use jq -R and fromjson? to go on.

Signals: Ctrl-C and SIGTERM reach every program of a pipeline, but the program
that logs may still write its last lines. So while logs reads a pipe, Ctrl-C does
nothing (as with tee -i). After SIGTERM, SIGHUP or SIGQUIT (Ctrl-\) it reads on
until the program that logs ends. It stops earlier after 30 seconds without
input, or at a second SIGTERM or SIGQUIT at least one second after the first. A
file or a terminal is read until the first signal. When a signal stops the
reading, all lines read so far are written and counted in --summary, and the
exit code is that of the signal (130, 131 or 143 in a shell).

If the output is closed, as by head, logs ends with a message and exit code 141,
like a program that SIGPIPE ended. If writing fails (a full disk), it ends with
the error and exit code 1. It refuses an input that is also the output.`,
		Example: `  app 2>&1 | errclass logs >> app.jsonl
  app 2>&1 | errclass logs | jq -cR 'fromjson? | select(."error.category" == "fatal")'
  journalctl -o json -f | errclass logs
  errclass logs --summary yesterday.jsonl > /dev/null
  errclass logs --summary --format json app.jsonl 2> summary.json > /dev/null`,
	}
	out := addFormat(cmd, "format of --summary: a table, or one JSON object")
	rules := addRules(cmd)
	all := cmd.Flags().Bool("all", false, "classify every JSON object, whatever its level")
	summary := cmd.Flags().Bool("summary", false, "count categories and reasons, on standard error")
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		if len(files) == 0 {
			files = []string{"-"}
		}
		sigs := notifyInterrupts("logs", s.Err, s.readsPipe(files[0]))
		defer sigs.stop()
		if err := refuseOwnOutput(s, files); err != nil {
			return err
		}
		c, err := rules.classifier() // may take seconds
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

// processFiles sends all files through p. After a file that cannot be read it
// continues with the next one. It stops after a signal or a failure to write.
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

// readsPipe reports whether name is standard input and standard input is a pipe.
func (s Streams) readsPipe(name string) bool {
	info, err := s.stat(name)
	return name == "-" && err == nil && isPipe(info.Mode())
}

// describeSkipped writes how many lines were passed on unchanged because they are
// too long or not JSON.
func describeSkipped(w io.Writer, s logline.Summary, files int) {
	where := ""
	if files > 1 {
		where = " of all files together"
	}
	if s.NotJSON > 0 {
		fmt.Fprintf(w, "errclass logs: lines that are not JSON objects, passed on unchanged: %d of %d, the first is line %d%s\n",
			s.NotJSON, s.Lines, s.FirstNotJSON, where)
	}
	if s.TooLong > 0 {
		fmt.Fprintf(w, "errclass logs: lines longer than %d bytes, passed on unchanged: %d of %d, the first is line %d%s\n",
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

// moment formats a time to the second, and the zero time as "-".
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02 15:04:05Z")
}
