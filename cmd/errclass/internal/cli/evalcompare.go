package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

// writeComparison writes which answers differ from the earlier ones. against is the
// name of the file with the earlier answers.
func writeComparison(w io.Writer, c eval.Comparison, against string) error {
	fmt.Fprintf(w, "\nCompared with %s\n", printable(against))
	fmt.Fprintf(w, "won                  %d\n", len(c.Won))
	fmt.Fprintf(w, "lost                 %d\n", len(c.Lost))
	fmt.Fprintf(w, "changed while wrong  %d\n", len(c.ChangedWrong))
	if len(c.Unknown) > 0 {
		fmt.Fprintf(w, "not in the corpus    %d: %s\n", len(c.Unknown), shortList(c.Unknown))
	}
	if len(c.Missing) > 0 {
		fmt.Fprintf(w, "not compared         %d, without an earlier answer: %s\n", len(c.Missing), shortList(c.Missing))
	}
	return writeTables(w, changeTable("Lost", c.Lost), changeTable("Won", c.Won))
}

func changeTable(title string, changes []eval.Change) table.Writer {
	t := newTable(fmt.Sprintf("%s: %d", title, len(changes)), "ID", "SLICE", "THEN", "NOW", "MESSAGE")
	for _, c := range changes {
		t.AppendRow(table.Row{
			printable(c.ID), printable(c.Slice), fmt.Sprintf("%s/%s", c.Then.Category, c.Then.Reason),
			fmt.Sprintf("%s/%s", c.Now.Category, c.Now.Reason), printable(head(c.Message)),
		})
	}
	return t
}

// shownIDs limits how many ids a list shows.
const shownIDs = 10

// shortList returns the first ids, separated by commas, and the number of the others.
func shortList(ids []string) string {
	more := ""
	if n := len(ids) - shownIDs; n > 0 {
		ids, more = ids[:shownIDs], fmt.Sprintf(" and %d more", n)
	}
	return printable(strings.Join(ids, ", ")) + more
}
