package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// print writes the received telemetry: the spans with their log records, then the
// counter.
func (r *receiver) print(out io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	slices.SortFunc(r.spans, func(a, b *trace.Span) int { return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	for _, s := range r.spans {
		root := len(s.ParentSpanId) == 0
		if root {
			fmt.Fprintln(w)
		}
		line(w, "span", s.Name, s.Attributes)
		for _, e := range s.Events {
			line(w, "  event", e.Name, e.Attributes)
		}
		if root {
			r.printLogs(w, s.TraceId)
		}
	}
	fmt.Fprintf(w, "\ncounter errclass.errors, one for each category, reason and signal; those above 0:\n")
	r.printCounts(w)
	return w.Flush()
}

func (r *receiver) printLogs(w io.Writer, traceID []byte) {
	for _, l := range r.logs {
		if bytes.Equal(l.TraceId, traceID) {
			line(w, "  log", l.Body.GetStringValue(), l.Attributes)
		}
	}
}

func (r *receiver) printCounts(w io.Writer) {
	var lines []string
	for _, m := range r.metrics {
		if m.Name != "errclass.errors" {
			continue
		}
		for _, p := range m.GetSum().GetDataPoints() {
			if n := p.GetAsInt(); n > 0 {
				lines = append(lines, fmt.Sprintf("signal=%s\terror.category=%s\terror.reason=%s\t%d\n",
					value(p.Attributes, "signal"), value(p.Attributes, "error.category"), value(p.Attributes, "error.reason"), n))
			}
		}
	}
	slices.Sort(lines)
	for _, l := range lines {
		fmt.Fprint(w, l)
	}
}

// line prints one item: its kind and name, and its category and reason if it has
// them.
func line(w io.Writer, kind, name string, attrs []*common.KeyValue) {
	category := value(attrs, "error.category")
	if category == "" {
		fmt.Fprintf(w, "%s\t%s\tno error\n", kind, name)
		return
	}
	fmt.Fprintf(w, "%s\t%s\terror.category=%s\terror.reason=%s\n", kind, name, category, value(attrs, "error.reason"))
}

func value(attrs []*common.KeyValue, key string) string {
	for _, kv := range attrs {
		if kv.Key == key {
			return kv.Value.GetStringValue()
		}
	}
	return ""
}
