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
	"github.com/errclass/errclass/cmd/errclass/internal/jsontop"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// maxMessage is how much of one line of input is classified.
const maxMessage = 64 << 20

func newClassify(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "classify [MESSAGE...]",
		Short: "Classify messages, given as arguments or one a line",
		Long: `Classify says for each message what to do next and why.

Without arguments messages are read from standard input, one a line; a blank
line is a message too. A line that is a JSON object with a text under "message"
(or "msg") stands for that message, and its "id" comes out again as it went in.
Its other fields are not read: logs of JSON are for errclass logs.

Text output has the category, the reason and the rule that decided, separated
by tabs, and the wait that the message asks for, if any. JSON output is one
object a line, with the keys id (where there is one), category, reason, rule,
status (0 where none is known) and retry_after_ms (where there is a hint).

Signals, a closed output, and an input that is also the output are as with
errclass logs: a pipe is read to its end.`,
		Example: `  errclass classify 'HTTP 429: rate limit exceeded' 'ECONNRESET'
  grep -i error app.log | errclass classify | sort | uniq -c
  errclass classify --format json --rules-only my.yaml < messages.jsonl`,
	}
	out := addFormat(cmd, "text, or one JSON object a line")
	rules := addRules(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		p := &resultPrinter{out: bufio.NewWriterSize(patientWriter{s.Out}, 64<<10), json: *out == formatJSON}
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
		err = classifyLines(c, s, in, p)
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

// classifyLines classifies an input line by line. Results are written at the
// latest before it waits for more.
func classifyLines(c *classify.Classifier, s Streams, r io.Reader, p *resultPrinter) error {
	in := lines.NewReader(r, maxMessage, p.out.Flush)
	inLong := false
	for number := 1; ; {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return p.out.Flush()
		}
		if err != nil {
			flushErr := p.out.Flush()
			if flushErr != nil && errors.Is(err, flushErr) { // Next flushes before it waits
				return flushErr
			}
			return errors.Join(fmt.Errorf("standard input: %w", err), flushErr)
		}
		if !inLong {
			message, id := lineMessage(line.Text())
			p.print(id, c.Message(message))
			if line.Piece {
				fmt.Fprintf(s.Err, "errclass classify: line %d is longer than %d bytes; the rest of it was not looked at\n", number, maxMessage)
			}
		}
		inLong = line.Piece && !line.Last
		if !inLong {
			number++
		}
	}
}

// lineMessage is the message that a line stands for, with its undecoded id.
func lineMessage(line []byte) (message string, id []byte) {
	line = bytes.TrimPrefix(line, []byte(lines.BOM))
	var values [2][]byte // decoded after the last one is found, as a key may stand often
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

// resultPrinter writes results, a line each. Errors stay in its writer.
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

// appendResultJSON writes by hand what encoding/json would not: an id exactly
// as it came in.
func appendResultJSON(b, id []byte, r classify.Result) []byte {
	b = append(b, '{')
	if id != nil {
		b = append(append(append(b, `"id":`...), id...), ',')
	}
	b = fmt.Appendf(b, `"category":%s,"reason":%s,"rule":%s,"status":%d`,
		quoted(string(r.Category)), quoted(string(r.Reason)), quoted(r.Rule), r.Status)
	if r.HasRetryAfter {
		b = fmt.Appendf(b, `,"retry_after_ms":%d`, milliseconds(r.RetryAfter))
	}
	return append(b, '}')
}

// milliseconds rounds up: who waits that long has waited long enough.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}
