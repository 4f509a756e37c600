// Command records prints the content of files that the Collector's file exporter
// has written. It prints one line for each log record or span, in sorted order:
//
//	records FILE...
//
// The line of a log record has the service, the category and the reason. It ends with
// "lines" if the body of the record has several lines, and with "line" otherwise. The
// line of a span has the trace, the name, the category and the reason.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// exported has the fields of OTLP's JSON that this program uses:
// https://github.com/open-telemetry/opentelemetry-proto
type exported struct {
	ResourceLogs []struct {
		Resource  resource
		ScopeLogs []struct{ LogRecords []record }
	}
	ResourceSpans []struct {
		Resource   resource
		ScopeSpans []struct{ Spans []span }
	}
}

type resource struct{ Attributes attributes }

type record struct {
	Body       value
	Attributes attributes
}

type span struct {
	TraceID    string
	Name       string
	Attributes attributes
}

type attributes []struct {
	Key   string
	Value value
}

type value struct{ StringValue string }

// text returns the text value of the attribute key, or "-" if there is none.
func (as attributes) text(key string) string {
	for _, a := range as {
		if a.Key == key {
			return a.Value.StringValue
		}
	}
	return "-"
}

func main() {
	var lines []string
	for _, name := range os.Args[1:] {
		read, err := read(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "records:", err)
			os.Exit(1)
		}
		lines = append(lines, read...)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
}

func read(name string) (lines []string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	from := json.NewDecoder(bufio.NewReader(file))
	for {
		var x exported
		if err := from.Decode(&x); errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lines = append(lines, x.lines()...)
	}
}

func (x exported) lines() (lines []string) {
	for _, r := range x.ResourceLogs {
		for _, s := range r.ScopeLogs {
			for _, rec := range s.LogRecords {
				size := "line"
				if strings.Contains(rec.Body.StringValue, "\n") {
					size = "lines"
				}
				lines = append(lines, fmt.Sprint(r.Resource.Attributes.text("service.name"), " ", class(rec.Attributes), " ", size))
			}
		}
	}
	for _, r := range x.ResourceSpans {
		for _, s := range r.ScopeSpans {
			for _, sp := range s.Spans {
				lines = append(lines, fmt.Sprint(sp.TraceID, " ", sp.Name, " ", class(sp.Attributes)))
			}
		}
	}
	return lines
}

func class(as attributes) string { return as.text("error.category") + " " + as.text("error.reason") }
