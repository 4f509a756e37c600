package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
	"github.com/errclass/errclass/internal/outcome"
)

func newExplain(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [MESSAGE]",
		Short: "Show which rule decided about a message, and why",
		Long: `Explain lists every rule that matches a message. For each rule it shows the
bytes that it matches, its strength and its outcome. One rule decides. The
others lost because another rule rules them out, is stronger, has a more
specific reason, or comes first. The strengths are, from the weakest: word,
phrase, code, cause and user. The output ends with what the model says: its two
likeliest reasons, and the words that speak most for the first. The model
decides only if no rule does, or only one of the strength word or phrase. It also
has to be sure enough and to know enough words of the message.

Several arguments are joined with spaces to one message. Without arguments, all
of standard input is the message. On a terminal, the bytes that decided are
coloured and the other matches are underlined. NO_COLOR switches colours off.

Of a long message only the beginning and the end are read. The output then says
how much was not read. The last line is the address of a page about the reason:
what it means, what to check first, and what not to do.`,
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
			return writeJSON(s.Out, explanationJSON(x))
		}
		w := bufio.NewWriter(s.Out)
		if err := writeExplanation(w, message, x, isTerminal(s.Out) && colours()); err != nil {
			return err
		}
		return w.Flush()
	}
	return cmd
}

// oneMessage returns the arguments, joined with spaces. Without arguments, it returns
// standard input without the last line end.
func oneMessage(s Streams, args []string) (string, error) {
	if len(args) > 0 {
		return strings.Join(args, " "), nil
	}
	if isTerminal(s.In) {
		return "", usagef("no message: pass one as an argument or on standard input")
	}
	data, err := io.ReadAll(io.LimitReader(s.In, maxMessage+1))
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	if len(data) > maxMessage {
		return "", fmt.Errorf("standard input: longer than %d bytes; pass only its last lines", maxMessage)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// signalLine is the JSON form of a [classify.Signal].
type signalLine struct {
	Rule     string            `json:"rule"`
	Reason   classify.Reason   `json:"reason"`
	Category classify.Category `json:"category"`
	Strength string            `json:"strength"`
	Source   string            `json:"source"`
	Start    int               `json:"start"` // in bytes; -1 if the signal is not from text
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
	Confidence   float64           `json:"confidence,omitempty"`
	Status       int               `json:"status"`
	RetryAfterMS *int64            `json:"retry_after_ms,omitempty"`
	RunbookURL   string            `json:"runbook_url"`
	Signals      []signalLine      `json:"signals"`
	Model        *modelLine        `json:"model,omitempty"`
	Omitted      []omissionLine    `json:"omitted,omitempty"`
}

// modelLine is the JSON form of a [classify.Model].
type modelLine struct {
	Reason              classify.Reason `json:"reason"`
	Probability         float64         `json:"probability"`
	Words               []wordLine      `json:"words"`
	RunnerUp            classify.Reason `json:"runner_up"`
	RunnerUpProbability float64         `json:"runner_up_probability"`
}

// wordLine is the JSON form of a [classify.ModelWord].
type wordLine struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight"`
}

// omissionLine is the JSON form of a [classify.Omission].
type omissionLine struct {
	Source string `json:"source"`
	Unit   string `json:"unit"`
	Amount int    `json:"amount"`
}

func explanationJSON(x classify.Explanation) explanationLine {
	e := explanationLine{
		Category: x.Result.Category, Reason: x.Result.Reason, Rule: x.Result.Rule, Confidence: x.Result.Confidence, Status: x.Result.Status,
		RunbookURL: runbook.URL(x.Result.Reason), Signals: signalLines(x.Signals),
	}
	if x.Result.HasRetryAfter {
		ms := milliseconds(x.Result.RetryAfter)
		e.RetryAfterMS = &ms
	}
	if m := x.Model; m != nil {
		e.Model = &modelLine{
			Reason: m.Reason, Probability: rounded(m.Probability), Words: []wordLine{},
			RunnerUp: m.RunnerUp, RunnerUpProbability: rounded(m.RunnerUpProbability),
		}
		for _, word := range m.Words {
			e.Model.Words = append(e.Model.Words, wordLine{word.Text, rounded(word.Weight)})
		}
	}
	for _, out := range x.Omitted {
		e.Omitted = append(e.Omitted, omissionLine(out))
	}
	return e
}

// rounded returns x rounded to three decimals.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

func signalLines(signals []classify.Signal) []signalLine {
	lines := make([]signalLine, len(signals))
	for i, sig := range signals {
		lines[i] = signalLine(sig)
	}
	return lines
}

// writeExplanation writes the result, the matched text and all signals. It also writes
// the address of the page that says what to do about an error with this reason.
func writeExplanation(w io.Writer, message string, x classify.Explanation, colour bool) error {
	r := x.Result
	fmt.Fprintf(w, "%s / %s, decided by %s", paint(colour, categoryColours[r.Category], string(r.Category)), r.Reason, printable(r.Rule))
	if r.Confidence > 0 {
		fmt.Fprintf(w, ", confidence %.2f", r.Confidence)
	}
	fmt.Fprintln(w)
	if r.HasRetryAfter {
		fmt.Fprintf(w, "retry after %s\n", r.RetryAfter)
	}
	if err := writeSignals(w, message, x.Signals, colour); err != nil {
		return err
	}
	if x.Model != nil {
		fmt.Fprintf(w, "\nmodel: %s\n", modelText(x.Model))
	}
	for _, out := range x.Omitted {
		fmt.Fprintf(w, "\nnot read: %d %s of the %s\n", out.Amount, out.Unit, out.Source)
	}
	_, err := fmt.Fprintf(w, "\nwhat to do: %s\n", runbook.URL(r.Reason))
	return err
}

// modelText returns the model's answer in one line.
func modelText(m *classify.Model) string {
	said := fmt.Sprintf("%s %.2f, then %s %.2f", m.Reason, m.Probability, m.RunnerUp, m.RunnerUpProbability)
	for i, word := range m.Words {
		separator := ", "
		if i == 0 {
			separator = "; words: "
		}
		said += fmt.Sprintf("%s%s %+.2f", separator, printable(word.Text), word.Weight)
	}
	return said
}

// writeSignals writes the message with its matched text, and a table of all signals.
func writeSignals(w io.Writer, message string, signals []classify.Signal, colour bool) error {
	if len(signals) == 0 {
		_, err := fmt.Fprintln(w, "no rule matches")
		return err
	}
	if s := signals[0]; s.Decided && s.Start >= 0 {
		fmt.Fprintf(w, "\n  %s\n\n", marked(message, signals, colour))
	}
	t := newTable("", "RULE", "REASON", "STRENGTH", "BYTES", "MATCHED", "OUTCOME")
	for _, s := range signals {
		bytes := "-"
		if s.Start >= 0 {
			bytes = fmt.Sprintf("%d-%d", s.Start, s.End)
		}
		t.AppendRow(table.Row{printable(s.Rule), orDash(string(s.Reason)), orDash(s.Strength), bytes, shortened(s.Text), outcomeOf(s, signals, colour)})
	}
	return render(w, t)
}

// outcomeOf says whether a signal decided the result, or why it did not.
func outcomeOf(s classify.Signal, all []classify.Signal, colour bool) string {
	said := printable(outcome.Of(s, all))
	return paint(colour && s.Decided, text.Colors{text.Bold}, said)
}

// meaning returns the strength and the reason of a signal.
func meaning(s classify.Signal) string {
	return strings.TrimSpace(s.Strength + " " + string(s.Reason))
}

const (
	shownAround = 120 // bytes of the message shown before a match, and after it
	shownMatch  = 40  // characters of a match shown in the table
)

// marked returns the text that the deciding rule matched, within the surrounding
// message. It marks the text with colours or, without colour, with » and «.
func marked(message string, signals []classify.Signal, colour bool) string {
	start, end := signals[0].Start, signals[0].End
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
	b.WriteString(underlined(message, from, start, signals, colour))
	if match := printable(message[start:end]); colour {
		b.WriteString(paint(true, text.Colors{text.Bold, text.FgHiYellow}, match))
	} else {
		b.WriteString("»" + match + "«")
	}
	b.WriteString(underlined(message, end, to, signals, colour))
	if to < len(message) {
		b.WriteString("…")
	}
	return b.String()
}

// underlined returns message[start:end] with underlined matches.
func underlined(message string, start, end int, signals []classify.Signal, colour bool) string {
	if !colour {
		return printable(message[start:end])
	}
	var b strings.Builder
	for start < end {
		// message[start:next] is inside a match if found is true, and otherwise
		// outside all matches.
		next, found := end, false
		for _, s := range signals[1:] {
			switch {
			case s.Start < 0:
			case s.Start <= start && start < s.End:
				if !found || s.End > next {
					next = min(s.End, end)
				}
				found = true
			case start < s.Start && s.Start < next && !found:
				next = s.Start
			}
		}
		part := printable(message[start:next])
		b.WriteString(paint(found, text.Colors{text.Underline}, part))
		start = next
	}
	return b.String()
}

// shortened returns the beginning of a match, for a cell of a table.
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

// colours reports whether the output has colours. NO_COLOR and TERM can prevent that.
func colours() bool { return text.Bold.Sprint("x") != "x" }

// paint returns s in the colours c. If colour is false, it returns s unchanged.
func paint(colour bool, c text.Colors, s string) string {
	if !colour {
		return s
	}
	return c.Sprint(s)
}
