package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
)

func newExplain(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [MESSAGE]",
		Short: "Show what decided about a message, and what it beat",
		Long: `Explain shows every rule that matches a message, the bytes that it matches,
which one decided and why the others did not. Several arguments are one message,
joined by spaces; without one, all of standard input is the message.`,
		Example: `  errclass explain 'HTTP 429: insufficient_quota'
  make 2>&1 | errclass explain --format json`,
	}
	out := addFormat(cmd, "a table, or one JSON object")
	rules := addRules(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		message, err := oneMessage(s, args)
		if err != nil {
			return err
		}
		x := c.Explain(classify.Evidence{Message: message})
		if message == "" {
			x.Result = c.Message("")
		}
		if *out == formatJSON {
			return writeJSON(s.Out, explanationJSON(message, x))
		}
		w := bufio.NewWriter(s.Out)
		if err := writeExplanation(w, message, x, isTerminal(s.Out)); err != nil {
			return err
		}
		return w.Flush()
	}
	return cmd
}

// oneMessage is the arguments, or standard input without its last line end.
func oneMessage(s Streams, args []string) (string, error) {
	if len(args) > 0 {
		return strings.Join(args, " "), nil
	}
	if isTerminal(s.In) {
		return "", usagef("no message: give one as argument or on standard input")
	}
	data, err := io.ReadAll(io.LimitReader(s.In, maxMessage+1))
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	if len(data) > maxMessage {
		return "", fmt.Errorf("standard input: longer than %d bytes; give its last lines", maxMessage)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// signalLine is one signal as JSON.
type signalLine struct {
	Rule     string            `json:"rule"`
	Reason   classify.Reason   `json:"reason"`
	Category classify.Category `json:"category"`
	Strength string            `json:"strength"`
	Source   string            `json:"source"`
	Start    int               `json:"start"` // bytes; -1 where no text matched
	End      int               `json:"end"`
	Text     string            `json:"text"`
	Decided  bool              `json:"decided"`
	VetoedBy string            `json:"vetoed_by,omitempty"`
	BeatenBy string            `json:"beaten_by,omitempty"`
}

type explanationLine struct {
	Category     classify.Category `json:"category"`
	Reason       classify.Reason   `json:"reason"`
	Rule         string            `json:"rule"`
	Status       int               `json:"status"`
	RetryAfterMS *int64            `json:"retry_after_ms,omitempty"`
	Signals      []signalLine      `json:"signals"`
}

func explanationJSON(message string, x classify.Explanation) explanationLine {
	e := explanationLine{
		Category: x.Result.Category, Reason: x.Result.Reason, Rule: x.Result.Rule, Status: x.Result.Status,
		Signals: make([]signalLine, len(x.Signals)),
	}
	if x.Result.HasRetryAfter {
		ms := milliseconds(x.Result.RetryAfter)
		e.RetryAfterMS = &ms
	}
	for i, sig := range x.Signals {
		e.Signals[i] = signalLine{
			Rule: sig.Rule, Reason: sig.Reason, Category: sig.Category, Strength: sig.Strength, Source: sig.Source,
			Start: sig.Start, End: sig.End, Text: matched(message, sig), Decided: sig.Decided, VetoedBy: sig.VetoedBy, BeatenBy: sig.BeatenBy,
		}
	}
	return e
}

// matched is the part of the message that a signal was found in.
func matched(message string, s classify.Signal) string {
	if s.Start < 0 || s.End > len(message) {
		return ""
	}
	return message[s.Start:s.End]
}

// writeExplanation writes the result, the message with the deciding bytes
// marked, and a table of all that matched.
func writeExplanation(w io.Writer, message string, x classify.Explanation, colour bool) error {
	r := x.Result
	fmt.Fprintf(w, "%s / %s, decided by %s\n", paint(colour, categoryColours[r.Category], string(r.Category)), r.Reason, printable(r.Rule))
	if r.HasRetryAfter {
		fmt.Fprintf(w, "retry after %s\n", r.RetryAfter)
	}
	if len(x.Signals) == 0 {
		_, err := fmt.Fprintln(w, "no rule matches")
		return err
	}
	if s := x.Signals[0]; s.Decided && s.Start >= 0 {
		fmt.Fprintf(w, "\n  %s\n\n", marked(message, s.Start, s.End, colour))
	}
	t := newTable("", "RULE", "REASON", "STRENGTH", "BYTES", "MATCHED", "OUTCOME")
	for _, s := range x.Signals {
		bytes := "-"
		if s.Start >= 0 {
			bytes = fmt.Sprintf("%d-%d", s.Start, s.End)
		}
		t.AppendRow(table.Row{printable(s.Rule), orDash(string(s.Reason)), orDash(s.Strength), bytes, shortened(matched(message, s)), outcome(s, colour)})
	}
	return render(w, t)
}

func outcome(s classify.Signal, colour bool) string {
	switch {
	case s.Decided:
		return paint(colour, text.Colors{text.Bold}, "decided")
	case s.VetoedBy != "":
		return "ruled out by " + printable(s.VetoedBy)
	case s.BeatenBy != "":
		return "beaten by " + printable(s.BeatenBy)
	case s.Reason == "":
		return "has no reason of its own"
	default:
		return "-"
	}
}

// How much of a message is shown around the bytes that decided, and of a match
// in the table.
const (
	shownAround = 120
	shownMatch  = 40
)

// marked is the message around the bytes from start to end, which are coloured
// or, where there are no colours, put between » and «.
func marked(message string, start, end int, colour bool) string {
	from, to := max(0, start-shownAround), min(len(message), end+shownAround)
	for from < start && !utf8.RuneStart(message[from]) {
		from++
	}
	for to < len(message) && to > end && !utf8.RuneStart(message[to]) {
		to--
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	b.WriteString(printable(message[from:start]))
	if match := printable(message[start:end]); colour {
		b.WriteString(paint(true, text.Colors{text.Bold, text.FgHiYellow}, match))
	} else {
		b.WriteString("»" + match + "«")
	}
	b.WriteString(printable(message[end:to]))
	if to < len(message) {
		b.WriteString("…")
	}
	return b.String()
}

// shortened is the beginning of a match, fit for a cell of a table.
func shortened(match string) string {
	if len(match) == 0 {
		return "-"
	}
	runes := []rune(printable(match))
	if len(runes) <= shownMatch {
		return string(runes)
	}
	return string(runes[:shownMatch]) + "…"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

var categoryColours = map[classify.Category]text.Colors{
	classify.CategoryRetryable:       {text.Bold, text.FgGreen},
	classify.CategoryContextOverflow: {text.Bold, text.FgYellow},
	classify.CategoryTimeout:         {text.Bold, text.FgYellow},
	classify.CategoryAborted:         {text.Bold, text.FgCyan},
	classify.CategoryFatal:           {text.Bold, text.FgRed},
}

// paint colours s on a terminal; NO_COLOR and TERM=dumb are go-pretty's to see.
func paint(colour bool, c text.Colors, s string) string {
	if !colour {
		return s
	}
	return c.Sprint(s)
}
