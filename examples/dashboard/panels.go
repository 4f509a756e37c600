package main

import "strings"

// kind is how a panel shows what its queries return.
type kind string

const (
	kindNumber   kind = "number"   // one figure, as it is now
	kindArea     kind = "area"     // stacked over time, one area a series
	kindTimeline kind = "timeline" // a strip a series over time, in the colours of states
	kindBars     kind = "bars"     // one bar a series, the longest first
	kindTable    kind = "table"    // one row for the labels in By, one column a query
)

// unit is how a value is written.
type unit string

const (
	unitCount     unit = "count"      // whole
	unitRatio     unit = "ratio"      // as a percentage
	unitPerMinute unit = "per minute" // one decimal place
)

// panel is a panel of the dashboard, in Grafana and on the console page. In a
// query $job is a regular expression, $range the time that the page shows and
// $window a time that holds enough samples for a rate.
type panel struct {
	ID      string // of the element on the console page, and what check.sh looks for
	Title   string
	About   string
	Kind    kind
	Unit    unit
	Columns int // of 24, which is how Grafana counts
	Queries []query
	Alarm   alarm    // of a number
	Colour  string   // the label that says which of colours a series has
	Order   []string // of an area: values of Colour, from the bottom up
	By      []string // of a table
}

// query is PromQL, and what its result is called: a legend in which $label is
// the value of a label, or the heading of a column.
type query struct {
	Expr   string
	Legend string
	Unit   unit // of a column; elsewhere it is the panel's
}

// alarm is from which value on a number is shown in which of colours.
type alarm struct {
	From   float64
	Colour string
}

// errors selects from the counter of errors in logs: spans are subject to
// sampling, and adding both up would count an error twice.
func errors(matchers ...string) string {
	return selector("errclass_errors_total", append([]string{`signal="log"`}, matchers...)...)
}

func selector(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append(matchers, `job=~"$job"`), ",") + "}"
}

// panels are the dashboard, from left to right and from top to bottom. What is
// "now" are the last five minutes, as in the alerts of examples/alerting.
var panels = []panel{
	{
		ID: "fatal-now", Title: "Fatal now", About: "Errors of the last 5 minutes that repeating does not mend.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "fatal"},
		Queries: []query{{Expr: `sum(increase(` + errors(`error_category="fatal"`) + `[5m]))`}},
	},
	{
		ID: "authentication-now", Title: "Authentication now", About: "Refused keys and permissions of the last 5 minutes.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "fatal"},
		Queries: []query{{Expr: `sum(increase(` + errors(`error_reason="authentication"`) + `[5m]))`}},
	},
	{
		ID: "errors-per-call", Title: "Errors per call", About: "Of the last 5 minutes; more than 10 % is an alert.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4, Alarm: alarm{0.10, "retryable"},
		Queries: []query{{Expr: `sum(rate(` + errors() + `[5m])) / (sum(rate(` + selector("errclass_calls_total") + `[5m])) > 0)`}},
	},
	{
		ID: "unknown-per-error", Title: "Unknown per error", About: "Errors of the last 5 minutes that no rule knows; more than 5 % is an alert.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4, Alarm: alarm{0.05, "retryable"},
		Queries: []query{{Expr: `sum(rate(` + errors(`error_reason="unknown"`) + `[5m])) / (sum(rate(` + errors() + `[5m])) > 0)`}},
	},
	{
		ID: "retries-that-helped", Title: "Retries that helped", About: "Repeated calls that succeeded, of all in the time shown.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4,
		Queries: []query{{Expr: `sum(increase(` + selector("errclass_retries_total", `result="success"`) + `[$range]))` +
			` / (sum(increase(` + selector("errclass_retries_total") + `[$range])) > 0)`}},
	},
	{
		ID: "breakers-open", Title: "Breakers open", About: "Endpoints whose circuit breaker is open.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "open"},
		Queries: []query{{Expr: `count(max by (job, endpoint) (` + selector("errclass_breaker_state", `state="open"`) + `) == 1) or vector(0)`}},
	},
	{
		ID: "errors-by-category", Title: "Errors per minute, by category", About: "What to do next about the errors in the logs.",
		Kind: kindArea, Unit: unitPerMinute, Columns: 14, Colour: "error_category",
		Order:   categories,
		Queries: []query{{Expr: `60 * sum by (error_category) (rate(` + errors() + `[$window]))`, Legend: "$error_category"}},
	},
	{
		ID: "errors-by-reason", Title: "Errors by reason", About: "In the time shown.",
		Kind: kindBars, Unit: unitCount, Columns: 10, Colour: "error_category",
		Queries: []query{{
			Expr:   `sort_desc(sum by (error_category, error_reason) (increase(` + errors() + `[$range])) >= 0.5)`,
			Legend: "$error_category: $error_reason",
		}},
	},
	{
		ID: "retries-by-outcome", Title: "Retries per minute, by outcome", About: "Repeated calls by how they ended.",
		Kind: kindArea, Unit: unitPerMinute, Columns: 14, Colour: "result", Order: []string{"failure", "success"},
		Queries: []query{{Expr: `60 * sum by (result) (rate(` + selector("errclass_retries_total") + `[$window]))`, Legend: "$result"}},
	},
	{
		ID: "top-endpoints", Title: "Top endpoints", About: "Who is called, those with the most errors in the time shown first. The label provider is there where otelclass.WithProviders declares some.",
		Kind: kindTable, Columns: 10, By: []string{"job", "provider"},
		Queries: []query{
			{`topk(10, sum by (job, provider) (increase(` + errors() + `[$range])) >= 0.5)`, "errors", unitCount},
			{`sum by (job, provider) (increase(` + errors(`error_category="fatal"`) + `[$range]))`, "fatal", unitCount},
			{`sum by (job, provider) (increase(` + selector("errclass_calls_total") + `[$range]))`, "calls", unitCount},
			{
				`sum by (job, provider) (increase(` + errors() + `[$range])) / (sum by (job, provider) (increase(` + selector("errclass_calls_total") + `[$range])) > 0)`,
				"errors per call", unitRatio,
			},
		},
	},
	{
		ID: "breaker-states", Title: "Circuit breakers", About: "By endpoint, over time.",
		Kind: kindTimeline, Columns: 14,
		Queries: []query{{
			Expr: `max by (job, endpoint) (2 * ` + selector("errclass_breaker_state", `state="open"`) +
				` + ignoring (state) ` + selector("errclass_breaker_state", `state="half_open"`) + `)`,
			Legend: "$endpoint",
		}},
	},
	{
		ID: "fallbacks", Title: "Fallbacks", About: "Calls that another target took over, in the time shown.",
		Kind: kindBars, Unit: unitCount, Columns: 10,
		Queries: []query{{
			Expr:   `sort_desc(sum by (from, to) (increase(` + selector("errclass_fallbacks_total") + `[$range])) >= 0.5)`,
			Legend: "$from → $to",
		}},
	},
}

// colours are those of categories, outcomes and states, on light and on dark.
// What they tell stands beside them in words everywhere.
var colours = []struct{ Name, Light, Dark string }{
	{"fatal", "#cf3a3a", "#e5534b"},
	{"retryable", "#e09a00", "#e0a526"},
	{"context_overflow", "#2a78d6", "#4a93ea"},
	{"timeout", "#7557c8", "#9d86ec"},
	{"aborted", "#8d8d88", "#8d8d88"},
	{"success", "#2e9460", "#3fae75"},
	{"failure", "#cf3a3a", "#e5534b"},
	{"closed", "#2e9460", "#3fae75"},
	{"half_open", "#e09a00", "#e0a526"},
	{"open", "#cf3a3a", "#e5534b"},
}

// categories are in the order in which an area stacks them, from the bottom up.
var categories = []string{"fatal", "retryable", "context_overflow", "timeout", "aborted"}

// states are what the values of a timeline mean.
var states = []string{"closed", "half_open", "open"}
