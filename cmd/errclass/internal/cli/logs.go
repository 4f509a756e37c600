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
is; how many lines were not looked at is said on standard error. jq stops at a
line that is no JSON, unless it reads with -R and fromjson?.`,
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
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		if len(files) == 0 {
			files = []string{"-"}
		}
		p := logline.NewProcessor(logline.NewAnnotator(c, *all), s.Out, *summary)
		readErr, writeErr := processFiles(p, s, files)
		found := p.Summary()
		if outputClosed(writeErr) {
			writeErr = nil // as under head, which has read what it wants
			fmt.Fprintf(s.Err, "errclass logs: the output was closed after about %d lines; the rest was not read\n", found.Lines)
		}
		err = errors.Join(readErr, writeErr)
		if *summary && *out == formatJSON {
			return errors.Join(err, writeSummaryJSON(s.Err, found))
		}
		describeSkipped(s.Err, found, len(files))
		if *summary {
			return errors.Join(err, writeSummary(s.Err, found))
		}
		return err
	}
	return cmd
}

// processFiles sends all files through p. A file that cannot be read does not
// keep the others from it; an output that cannot be written ends it.
func processFiles(p *logline.Processor, s Streams, names []string) (readErr, writeErr error) {
	bar := newProgress(s, names)
	defer bar.done()
	var failed []error
	for _, name := range names {
		err := processFile(p, s, name, bar)
		if errors.As(err, new(*logline.OutputError)) {
			return errors.Join(failed...), err
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...), nil
}

func processFile(p *logline.Processor, s Streams, name string, bar *progressBar) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = p.Process(bar.reader(f))
	if err != nil && name == "-" && !errors.As(err, new(*logline.OutputError)) {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
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
