package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
	"github.com/errclass/errclass/internal/nonblock"
	"github.com/errclass/errclass/internal/shapes"
)

func newLogs(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logs [FILE...]",
		Short: "Add error.category and error.reason to error lines of logs",
		Long: `Logs reads lines of logs and writes them again. To lines that are errors it adds
error.category and error.reason. Without files, and for "-", it reads standard
input.

It knows the JSON of the common loggers (slog, zap, zerolog, logrus, klog; pino,
bunyan, winston; log4j2, logback, logstash, ECS; python-json-logger, structlog,
loguru; Serilog, .NET; monolog, semantic_logger; tracing; Google Cloud, Azure,
Lambda; Postgres, MongoDB, Elasticsearch; journald, Docker; OTLP), and logfmt. It
recognises them by their keys. A line of log within a message, as journald and
Docker carry it, is read too, and so are lines after what Kubernetes (CRI),
kubectl, docker compose or syslog wrote before them.

A line is an error if its level is error or above (a name, or a number on the
logger's scale: 50 in pino, 400 in monolog, PRIORITY 3 or below in journald), or
if it has an error field and no level. With --all every record is classified.
Logs classifies the error fields (error, err, exception.message, stderr, and
those of the logger, with their causes), those in groups, and then the message
(msg, message, MESSAGE, log, event). The first one with a known reason decides.
An HTTP status (status, status_code, http.response.status_code) counts too. A
line of standard error without a level counts if its text is known. --level-key,
--message-key and --error-key name keys that logs does not know; a/b is the
member b of the member a.

No line is dropped, moved or rewritten. The two fields are inserted after the
last member of the object, each only if the line does not have it yet. logfmt
gets them at the end of the line, OTLP in the attributes of each record. Lines
that are not errors, of no known shape, or longer than 16 MiB pass unchanged. A
message on standard error counts lines of the last two kinds. Of a text longer than 64 KiB
only the first and the last 32 KiB are read (192 KiB each with --rules minimal).
jq stops at a line that is not JSON; use jq -R and fromjson? to go on.

A JSON object that spans lines, as jq writes it, is one record if its first line
begins with {, if its other lines do not, and if it is at most 16 MiB long. The
rest of an object may arrive later, but at most a tenth of a second after the
part before it and a second after the first wait. Otherwise its lines pass
unchanged.

With --text, errors in text logs are annotated at the end of their first line:
klog, log4j and logback patterns, Python, nginx, Apache, syslog, Postgres, MySQL
and others with a time and a level, and stack traces of Java, Python, Go, Node,
.NET and Rust. Without --text, --summary counts them. A message and its stack
trace are one event. It ends when another line starts one, or when a pipe has no
more lines for a tenth of a second.

With --follow, logs reads one file to its end and waits for more, also when the
file is rotated or truncated. On a terminal a line of counts stands below the
log (NO_COLOR turns its colour off, --quiet turns it off).

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
  kubectl logs deploy/app | errclass logs --text
  errclass logs --follow /var/log/app.log
  errclass logs --level-key sev --error-key failure.reason app.jsonl
  errclass logs --summary yesterday.jsonl > /dev/null
  errclass logs --summary --format json app.jsonl 2> summary.json > /dev/null`,
	}
	out := addFormat(cmd, "format of --summary: a table, or one JSON object")
	rules := addRules(cmd)
	all := cmd.Flags().Bool("all", false, "classify every record, whatever its level")
	summary := cmd.Flags().Bool("summary", false, "count categories and reasons, on standard error")
	text := cmd.Flags().Bool("text", false, "annotate errors in text logs too")
	following := cmd.Flags().Bool("follow", false, "wait for more at the end of the file, also after its rotation")
	quiet := cmd.Flags().Bool("quiet", false, "no messages about skipped lines, no counts below a followed log")
	var keys shapes.Keys
	cmd.Flags().StringSliceVar(&keys.Levels, "level-key", nil, "`key` of the level, besides the known ones")
	cmd.Flags().StringSliceVar(&keys.Message, "message-key", nil, "`key` of the message, besides the known ones")
	cmd.Flags().StringSliceVar(&keys.Errors, "error-key", nil, "`key` of the error, besides the known ones")
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		if len(files) == 0 {
			files = []string{"-"}
		}
		if *following && (len(files) > 1 || files[0] == "-") {
			return usagef("--follow takes one file")
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
		var status *statusLine
		if *following && !*quiet {
			if _, err := os.Stat(files[0]); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(s.Err, "errclass logs: %s does not exist yet; waiting for it\n", printable(files[0]))
			}
			status = newStatusLine(s)
		}
		a := logline.NewAnnotatorFor(shapes.NewSet(keys), c, *all)
		p := logline.NewProcessor(a, nonblock.Writer{W: status.writer(s.Out)}, *summary || status != nil)
		if *text || *summary || status != nil {
			p.ReadTexts(*text)
		}
		var readErr, writeErr error
		if *following {
			readErr, writeErr = followFile(p, files[0], sigs, status)
			status.clear()
		} else {
			readErr, writeErr = processFiles(p, s, files, sigs)
		}
		found := p.Summary()
		var ended error
		if outputClosed(writeErr) {
			writeErr, ended = nil, exitClosed
			fmt.Fprintf(s.Err, "errclass logs: the output was closed after about %d lines; the rest was not read\n", found.Lines)
		}
		err = errors.Join(readErr, writeErr)
		skipped := s.Err
		if *quiet {
			skipped = io.Discard
		}
		switch {
		case *summary && *out == formatJSON:
			err = errors.Join(err, writeSummaryJSON(s.Err, found))
		case *summary:
			describeSkipped(skipped, found, len(files))
			err = errors.Join(err, writeSummary(s.Err, found))
		default:
			describeSkipped(skipped, found, len(files))
		}
		if sig := sigs.stop(); sig != nil {
			if *following { // following always ends with a signal
				return errors.Join(err, endBy(sig))
			}
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

// followFile processes a file with p until a signal arrives or writing fails.
func followFile(p *logline.Processor, name string, sigs *interrupts, status *statusLine) (readErr, writeErr error) {
	defer sigs.finish()
	f, err := follow(name, sigs.ctx.Done(), func() { status.draw(name, p.Summary()) })
	if err == nil {
		defer f.Close()
		err = p.Process(f)
	}
	switch {
	case errors.Is(err, errInterrupted):
		return nil, nil
	case errors.As(err, new(*logline.OutputError)):
		return nil, err
	default:
		return err, nil
	}
}

// processFiles processes all files. If it cannot read a file, it goes on with the next.
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
	in := s.In
	if name != "-" {
		f, err := openUntil(sigs.ctx.Done(), name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	r, release := sigs.reader(in)
	defer release()
	p.Waits(!s.readsFile(name))
	err := p.Process(bar.reader(r))
	if err != nil && name == "-" && !errors.As(err, new(*logline.OutputError)) {
		return fmt.Errorf("standard input: %w", err)
	}
	return err
}

// readsPipe reports whether an input is standard input and a pipe.
func (s Streams) readsPipe(name string) bool {
	info, err := s.stat(name)
	return name == "-" && err == nil && isPipe(info.Mode())
}

// readsFile reports whether an input is a regular file. The name "-" means standard
// input.
func (s Streams) readsFile(name string) bool {
	info, err := s.stat(name)
	return err == nil && info.Mode().IsRegular()
}

// describeSkipped writes how many lines were passed on unchanged, and why.
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

// moment formats a time to the second. For the zero time it returns "-".
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02 15:04:05Z")
}
