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
		Use:   "eval PATH...",
		Short: "Measure rules and model against labelled messages",
		Long: `Eval classifies the messages of a corpus and compares the answers with its
labels.

A PATH is a file, a folder, or - for standard input. A folder stands for its
files slices/*.jsonl or, if it has none, for *.jsonl. Each file is a slice of the
corpus, named like the file without .jsonl.

A file has one JSON object per line with the keys id, message, category and
reason. Optional keys are kind (what wrote the message), product (whose wording
it is), accept (further reasons that count as right) and accept_category (further
categories). Other keys are ignored. Every id must be unique in all files.

In the report, gold is the label and got the answer. A false retry is an entry
wrongly classified as retryable. A missed retry is a retryable entry classified
as something else. F1 is the harmonic mean of precision and recall. Macro-F1 is
its mean over the categories that occur. A family is the entries with the same
kind and the same prefix of the id. The table of deciding rules has a row for
each prefix of a rule's id, with the entries that these rules decided. The table
of products has the ten with the most misses; JSON has all.

The table of reliability has a row for each tenth of the confidence: the number of
answers, the share with a right reason, and their mean confidence. The expected
calibration error is the mean difference of the last two, weighted by the number
of answers. Answers whose confidence is unknown, as with --rules minimal, do not
count.

--errors shows every miss in full: the message, the label, the answer, the rule
that decided and the other signals. --errors N shows the first N misses.

--cross-validate evaluates a cross-validation by product instead of this program's
classifier: the answer for a message comes from a model that was trained without
the messages of its product. PATH must be the folder corpus of a clone of errclass.
The command runs "go run ./cmd/train -predictions -" there, which takes minutes. The
misses have no signals.

--predictions FILE writes the answers, one JSON object per line with the keys id,
category, reason, rule and confidence. --against FILE compares them with earlier
ones: an entry is lost if both its category and its reason were right and one of
them is wrong now, and won if it is the other way round. Ids that only one side has
are counted and named. JSON also has the entries that were wrong and have another
wrong answer now.

--split K/N evaluates only the entries with a first byte of the SHA-256 of the
id that is K modulo N. Write rules on one part and measure them on another.
Changes to other entries do not move an entry to another part.

A threshold P is a percentage, such as 95 or 95%, or a share up to 1, such as
0.95. The exit code is 1 if a threshold is missed or the corpus is faulty.`,
		Example: `  errclass eval corpus.jsonl --min-category 98 --min-f1 97 --min-reason 95 --max-false-retries 1%
  errclass eval corpus.jsonl --split 0/3 --errors --rules my.yaml
  errclass eval corpus.jsonl --format json | jq .misses
  errclass eval corpus --cross-validate
  errclass eval corpus --predictions before.jsonl
  errclass eval corpus --against before.jsonl --rules my.yaml`,
	}
	f := evalFlags{format: addFormat(cmd, "tables, or one JSON object"), rules: addRules(cmd), errors: -1}
	cmd.Flags().Var(&f.errors, "errors", "show all misses in full, or the first N")
	cmd.Flags().Lookup("errors").NoOptDefVal = "-1"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		_, _, err := f.errors.split(cmd, args)
		return err
	}
	f.limits.falseRetries = anyNumber
	cmd.Flags().Var(&f.part, "split", "evaluate part K of N, with K from 0 to N-1")
	cmd.Flags().BoolVar(&f.crossValidate, "cross-validate", false, "evaluate models that have not seen the product of the message")
	cmd.Flags().StringVar(&f.predictions, "predictions", "", "write the answers to this `file`, one JSON object per line")
	cmd.Flags().StringVar(&f.against, "against", "", "compare with the answers in this `file` of --predictions")
	cmd.Flags().Var(&f.limits.category, "min-category", "exit 1 if the accuracy of categories is below P")
	cmd.Flags().Var(&f.limits.reason, "min-reason", "exit 1 if the accuracy of reasons is below P")
	cmd.Flags().Var(&f.limits.f1, "min-f1", "exit 1 if macro-F1 is below P")
	cmd.Flags().Var(&f.limits.falseRetries, "max-false-retries", "exit 1 if there are more false retries than N, or than P% of the entries")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) }
	return cmd
}

func (f *evalFlags) run(cmd *cobra.Command, s Streams, args []string) error {
	paths, misses, err := f.errors.split(cmd, args)
	if err != nil {
		return err
	}
	if f.crossValidate && f.rules.changed() {
		return usagef("--cross-validate has the rules and the model of the trainer: leave out --rules, --rules-only and --no-model")
	}
	c, err := f.rules.classifier()
	if err != nil {
		return err
	}
	corpus, err := readCorpus(s, paths, f.part)
	if err != nil {
		return err
	}
	if err := f.refuseCorpusAsOutput(s, corpus.files); err != nil {
		return err
	}
	var earlier eval.Predictions
	if f.against != "" {
		if earlier, err = readPredictions(s, f.against, corpus.rest); err != nil {
			return err
		}
	}
	predictions, err := f.predict(s, paths, corpus, c)
	if err != nil {
		return err
	}
	if f.predictions != "" {
		if err := savePredictions(f.predictions, predictions, corpus.entries); err != nil {
			return err
		}
	}
	r := report{Report: eval.Evaluate(corpus.entries, predictions)}
	if earlier != nil {
		comparison := eval.Compare(corpus.entries, earlier, predictions)
		r.comparison = &comparison
	}
	r.allMisses = len(r.Misses)
	if misses >= 0 && misses < r.allMisses {
		r.Misses = r.Misses[:misses]
	}
	if !f.crossValidate { // c made the predictions
		r.Explain(c)
	}
	if *f.format == formatJSON {
		err = writeJSON(s.Out, reportJSON(r))
	} else {
		r.full = cmd.Flags().Changed("errors")
		w := bufio.NewWriter(s.Out)
		if err = writeReport(w, r, f.against); err == nil {
			err = w.Flush()
		}
	}
	if err != nil && !outputClosed(err) {
		return err
	}
	return f.limits.check(r.Report) // even if the output was closed
}

// missLine is the JSON form of an [eval.Miss].
type missLine struct {
	eval.Miss
	Signals []signalLine `json:"signals"`
}

// report has the results that are shown.
type report struct {
	eval.Report
	allMisses  int  // Report.Misses may have fewer because of --errors N
	full       bool // show every miss in detail instead of a table
	comparison *eval.Comparison
}

// reportLine is the JSON form of a report.
type reportLine struct {
	eval.Report
	Misses     []missLine       `json:"misses"`
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

func reportJSON(r report) reportLine {
	line := reportLine{r.Report, make([]missLine, len(r.Misses)), r.comparison}
	for i, m := range r.Misses {
		line.Misses[i] = missLine{m, signalLines(m.Signals)}
	}
	return line
}

// writeReport writes the figures and tables. against is the name of the file with the
// earlier predictions.
func writeReport(w io.Writer, r report, against string) error {
	fmt.Fprintf(w, "entries         %d\n", r.Entries)
	fmt.Fprintf(w, "category right  %s (%d wrong)\n", percent(r.CategoryAccuracy), r.Entries-r.RightCategory)
	fmt.Fprintf(w, "reason right    %s (%d wrong)\n", percent(r.ReasonAccuracy), r.Entries-r.RightReason)
	fmt.Fprintf(w, "macro-F1        %s\n", percent(r.MacroF1))
	fmt.Fprintf(w, "false retries   %s (%d)\n", percent(r.FalseRetryShare()), r.FalseRetries)
	fmt.Fprintf(w, "missed retries  %s of the retryable (%d)\n", percent(r.MissedRetryShare()), r.MissedRetries)
	err := writeTables(w,
		sliceTable(r.Report), productTable(r.Report), categoryTable(r.Report), confusionTable(r.Report), reasonTable(r.Report),
		familyTable(r.Report), deciderTable(r.Report), reliabilityTable(r.Report),
	)
	switch {
	case err != nil:
		return err
	case r.full:
		err = writeMisses(w, r)
	default:
		err = writeTables(w, missTable(r))
	}
	if err != nil || r.comparison == nil {
		return err
	}
	return writeComparison(w, *r.comparison, against)
}

// writeTables writes each table that has rows, after a blank line.
func writeTables(w io.Writer, tables ...table.Writer) error {
	for _, t := range tables {
		if t.Length() == 0 {
			continue
		}
		fmt.Fprintln(w)
		if err := render(w, t); err != nil {
			return err
		}
	}
	return nil
}
