package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/triage"
)

// triageGroup is the JSON form of a group with --format json.
type triageGroup struct {
	triage.Group
	Example string `json:"example"` // text of the first example
	Start   string `json:"series_start,omitempty"`
	Step    int64  `json:"series_step_seconds,omitzero"`
}

func writeTriageJSON(w io.Writer, r *triage.Report) error {
	for _, g := range r.Groups {
		line := triageGroup{Group: g, Step: r.StepSeconds}
		if len(g.Examples) > 0 {
			line.Example = g.Examples[0].Text
		}
		if len(g.Series.Counts) > 0 {
			line.Start = r.Start.Add(time.Duration(int64(g.Series.Offset)*r.StepSeconds) * time.Second).Format(time.RFC3339)
		}
		if err := writeJSON(w, line); err != nil {
			return err
		}
	}
	return nil
}

const (
	sparkWidth   = 24  // columns of a sparkline
	pipeTemplate = 200 // characters of a template if the output is no terminal
)

// writeTriage writes the table of groups, and the advice for their reasons.
func writeTriage(s Streams, r *triage.Report, top int) error {
	if _, err := fmt.Fprintf(s.Out, "%s\n", headOf(r)); err != nil || len(r.Groups) == 0 {
		return err
	}
	shown := r.Groups
	if top > 0 && top < len(shown) {
		shown = shown[:top]
	}
	width, colour := 0, false
	if f, ok := s.Out.(*os.File); ok && isTerminal(f) {
		colour = useColour(os.Getenv)
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = w
		}
	}
	if err := render(s.Out, groupTable(r, shown, width, colour)); err != nil {
		return err
	}
	if more := len(r.Groups) - len(shown); more > 0 {
		if _, err := fmt.Fprintf(s.Out, "and %d more groups: --top 0 shows all\n", more); err != nil {
			return err
		}
	}
	return writeAdvice(s.Out, shown)
}

// headOf returns the first line of the output.
func headOf(r *triage.Report) string {
	files := ""
	if n := len(r.Files); n != 1 {
		files = fmt.Sprintf(" of %d files", n)
	}
	when := ""
	if !r.First.IsZero() {
		when = fmt.Sprintf(", %s to %s", moment(r.First), moment(r.Last))
	}
	return fmt.Sprintf("%d errors in %d lines%s, %d groups%s", r.Events, r.Lines, files, len(r.Groups), when)
}

func groupTable(r *triage.Report, groups []triage.Group, width int, colour bool) table.Writer {
	t := newTable("", "COUNT", "SHARE", "FIRST", "LAST", "RATE", "CATEGORY", "REASON", "GROUP")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 2, Align: text.AlignRight}})
	layout := "2006-01-02 15:04"
	if r.First.Format(time.DateOnly) == r.Last.Format(time.DateOnly) {
		layout = time.TimeOnly
	}
	others := 0 // width of the other columns and the spaces around them
	for _, g := range groups {
		count := max(len("COUNT"), len(strconv.FormatInt(g.Count, 10)))
		others = max(others, count+len("100.0 %")+2*len(layout)+sparkWidth+max(len(g.Category), len("CATEGORY"))+max(len(g.Reason), len("REASON"))+2*8)
	}
	limit := pipeTemplate
	if width > 0 {
		limit = max(width-others, 20)
	}
	for _, g := range groups {
		category := string(g.Category)
		if colour {
			category = coloured(g.Category)
		}
		t.AppendRow(table.Row{g.Count, percent(g.Share), at(g.First, layout), at(g.Last, layout), sparkline(g.Series, r.Steps), category, g.Reason, ended(printable(g.Template), limit)})
	}
	return t
}

// coloured returns a category in red if it is fatal, or else in yellow.
func coloured(c classify.Category) string {
	if c == classify.CategoryFatal {
		return "\x1b[31m" + string(c) + "\x1b[0m"
	}
	return "\x1b[33m" + string(c) + "\x1b[0m"
}

func at(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(layout)
}

var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws a series as bars. A bar without events is a space.
func sparkline(s triage.Series, steps int) string {
	if steps == 0 {
		return ""
	}
	columns := min(sparkWidth, steps)
	counts := make([]int64, columns)
	most := int64(1)
	for i := range counts {
		counts[i] = s.Sum(i*steps/columns, (i+1)*steps/columns)
		most = max(most, counts[i])
	}
	var b strings.Builder
	for _, n := range counts {
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(sparks[(n*int64(len(sparks))-1)/most])
	}
	return b.String()
}

// adviceReasons limits how many reasons get advice in the output.
const adviceReasons = 5

// writeAdvice writes the advice for the reasons of groups, in the order of the
// groups.
func writeAdvice(w io.Writer, groups []triage.Group) error {
	if _, err := fmt.Fprintf(w, "\nwhat to do\n"); err != nil {
		return err
	}
	seen := map[classify.Reason]bool{}
	for _, g := range groups {
		if seen[g.Reason] || len(seen) == adviceReasons {
			continue
		}
		seen[g.Reason] = true
		if _, err := fmt.Fprintf(w, "  %s: %s\n    %s\n", g.Reason, g.WhatToDo.First[0], g.WhatToDo.Link); err != nil {
			return err
		}
	}
	return nil
}
