package main

import "strings"

// kind is how a panel displays values.
type kind string

const (
	kindNumber   kind = "number"   // one current value
	kindArea     kind = "area"     // values over time, stacked, one area per series
	kindTimeline kind = "timeline" // states over time, one strip per series
	kindBars     kind = "bars"     // one bar per series, the longest first
	kindTable    kind = "table"    // one row per combination of the labels in By, one column per query
)

// unit is the format of a value.
type unit string

const (
	unitCount     unit = "count"      // whole
	unitRatio     unit = "ratio"      // as a percentage
	unitPerMinute unit = "per minute" // one decimal place
)

// panel is a panel of the dashboard. Its queries may use three variables:
//
//   - $job: a regular expression
//   - $range: the displayed period
//   - $window: a period with enough samples for a rate
type panel struct {
	ID      string // id of the element on the console page; check.sh uses it
	Title   string
	About   string
	Kind    kind
	Unit    unit
	Columns int // width, of 24 columns as in Grafana
	Queries []query
	Alarm   alarm    // for a number
	Colour  string   // the label that selects a series' colour
	Order   []string // for an area: values of Colour, from the bottom up
	By      []string // for a table: the labels of its rows
}

// query is a PromQL expression with a legend or a column heading. In a legend, a dollar
// sign and the name of a label, such as $endpoint, stand for the value of that label.
type query struct {
	Expr   string
	Legend string
	Unit   unit // of a table's column; in other kinds of panels, the panel has the unit
}

// alarm colours a number that reaches a threshold.
type alarm struct {
	From   float64
	Colour string
}

// errors selects the errors that were counted from logs. It leaves out the errors that
// were counted from spans, because some of them were also counted from logs.
func errors(matchers ...string) string {
	return selector("errclass_errors_total", append([]string{`signal="log"`}, matchers...)...)
}

// attempts selects the attempts of calls.
func attempts(matchers ...string) string { return selector("errclass_attempts_total", matchers...) }

func selector(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append(matchers, `job=~"$job"`), ",") + "}"
}

// panels lists the panels from left to right and from top to bottom. In a title,
// "now" means the last five minutes.
var panels = []panel{
	{
		ID: "fatal-now", Title: "Fatal now", About: "Errors of the last 5 minutes for which a retry does not help.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "fatal"},
		Queries: []query{{Expr: `sum(increase(` + errors(`error_category="fatal"`) + `[5m]))`}},
	},
	{
		ID: "authentication-now", Title: "Authentication now", About: "Refused keys and permissions of the last 5 minutes.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "fatal"},
		Queries: []query{{Expr: `sum(increase(` + errors(`error_reason="authentication"`) + `[5m]))`}},
	},
	{
		ID: "failed-attempts", Title: "Failed attempts", About: "Share of the attempts of the last 5 minutes, even if a retry or a fallback has helped. An alert fires above 10 %.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4, Alarm: alarm{0.10, "retryable"},
		Queries: []query{{Expr: `sum(rate(` + attempts(`outcome="failure"`) + `[5m])) / (sum(rate(` + attempts(`outcome!="aborted"`) + `[5m])) > 0)`}},
	},
	{
		ID: "unknown-per-error", Title: "Unknown per error", About: "Errors of the last 5 minutes without a matching rule. An alert fires above 5 %.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4, Alarm: alarm{0.05, "retryable"},
		Queries: []query{{Expr: `sum(rate(` + errors(`error_reason="unknown"`) + `[5m])) / (sum(rate(` + errors() + `[5m])) > 0)`}},
	},
	{
		ID: "retries-that-helped", Title: "Retries that helped", About: "Share of repeated calls that succeeded, in the displayed period.",
		Kind: kindNumber, Unit: unitRatio, Columns: 4,
		Queries: []query{{Expr: `sum(increase(` + selector("errclass_retries_total", `result="success"`) + `[$range]))` +
			` / (sum(increase(` + selector("errclass_retries_total") + `[$range])) > 0)`}},
	},
	{
		ID: "breakers-open", Title: "Breakers open", About: "Endpoints whose circuit breaker is open, or half open while a trial runs.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "open"},
		Queries: []query{{Expr: `count(max by (job, endpoint) (` + selector("errclass_breaker_state", `state=~"open|half_open"`) + `) == 1) or vector(0)`}},
	},
	{
		ID: "errors-by-category", Title: "Errors per minute, by category", About: "What to do next about the errors in the logs.",
		Kind: kindArea, Unit: unitPerMinute, Columns: 14, Colour: "error_category",
		Order:   categories,
		Queries: []query{{Expr: `60 * sum by (error_category) (rate(` + errors() + `[$window]))`, Legend: "$error_category"}},
	},
	{
		ID: "errors-by-reason", Title: "Errors by reason", About: "In the displayed period.",
		Kind: kindBars, Unit: unitCount, Columns: 10, Colour: "error_category",
		Queries: []query{{
			Expr:   `sort_desc(sum by (error_category, error_reason) (increase(` + errors() + `[$range])) >= 0.5)`,
			Legend: "$error_category: $error_reason",
		}},
	},
	{
		ID: "retries-by-outcome", Title: "Retries per minute, by outcome", About: "Repeated calls by outcome.",
		Kind: kindArea, Unit: unitPerMinute, Columns: 14, Colour: "result", Order: []string{"failure", "success"},
		Queries: []query{{Expr: `60 * sum by (result) (rate(` + selector("errclass_retries_total") + `[$window]))`, Legend: "$result"}},
	},
	{
		ID: "top-providers", Title: "Top providers", About: "Providers with the most failed attempts in the displayed period. The label provider requires otelclass.WithProviders.",
		Kind: kindTable, Columns: 10, By: []string{"job", "provider"},
		Queries: []query{
			{`topk(10, sum by (job, provider) (increase(` + attempts(`outcome="failure"`) + `[$range])) >= 0.5)`, "failed", unitCount},
			{`sum by (job, provider) (increase(` + errors(`error_category="fatal"`) + `[$range]))`, "fatal", unitCount},
			{`sum by (job, provider) (increase(` + selector("errclass_calls_total") + `[$range]))`, "calls", unitCount},
			{
				`sum by (job, provider) (increase(` + attempts(`outcome="failure"`) + `[$range])) / (sum by (job, provider) (increase(` + attempts(`outcome!="aborted"`) + `[$range])) > 0)`,
				"failed per attempt", unitRatio,
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
		ID: "fallbacks", Title: "Fallbacks", About: "Calls that another target took over, in the displayed period.",
		Kind: kindBars, Unit: unitCount, Columns: 10,
		Queries: []query{{
			Expr:   `sort_desc(sum by (from, to) (increase(` + selector("errclass_fallbacks_total") + `[$range])) >= 0.5)`,
			Legend: "$from → $to",
		}},
	},
	{
		ID: "unhealthy-now", Title: "Unhealthy", About: "Endpoints that are unhealthy: half of their calls fail, or their session has died.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "open"},
		Queries: []query{{Expr: `count(min by (job, endpoint) (` + selector("errclass_endpoint_healthy") + `) == 0) or vector(0)`}},
	},
	{
		ID: "held-now", Title: "Held", About: "Endpoints that a rate limit holds.",
		Kind: kindNumber, Unit: unitCount, Columns: 4, Alarm: alarm{0.5, "retryable"},
		Queries: []query{{Expr: `count(max by (job, endpoint) (` + selector("errclass_hold_remaining_seconds") + `) > 0) or vector(0)`}},
	},
	{
		ID: "holds", Title: "Rate limits", About: "How often a rate limit began to hold an endpoint, in the displayed period.",
		Kind: kindBars, Unit: unitCount, Columns: 8,
		Queries: []query{{
			Expr:   `sort_desc(sum by (endpoint) (increase(` + selector("errclass_holds_total") + `[$range])) >= 0.5)`,
			Legend: "$endpoint",
		}},
	},
	{
		ID: "restarts", Title: "Restarts", About: "What became of the tasks in the restart queue, in the displayed period. A parked task waits for a person.",
		Kind: kindBars, Unit: unitCount, Columns: 8,
		Queries: []query{{
			Expr:   `sort_desc(sum by (state) (increase(` + selector("errclass_restarts_total") + `[$range])) >= 0.5)`,
			Legend: "$state",
		}},
	},
}

// colours has the colours of categories, outcomes and states, for light and dark
// themes.
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

// categories lists the categories as an area panel stacks them, from the bottom.
var categories = []string{"fatal", "retryable", "context_overflow", "timeout", "aborted"}

// states are the meanings of a timeline's values 0, 1 and 2.
var states = []string{"closed", "half_open", "open"}
