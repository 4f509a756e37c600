// Package page writes the report of a triage as one HTML page. The page shows the
// errors over time by category, and the groups. It loads nothing and sends nothing.
//
// The texts of the logs are in the page as JSON. The page's script shows them as text
// nodes, never as markup. The Content-Security-Policy permits no other script.
package page

import (
	_ "embed" // for the files below
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
	"github.com/errclass/errclass/cmd/errclass/internal/triage"
	"github.com/errclass/errclass/internal/pages"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// MaxBytes is the largest size of a page in bytes.
const MaxBytes = 5_000_000

// Write writes the page of r. If the page is more than half full, later groups have
// fewer and shorter examples. If groups do not fit into [MaxBytes], they are only
// counted.
func Write(w io.Writer, r *triage.Report) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	script, style := pages.Script+pageJS, pages.Style+pageCSS
	policy, err := pages.Policy(script, style)
	if err != nil {
		return err
	}
	report, err := encode(r, MaxBytes-len(script)-len(style)-len(pageHTML)-len(policy))
	if err != nil {
		return fmt.Errorf("report as JSON: %w", err)
	}
	return t.Execute(w, map[string]any{
		"Policy": policy,
		"Style":  template.CSS(style),
		"Script": template.JS(script),
		"Report": template.JS(report), // encoding/json has escaped <, > and &
	})
}

// report is like [triage.Report], but has each reason's advice only once.
type report struct {
	triage.Report
	Groups   []json.RawMessage                  `json:"groups"`
	Advice   map[classify.Reason]runbook.Advice `json:"advice"`
	Unlisted unlisted                           `json:"unlisted"`
}

// unlisted counts the omitted groups, and the errors in them.
type unlisted struct {
	Groups int   `json:"groups"`
	Events int64 `json:"events"`
}

// group is a group of the report without the advice.
type group struct {
	triage.Group
	WhatToDo struct{} `json:"what_to_do,omitzero"`
}

// These are the largest sizes of an example in bytes. The second size is for the
// second half of a page.
const (
	maxExample   = 4 << 10
	shortExample = 300
)

// encode returns r as JSON, with as many groups as fit into limit bytes. The result is
// longer than limit only if r is too long even without groups.
func encode(r *triage.Report, limit int) ([]byte, error) {
	out := report{Report: *r, Groups: []json.RawMessage{}, Advice: map[classify.Reason]runbook.Advice{}}
	out.Report.Groups = nil
	for i := range r.Groups {
		out.Advice[r.Groups[i].Reason] = r.Groups[i].WhatToDo
	}
	rest, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	size := len(rest) + len(`{"groups":999999,"events":999999999999999}`)
	for i := range r.Groups {
		g := group{Group: r.Groups[i]}
		longest := maxExample
		if size > limit/2 {
			longest = shortExample
			g.Examples = g.Examples[:min(len(g.Examples), 1)]
		}
		g.Examples = shortened(g.Examples, longest)
		b, err := json.Marshal(g)
		if err != nil {
			return nil, err
		}
		if size+len(b)+1 > limit {
			for _, left := range r.Groups[i:] {
				out.Unlisted.Groups++
				out.Unlisted.Events += left.Count
			}
			break
		}
		size += len(b) + 1
		out.Groups = append(out.Groups, b)
	}
	return json.Marshal(out)
}

// shortened returns copies of examples with at most n bytes of text, without sources.
func shortened(examples []triage.Example, n int) []triage.Example {
	short := append([]triage.Example{}, examples...) // never null in JSON
	for i := range short {
		short[i].Text, short[i].Source = triage.Shortened(short[i].Text, n), ""
	}
	return short
}
