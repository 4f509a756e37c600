package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// This program expands the actions in [[ ]]. Prometheus expands those in {{ }}:
// https://prometheus.io/docs/visualization/consoles/
var (
	//go:embed console.tmpl
	consoleTemplate string
	//go:embed console.css
	consoleStyle string
	//go:embed console.js
	consoleScript string
)

// newConsole returns the console page. The page needs no other files.
func newConsole() ([]byte, error) {
	t, err := template.New("console.tmpl").Delims("[[", "]]").Funcs(template.FuncMap{
		"expr": consoleExpr, "legend": consoleLegend, "value": consoleValue, "threshold": consoleThreshold, "join": strings.Join,
	}).Parse(consoleTemplate)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = t.Execute(&page, map[string]any{
		"Panels": panels, "Colours": colours, "States": states, "Ranges": []string{"5m", "15m", "1h", "6h", "1d", "7d"}, "Style": consoleStyle, "Script": consoleScript,
	})
	return page.Bytes(), err
}

// consoleExpr returns a query as an expression of Prometheus's template language. It
// quotes $job, because the value comes from the page's URL.
func consoleExpr(expr string, u unit) string {
	if u == unitRatio {
		expr = "100 * (" + expr + ")" // templates cannot multiply
	}
	format := strings.NewReplacer(`"$job"`, "%[1]q", "$range", "%[2]s").Replace(expr)
	return "printf " + strconv.Quote(format) + " $job $range"
}

// consoleLegend returns a legend as a template of Prometheus. For example, the label
// "$reason" becomes "{{ .Labels.reason }}".
func consoleLegend(legend string) string {
	return label.ReplaceAllString(legend, "{{ .Labels.$1 }}")
}

// consoleValue returns the template that prints a value with the unit u.
func consoleValue(u unit) string {
	switch u {
	case unitRatio:
		return `{{ printf "%.0f%%" .Value }}`
	case unitPerMinute:
		return `{{ printf "%.1f" .Value }}`
	}
	return `{{ printf "%.0f" .Value }}`
}

// consoleThreshold returns a panel's alarm threshold, always with a decimal point.
// Templates can compare a float only with a float.
func consoleThreshold(p panel) string {
	threshold := p.Alarm.From
	if p.Unit == unitRatio {
		threshold *= 100
	}
	return fmt.Sprintf("%.3f", threshold)
}
