package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// report prints the figures of all strategies. met reports whether errclass reached
// the goals.
func report(w io.Writer, results map[strategy]figures) (met bool) {
	met = true
	t := newTable(w, "", "goal")
	for _, g := range goals {
		asked := g.asked
		if !g.met(results[errclass]) {
			met, asked = false, asked+" MISSED"
		}
		t.AppendRow(line(g.name, asked, results, g.value))
	}
	t.AppendSeparator()
	for _, other := range []struct {
		name  string
		value func(figures) string
	}{
		{"tasks that succeeded", func(f figures) string { return f.succeeded.String() }},
		{"calls", func(f figures) string { return fmt.Sprint(f.calls) }},
		{"calls to an endpoint that was down", func(f figures) string { return fmt.Sprint(f.down) }},
		{"calls refused while the endpoint was up", func(f figures) string { return f.refusals.String() }},
		{"time to recover, median", func(f figures) string { return f.quantile(0.5).String() }},
		{"time to recover, 95 %", func(f figures) string { return f.quantile(0.95).String() }},
	} {
		t.AppendRow(line(other.name, "", results, other.value))
	}
	t.Render()

	fmt.Fprintln(w, "\nTasks that succeeded, by endpoint")
	t = newTable(w, "", "trouble")
	for _, host := range hosts() {
		t.AppendRow(line(host, plans[host].String(), results, func(f figures) string { return fmt.Sprintf("%.1f %%", f.byHost[host].percent()) }))
	}
	t.Render()
	return met
}

// newTable returns a table with the named columns and one column for each
// strategy.
func newTable(w io.Writer, columns ...string) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // keep the case
	header := table.Row{}
	for _, c := range columns {
		header = append(header, c)
	}
	for _, s := range strategies {
		header = append(header, string(s))
	}
	t.AppendHeader(header)
	return t
}

// line returns a row with a value for each strategy. An empty value becomes a
// dash.
func line(name, second string, results map[strategy]figures, value func(figures) string) table.Row {
	row := table.Row{name, second}
	for _, s := range strategies {
		text := value(results[s])
		if strings.HasPrefix(text, "0 of 0,") || text == "0s" || text == "0.0" {
			text = "-"
		}
		row = append(row, text)
	}
	return row
}

// bars are the characters of the chart, in eighths of a character's height.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// chart draws the number of tasks that failed in each half hour, with the same
// scale for all strategies.
func chart(w io.Writer, results map[strategy]figures) {
	most := 1
	for _, f := range results {
		for _, n := range f.failed {
			most = max(most, n)
		}
	}
	fmt.Fprintf(w, "\nTasks that failed, by the half hour in which they began (█ is %d)\n", most)
	for _, s := range strategies {
		var row strings.Builder
		for _, n := range results[s].failed {
			row.WriteRune(bars[(n*(len(bars)-1)+most-1)/most]) // rounded up, so that one task is visible
		}
		fmt.Fprintf(w, "%-17s│%s│\n", s, row.String())
	}
	fmt.Fprintf(w, "%-17s 0h          6h          12h         18h         24h\n", "")
}
