package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func categoryTable(r eval.Report) table.Writer {
	t := newTable("Categories", "CATEGORY", "GOLD", "GOT", "PRECISION", "RECALL", "F1")
	for _, c := range r.Categories {
		t.AppendRow(table.Row{c.Category, c.Gold, c.Got, percent(c.Precision), percent(c.Recall), fmt.Sprintf("%.4f", c.F1)})
	}
	return t
}

// confusionTable has rows for correct categories and columns for predicted ones.
func confusionTable(r eval.Report) table.Writer {
	counts := map[[2]string]int{}
	for _, c := range r.Confusion {
		counts[[2]string{c.Gold, c.Got}] = c.Count
	}
	header := []any{"GOLD \\ GOT"}
	for _, c := range r.Categories {
		header = append(header, c.Category)
	}
	t := newTable("Confusion of categories", header...)
	for _, gold := range r.Categories {
		row := table.Row{gold.Category}
		for _, got := range r.Categories {
			row = append(row, counts[[2]string{gold.Category, got.Category}])
		}
		t.AppendRow(row)
	}
	return t
}

func reasonTable(r eval.Report) table.Writer {
	t := newTable("Confusion of reasons", "GOLD", "GOT", "COUNT")
	for _, c := range r.ReasonConfusion {
		t.AppendRow(table.Row{c.Gold, c.Got, c.Count})
	}
	return t
}

// sliceTable has a row for each file of the corpus, or none for a single file.
func sliceTable(r eval.Report) table.Writer {
	t := newTable("Slices", "SLICE", "ENTRIES", "CATEGORY", "MACRO-F1", "REASON", "FALSE RETRIES", "MISSED RETRIES")
	if len(r.Slices) == 1 {
		return t
	}
	for _, s := range r.Slices {
		t.AppendRow(table.Row{
			printable(s.Slice), s.Entries, percent(s.CategoryAccuracy()), percent(s.MacroF1), percent(s.ReasonAccuracy()),
			fmt.Sprintf("%s (%d)", percent(s.FalseRetryShare()), s.FalseRetries), fmt.Sprintf("%s (%d)", percent(s.MissedRetryShare()), s.MissedRetries),
		})
	}
	return t
}

// shownProducts limits how many products a table shows.
const shownProducts = 10

// productTable lists the products with the most wrong answers.
func productTable(r eval.Report) table.Writer {
	wrong := slices.Clone(r.Products)
	wrong = slices.DeleteFunc(wrong, func(p eval.Product) bool { return p.Misses == 0 })
	shown := min(len(wrong), shownProducts)
	t := newTable(fmt.Sprintf("Products with misses: %d of %d", shown, len(wrong)),
		"PRODUCT", "ENTRIES", "MISSES", "CATEGORY", "REASON", "FALSE RETRIES", "MISSED RETRIES")
	for _, p := range wrong[:shown] {
		t.AppendRow(table.Row{
			printable(p.Product), p.Entries, p.Misses, percent(p.CategoryAccuracy()), percent(p.ReasonAccuracy()), p.FalseRetries, p.MissedRetries,
		})
	}
	return t
}

func familyTable(r eval.Report) table.Writer {
	t := newTable("Families", "KIND", "ID", "ENTRIES", "CATEGORY", "REASON", "FALSE RETRIES", "MISSED RETRIES")
	for _, f := range r.Families {
		t.AppendRow(table.Row{
			orDash(printable(f.Kind)), printable(f.Prefix) + "-", f.Entries,
			percent(f.CategoryAccuracy()), percent(f.ReasonAccuracy()), f.FalseRetries, f.MissedRetries,
		})
	}
	return t
}

// deciderTable has a row for each family: rules with the same prefix in their ids.
func deciderTable(r eval.Report) table.Writer {
	t := newTable("Deciding rules", "RULES", "ENTRIES", "CATEGORY", "REASON", "FALSE RETRIES", "MISSED RETRIES")
	for _, d := range r.Deciders {
		t.AppendRow(table.Row{
			printable(d.Family), d.Entries, percent(d.CategoryAccuracy()), percent(d.ReasonAccuracy()), d.FalseRetries, d.MissedRetries,
		})
	}
	return t
}

// reliabilityTable has a row for each range of confidence that has answers. Ranges
// are 0.1 wide.
func reliabilityTable(r eval.Report) table.Writer {
	t := newTable(fmt.Sprintf("Reliability: expected calibration error %.3f", r.Reliability.CalibrationError),
		"CONFIDENCE FROM", "ANSWERS", "REASON", "MEAN CONFIDENCE")
	for _, one := range r.Reliability.Ranges {
		t.AppendRow(table.Row{fmt.Sprintf("%.1f", one.From), one.Answers, percent(one.ReasonAccuracy()), percent(one.MeanConfidence)})
	}
	return t
}

// missTable lists the entries with wrong answers.
func missTable(r report) table.Writer {
	t := newTable(fmt.Sprintf("Misses: %d of %d", len(r.Misses), r.allMisses), "ID", "GOLD", "GOT", "RULE", "MESSAGE")
	for _, m := range r.Misses {
		t.AppendRow(table.Row{
			printable(m.ID), fmt.Sprintf("%s/%s", m.GoldCategory, m.GoldReason), fmt.Sprintf("%s/%s", m.Category, m.Reason),
			printable(m.Rule), printable(head(m.Message)),
		})
	}
	return t
}

// writeMisses writes the entries with wrong answers in full.
func writeMisses(w io.Writer, r report) error {
	_, err := fmt.Fprintf(w, "\nMisses: %d of %d\n", len(r.Misses), r.allMisses)
	for _, m := range r.Misses {
		if err == nil {
			err = writeMiss(w, m)
		}
	}
	return err
}

func writeMiss(w io.Writer, m eval.Miss) error {
	fmt.Fprintf(w, "\n%s\n", printable(m.ID))
	for line := range strings.Lines(m.Message) {
		fmt.Fprintf(w, "  | %s\n", printable(strings.TrimRight(line, "\r\n")))
	}
	retry := ""
	if m.WrongRetry {
		if retry = " (false retry)"; m.Category != classify.CategoryRetryable {
			retry = " (missed retry)"
		}
	}
	fmt.Fprintf(w, "  want  %s/%s\n", m.GoldCategory, m.GoldReason)
	_, err := fmt.Fprintf(w, "  got   %s/%s%s, decided by %s\n", m.Category, m.Reason, retry, printable(m.Rule))
	for _, s := range m.Signals {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "        %s %s on »%s«: %s\n", printable(s.Rule), meaning(s), shortened(s.Text), outcomeOf(s, m.Signals, false))
	}
	return err
}

// shownBytes limits how many bytes of a message a table shows.
const shownBytes = 100

// head returns the beginning of a message. It does not split a UTF-8 character.
func head(message string) string {
	if len(message) <= shownBytes {
		return message
	}
	n := shownBytes
	for n > shownBytes-utf8.UTFMax && !utf8.RuneStart(message[n]) {
		n--
	}
	return message[:n] + "…"
}
