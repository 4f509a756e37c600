package cli

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func categoryTable(r eval.Report) table.Writer {
	t := newTable("Categories", "CATEGORY", "GOLD", "GOT", "PRECISION", "RECALL", "F1")
	for _, c := range r.Categories {
		t.AppendRow(table.Row{c.Category, c.Gold, c.Got, percent(c.Precision), percent(c.Recall), fmt.Sprintf("%.4f", c.F1)})
	}
	return t
}

// confusionTable has a row for what the category should be and a column for
// what it was called.
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

// missTable lists the misses that the report has left, of all that there are.
func missTable(r eval.Report, all int) table.Writer {
	t := newTable(fmt.Sprintf("Misses: %d of %d", len(r.Misses), all), "ID", "GOLD", "GOT", "RULE", "MESSAGE")
	for _, m := range r.Misses {
		t.AppendRow(table.Row{
			printable(m.ID), fmt.Sprintf("%s/%s", m.GoldCategory, m.GoldReason), fmt.Sprintf("%s/%s", m.Category, m.Reason),
			printable(m.Rule), printable(m.Message),
		})
	}
	return t
}
