package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func newEval(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval CORPUS.jsonl",
		Short: "Measure the rules against labelled messages",
		Long: `Eval classifies the messages of a corpus and compares with its labels.

A corpus has one JSON object a line: id, message, category and reason, and where
it is known kind (the family), accept (further reasons that count as right) and
accept_category (further categories). Other keys are passed over.

A false retry is called retryable and is not; a missed retry is retryable and
was called something else. Macro-F1 is the mean of F1 over the categories that
occur. Families are the entries of one kind whose ids begin alike; deciding
rules are those whose ids begin alike, and the entries that they decided.

--errors shows every miss in full: the message, what it should get and got, the
rule that decided and the signals that stood against it; --errors N the first N.

--split K/N takes the entries where the first byte of the SHA-256 of the id is K
modulo N, so that rules can be written on one part and measured on another. An
entry stays in its part whatever else the corpus holds.

Exit code 1 says that a threshold was missed, or that the corpus is faulty.`,
		Example: `  errclass eval corpus.jsonl --min-category 98 --min-f1 97 --min-reason 95 --max-false-retries 1%
  errclass eval corpus.jsonl --split 0/3 --errors --rules my.yaml
  errclass eval corpus.jsonl --format json | jq .misses`,
	}
	out := addFormat(cmd, "tables, or one JSON object")
	rules := addRules(cmd)
	var part split
	var limits thresholds
	shown := missLimit(-1)
	cmd.Flags().Var(&shown, "errors", "show all misses in full, or the first N")
	cmd.Flags().Lookup("errors").NoOptDefVal = "-1"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		_, _, err := shown.split(cmd, args)
		return err
	}
	limits.falseRetries = anyNumber
	cmd.Flags().Var(&part, "split", "evaluate part K of N, K from 0")
	cmd.Flags().Var(&limits.category, "min-category", "exit 1 if the accuracy of categories is below")
	cmd.Flags().Var(&limits.reason, "min-reason", "exit 1 if the accuracy of reasons is below")
	cmd.Flags().Var(&limits.f1, "min-f1", "exit 1 if macro-F1 is below")
	cmd.Flags().Var(&limits.falseRetries, "max-false-retries", "exit 1 if there are more false retries: a number, or a percentage of the entries")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, misses, err := shown.split(cmd, args)
		if err != nil {
			return err
		}
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		entries, err := readCorpus(s, name, part)
		if err != nil {
			return err
		}
		r := eval.Evaluate(entries, c)
		all := len(r.Misses)
		if misses >= 0 && misses < all {
			r.Misses = r.Misses[:misses]
		}
		if *out == formatJSON {
			err = writeJSON(s.Out, reportJSON(r))
		} else {
			w := bufio.NewWriter(s.Out)
			err = errors.Join(writeReport(w, r, all, cmd.Flags().Changed("errors")), w.Flush())
		}
		if err != nil && !outputClosed(err) {
			return err
		}
		return limits.check(r) // the verdict stands whoever reads the report
	}
	return cmd
}

func readCorpus(s Streams, name string, part split) ([]eval.Entry, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := eval.Read(f, name)
	if err != nil {
		return nil, err
	}
	entries := all[:0]
	for _, e := range all {
		if part.n == 0 || e.In(part.k, part.n) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: no entries to evaluate", name)
	}
	return entries, nil
}

// split is the value of --split; the zero split is the whole corpus.
type split struct{ k, n int }

func (p *split) String() string {
	if p.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.k, p.n)
}

func (p *split) Type() string { return "K/N" }

// Set takes K/N with 0 ≤ K < N ≤ 256: one byte decides.
func (p *split) Set(value string) error {
	first, second, ok := strings.Cut(value, "/")
	k, kErr := strconv.Atoi(first)
	n, nErr := strconv.Atoi(second)
	if !ok || kErr != nil || nErr != nil || k < 0 || k >= n || n > 256 {
		return errors.New("use K/N with K from 0 to N-1 and N up to 256, such as 0/2")
	}
	p.k, p.n = k, n
	return nil
}

// minimum is a share that must be reached; the zero minimum always is.
type minimum float64

func (m *minimum) String() string { return strconv.FormatFloat(float64(*m), 'g', -1, 64) }

func (m *minimum) Type() string { return "P" }

// Set takes a share from 0 to 1, or a percentage, whose sign may be left out
// above 1.
func (m *minimum) Set(value string) error {
	number, isPercent := strings.CutSuffix(value, "%")
	p, err := strconv.ParseFloat(number, 64)
	if isPercent || p > 1 {
		p /= 100
	}
	if err != nil || !(p >= 0 && p <= 1) {
		return errors.New("use a share from 0 to 1, such as 0.95, or a percentage up to 100, such as 95")
	}
	*m = minimum(p)
	return nil
}

// missLimit is the value of --errors: how many misses to show, below 0 all.
type missLimit int

func (m *missLimit) String() string { return strconv.Itoa(int(*m)) }

func (m *missLimit) Type() string { return "N" }

func (m *missLimit) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return errors.New("use a number, such as 20")
	}
	*m = missLimit(n)
	return nil
}

// split tells the corpus from the number of --errors N, which arrives as an
// argument: a value that may be left out is taken for one only behind a "=".
func (m missLimit) split(cmd *cobra.Command, args []string) (corpus string, misses int, err error) {
	misses = int(m)
	if len(args) == 2 && misses < 0 && cmd.Flags().Changed("errors") {
		for i, arg := range args {
			if n, err := strconv.Atoi(arg); err == nil {
				args, misses = []string{args[1-i]}, n
				break
			}
		}
	}
	if len(args) != 1 {
		return "", 0, fmt.Errorf("accepts 1 corpus, received %d", len(args))
	}
	return args[0], misses, nil
}

// maximum is how many of the entries may be so: a number, or a share.
type maximum struct {
	number int
	share  float64 // counts where number is below 0
}

var anyNumber = maximum{-1, 1}

func (m *maximum) String() string {
	if m.number >= 0 {
		return strconv.Itoa(m.number)
	}
	return strconv.FormatFloat(100*m.share, 'g', -1, 64) + "%"
}

func (m *maximum) Type() string { return "N|P%" }

// Set takes a number of entries, or a percentage of them with its sign.
func (m *maximum) Set(value string) error {
	if number, ok := strings.CutSuffix(value, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err == nil && p >= 0 && p <= 100 {
			*m = maximum{-1, p / 100}
			return nil
		}
	} else if n, err := strconv.Atoi(value); err == nil {
		*m = anyNumber
		if n >= 0 {
			m.number = n
		}
		return nil
	}
	return errors.New("use a number of entries, such as 3, or a percentage of them, such as 1%")
}

// exceeded reports whether n of all entries are too many.
func (m maximum) exceeded(n, all int) bool {
	if m.number >= 0 {
		return n > m.number
	}
	return float64(n) > m.share*float64(all)
}

type thresholds struct {
	category, reason, f1 minimum
	falseRetries         maximum
}

// check says which thresholds r misses.
func (t thresholds) check(r eval.Report) error {
	var missed []error
	for _, l := range []struct {
		name string
		got  float64
		min  minimum
	}{
		{"accuracy of categories", r.CategoryAccuracy, t.category},
		{"accuracy of reasons", r.ReasonAccuracy, t.reason},
		{"macro-F1", r.MacroF1, t.f1},
	} {
		if l.got < float64(l.min) {
			missed = append(missed, fmt.Errorf("%s is %.4f, below %s", l.name, l.got, l.min.String()))
		}
	}
	if t.falseRetries.exceeded(r.FalseRetries, r.Entries) {
		missed = append(missed, fmt.Errorf("false retries are %d of %d, above %s", r.FalseRetries, r.Entries, t.falseRetries.String()))
	}
	return errors.Join(missed...)
}

// missLine is one miss as JSON, reportLine the report.
type (
	missLine struct {
		eval.Miss
		Signals []signalLine `json:"signals"`
	}
	reportLine struct {
		eval.Report
		Misses []missLine `json:"misses"`
	}
)

func reportJSON(r eval.Report) reportLine {
	line := reportLine{r, make([]missLine, len(r.Misses))}
	for i, m := range r.Misses {
		line.Misses[i] = missLine{m, signalLines(m.Signals)}
	}
	return line
}

// writeReport writes the figures and the tables; the misses as blocks where
// they are asked for in full.
func writeReport(w io.Writer, r eval.Report, misses int, full bool) error {
	fmt.Fprintf(w, "entries         %d\n", r.Entries)
	fmt.Fprintf(w, "category right  %s (%d wrong)\n", percent(r.CategoryAccuracy), r.Entries-r.RightCategory)
	fmt.Fprintf(w, "reason right    %s (%d wrong)\n", percent(r.ReasonAccuracy), r.Entries-r.RightReason)
	fmt.Fprintf(w, "macro-F1        %s\n", percent(r.MacroF1))
	fmt.Fprintf(w, "false retries   %s (%d)\nmissed retries  %d\n", percent(r.FalseRetryShare()), r.FalseRetries, r.MissedRetries)
	tables := []table.Writer{categoryTable(r), confusionTable(r), reasonTable(r), familyTable(r), deciderTable(r)}
	if !full {
		tables = append(tables, missTable(r, misses))
	}
	for _, t := range tables {
		if t.Length() == 0 {
			continue
		}
		fmt.Fprintln(w)
		if err := render(w, t); err != nil {
			return err
		}
	}
	if full {
		return writeMisses(w, r, misses)
	}
	return nil
}
