package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// The console page: a template that makes a template. What stands in [[ ]] is
// done here, what stands in {{ }} is left for Prometheus to do when it serves
// the page: https://prometheus.io/docs/visualization/consoles/
var (
	//go:embed console.tmpl
	consoleTemplate string
	//go:embed console.css
	consoleStyle string
	//go:embed console.js
	consoleScript string
)

// newConsole is the page. It has no assets but itself.
func newConsole() ([]byte, error) {
	t, err := template.New("console.tmpl").Delims("[[", "]]").Funcs(template.FuncMap{
		"expr": consoleExpr, "legend": consoleLegend, "value": consoleValue, "from": consoleFrom, "join": strings.Join,
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

// consoleExpr is a query as an expression of Prometheus's template language.
// $job is quoted there, as it comes from the address of the page; $window is
// left to the script.
func consoleExpr(expr string, u unit) string {
	if u == unitRatio {
		expr = "100 * (" + expr + ")" // which templates cannot calculate
	}
	format := strings.NewReplacer(`"$job"`, "%[1]q", "$range", "%[2]s").Replace(expr)
	return "printf " + strconv.Quote(format) + " $job $range"
}

// consoleLegend is the name of a series: $label becomes the label's value.
func consoleLegend(legend string) string {
	return label.ReplaceAllString(legend, "{{ .Labels.$1 }}")
}

// consoleValue writes the value of a series.
func consoleValue(u unit) string {
	switch u {
	case unitRatio:
		return `{{ printf "%.0f%%" .Value }}`
	case unitPerMinute:
		return `{{ printf "%.1f" .Value }}`
	}
	return `{{ printf "%.0f" .Value }}`
}

// consoleFrom is the threshold of a number. It has a decimal point: templates
// compare floats with floats only.
func consoleFrom(p panel) string {
	from := p.Alarm.From
	if p.Unit == unitRatio {
		from *= 100
	}
	return fmt.Sprintf("%.3f", from)
}
