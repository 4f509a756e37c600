package main

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
)

// report prints the figures of a run.
func report(w io.Writer, f figures) {
	fmt.Fprintf(w, "\n%d tasks, %g a second to each endpoint; at most %d requests under way and %d tasks in the restart queue\n", f.tasks, f.rate, f.mostBusy, f.mostQueued)
	t := newTable(w)
	t.AppendHeader(table.Row{"", "aim", "plain loop", "errclass"})
	for _, a := range aims {
		asked, other := a.asked, ""
		if !a.met(f) {
			asked += " MISSED"
		}
		if a.plain != nil {
			other = a.plain(f)
		}
		t.AppendRow(table.Row{a.name, asked, other, a.value(f)})
	}
	t.AppendSeparator()
	d := f.all().delays
	quantiles := func(t *times) string { return fmt.Sprintf("%s, %s", t.quantile(0.5), t.quantile(0.95)) }
	t.AppendRow(table.Row{"time to recover, median and 95 %, of all that it recovered", "", quantiles(&d[plain]), quantiles(&d[gated])})
	t.Render()

	t = newTable(w)
	t.AppendHeader(table.Row{
		"endpoint", "trouble", "times", "tasks", "succeeded,\nloop", "succeeded,\nerrclass", "in vain,\nloop", "in vain,\nerrclass", "",
		"recovered\nin, loop", "recovered\nin, errclass", "openings", "while\nup", "restarts",
	})
	for _, p := range plans {
		r := f.endpoints[p.host]
		vain := "-"
		if r.vain[plain] > 0 {
			vain = digits(100*ratio(r.vain[gated], r.vain[plain])) + " %"
		}
		t.AppendRow(table.Row{
			p.host, p.String(), r.troubles, r.succeeded[gated].total,
			digits(r.succeeded[plain].percent()) + " %", digits(r.succeeded[gated].percent()) + " %",
			r.vain[plain], r.vain[gated], vain,
			median(&r.paired[plain]), median(&r.paired[gated]),
			r.openings.total, r.openings.part, r.restarts.total,
		})
	}
	t.Render()
}

// summary prints the aims and the figures of several rates.
func summary(w io.Writer, all []figures) {
	fmt.Fprintln(w, "\nerrclass at all rates")
	t := newTable(w)
	header := table.Row{"tasks a second to each endpoint", "aim"}
	for _, f := range all {
		header = append(header, f.rate)
	}
	t.AppendHeader(header)
	for _, a := range aims {
		row := table.Row{a.name, a.asked}
		for _, f := range all {
			text := a.value(f)
			if !a.met(f) {
				text += " MISSED"
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	t.Render()
}

// median returns the median as text.
func median(t *times) string {
	if t.n == 0 {
		return "-"
	}
	return t.quantile(0.5).String()
}

func newTable(w io.Writer) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // keep the case
	return t
}
