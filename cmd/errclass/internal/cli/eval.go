package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func newEval(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval CORPUS.jsonl",
		Short: "Measure the rules against labelled messages",
		Long: `Eval classifies the messages of a corpus and compares the answers with its
labels.

A corpus has one JSON object per line with the keys id, message, category and
reason. Optional keys are kind (what wrote the message), accept (further reasons
that count as right) and accept_category (further categories). Other keys are
ignored.

In the report, gold is the label and got the answer. A false retry is an entry
wrongly classified as retryable. A missed retry is a retryable entry classified
as something else. F1 is the harmonic mean of precision and recall. Macro-F1 is
its mean over the categories that occur. A family is the entries with the same
kind and the same prefix of the id. The table of deciding rules has a row for
each prefix of a rule's id, with the entries that these rules decided.

--errors shows every miss in full: the message, the label, the answer, the rule
that decided and the other signals. --errors N shows the first N misses.

--split K/N evaluates only the entries with a first byte of the SHA-256 of the
id that is K modulo N. Write rules on one part and measure them on another.
Changes to other entries do not move an entry to another part.

A threshold P is a percentage, such as 95 or 95%, or a share up to 1, such as
0.95. The exit code is 1 if a threshold is missed or the corpus is faulty.`,
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
	cmd.Flags().Var(&part, "split", "evaluate part K of N, with K from 0 to N-1")
	cmd.Flags().Var(&limits.category, "min-category", "exit 1 if the accuracy of categories is below P")
	cmd.Flags().Var(&limits.reason, "min-reason", "exit 1 if the accuracy of reasons is below P")
	cmd.Flags().Var(&limits.f1, "min-f1", "exit 1 if macro-F1 is below P")
	cmd.Flags().Var(&limits.falseRetries, "max-false-retries", "exit 1 if there are more false retries than N, or than P% of the entries")
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
			if err = writeReport(w, r, all, cmd.Flags().Changed("errors")); err == nil {
				err = w.Flush()
			}
		}
		if err != nil && !outputClosed(err) {
			return err
		}
		return limits.check(r) // even if the output was closed
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

// missLine is an [eval.Miss] as JSON.
type missLine struct {
	eval.Miss
	Signals []signalLine `json:"signals"`
}

// reportLine is an [eval.Report] as JSON.
type reportLine struct {
	eval.Report
	Misses []missLine `json:"misses"`
}

func reportJSON(r eval.Report) reportLine {
	line := reportLine{r, make([]missLine, len(r.Misses))}
	for i, m := range r.Misses {
		line.Misses[i] = missLine{m, signalLines(m.Signals)}
	}
	return line
}

// writeReport writes the figures and the tables. If full is true, it writes every
// miss in detail instead of a table of the misses.
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
