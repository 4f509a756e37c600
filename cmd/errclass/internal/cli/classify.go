package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
	"github.com/errclass/errclass/internal/jsontop"
	"github.com/errclass/errclass/internal/nonblock"
	"github.com/errclass/errclass/internal/shapes"
)

// maxMessage is the maximum length of an input line, in bytes.
const maxMessage = 64 << 20

func newClassify(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "classify [MESSAGE...]",
		Short: "Classify messages, given as arguments or one per line",
		Long: `Classify prints the category and the reason of each message.

Without arguments it reads messages from standard input, one per line. A blank
line is a message too. Of a JSON object with a string under "message" (or
"msg"), that string is the message, and "id" is copied to the output unchanged.
Its other fields are ignored: use errclass logs for JSON logs. An object that
spans lines is one message, as for errclass logs.

Text output has the category, the reason and the rule that decided, separated
by tabs. If the message names a time to wait, that follows. JSON output has one
object per line with the keys id (if the input has one), category, reason,
rule, confidence (from 0 to 1), status (0 if unknown) and retry_after_ms (if
the message names a time to wait).

If no rule matches a message, or only a weak one, a model that was trained on
labelled messages may answer: then the rule is "model". The option --no-model
leaves the model out.

With --errors-only, lines of logs whose level is below error are skipped, as
errclass logs knows levels. Lines without a level are classified.

Signals, a closed output, and an input that is also the output are handled as
by errclass logs: a pipe is read to its end.`,
		Example: `  errclass classify 'HTTP 429: rate limit exceeded' 'ECONNRESET'
  grep -i error app.log | errclass classify | sort | uniq -c
  errclass classify --errors-only < app.log | sort | uniq -c
  errclass classify --format json --rules-only my.yaml < messages.jsonl`,
	}
	out := addFormat(cmd, "text, or one JSON object per line")
	rules := addRules(cmd)
	errorsOnly := cmd.Flags().Bool("errors-only", false, "skip lines of standard input whose level is below error")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		p := &resultPrinter{out: bufio.NewWriterSize(nonblock.Writer{W: s.Out}, 64<<10), json: *out == formatJSON}
		if len(args) > 0 {
			for _, message := range args {
				p.print(nil, c.Message(message))
			}
			return p.out.Flush()
		}
		if err := refuseOwnOutput(s, []string{"-"}); err != nil {
			return err
		}
		sigs := notifyInterrupts("classify", s.Err, s.readsPipe("-"))
		defer sigs.stop()
		in, release := sigs.reader(s.In)
		defer release()
		skip := func([]byte) bool { return false }
		if *errorsOnly {
			levels := shapes.NewReader(nil)
			skip = func(line []byte) bool { return levels.LineSeverity(line) == shapes.Below }
		}
		err = classifyLines(c, s, in, p, skip)
		sigs.finish()
		sig := sigs.stop()
		switch {
		case outputClosed(err):
			fmt.Fprintln(s.Err, "errclass classify: the output was closed; the rest of the input was not read")
			return exitClosed
		case sig != nil && errors.Is(err, errInterrupted):
			fmt.Fprintf(s.Err, "errclass classify: ended by a signal (%s); the rest of the input was not read\n", sig)
			return endBy(sig)
		}
		return err
	}
	return cmd
}

// classifyLines classifies the lines of r, without those that the function skip
// selects. It writes all results before it waits for more input.
func classifyLines(c *classify.Classifier, s Streams, r io.Reader, p *resultPrinter, skip func(line []byte) bool) error {
	in := lines.NewReader(r, maxMessage, p.out.Flush)
	if waiter, ok := r.(logline.Waiter); ok {
		in.JoinObjects(func(d time.Duration) bool {
			_ = p.out.Flush() // the next write returns its error
			return waiter.Wait(d)
		})
	} else {
		in.JoinObjects(nil)
	}
	inLong := false
	for number := 1; ; {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return p.out.Flush()
		}
		if err != nil {
			flushErr := p.out.Flush()
			if flushErr != nil && errors.Is(err, flushErr) { // the flush in Next failed
				return flushErr
			}
			return errors.Join(fmt.Errorf("standard input: %w", err), flushErr)
		}
		if !inLong {
			if !skip(line.Text()) {
				message, id := lineMessage(line.Text())
				p.print(id, c.Message(message))
			}
			if line.Piece {
				fmt.Fprintf(s.Err, "errclass classify: line %d is longer than %d bytes; the rest of it was not read\n", number, maxMessage)
			}
		}
		inLong = line.Piece && !line.Last
		number += line.Count
	}
}

// lineMessage returns the message of a line. For a JSON object, it also returns the
// id.
func lineMessage(line []byte) (message string, id []byte) {
	line = bytes.TrimPrefix(line, []byte(lines.BOM))
	var values [2][]byte // undecoded; if a key occurs twice, its last value
	_, ok := jsontop.Object(line, func(key, value []byte) {
		switch string(key) {
		case "message":
			values[0] = value
		case "msg":
			values[1] = value
		case "id":
			id = value
		}
	})
	for _, v := range values {
		if text, isText := jsontop.Text(v); ok && isText {
			return text, id
		}
	}
	return string(line), nil
}

// resultPrinter writes one line for each result. Only out.Flush returns errors.
type resultPrinter struct {
	out  *bufio.Writer
	json bool
	line []byte
}

func (p *resultPrinter) print(id []byte, r classify.Result) {
	if p.json {
		p.line = appendResultJSON(p.line[:0], id, r)
	} else {
		p.line = fmt.Appendf(p.line[:0], "%s\t%s\t%s", r.Category, r.Reason, printable(r.Rule))
		if r.HasRetryAfter {
			p.line = fmt.Appendf(p.line, "\tretry after %s", r.RetryAfter)
		}
	}
	p.line = append(p.line, '\n')
	p.out.Write(p.line)
}

// appendResultJSON appends a result as JSON. Unlike encoding/json, it keeps the id
// unchanged.
func appendResultJSON(b, id []byte, r classify.Result) []byte {
	b = append(b, '{')
	if id != nil {
		b = append(b, `"id":`...)
		for _, c := range id { // a result is one line, but an id may span lines
			if c == '\n' || c == '\r' {
				c = ' '
			}
			b = append(b, c)
		}
		b = append(b, ',')
	}
	b = fmt.Appendf(b, `"category":%s,"reason":%s,"rule":%s`, quoted(string(r.Category)), quoted(string(r.Reason)), quoted(r.Rule))
	if r.Confidence > 0 {
		b = fmt.Appendf(b, `,"confidence":%g`, r.Confidence)
	}
	b = fmt.Appendf(b, `,"status":%d`, r.Status)
	if r.HasRetryAfter {
		b = fmt.Appendf(b, `,"retry_after_ms":%d`, milliseconds(r.RetryAfter))
	}
	return append(b, '}')
}

// milliseconds returns d in milliseconds, rounded up.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}
