package main

import (
	"regexp"
	"strconv"
	"strings"
)

// These types are parts of Grafana's dashboard model, version 39 (Grafana 10.4 and
// later):
// https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/
type (
	grafanaDashboard struct {
		UID           string         `json:"uid"`
		Title         string         `json:"title"`
		Description   string         `json:"description"`
		Tags          []string       `json:"tags"`
		SchemaVersion int            `json:"schemaVersion"`
		Editable      bool           `json:"editable"`
		GraphTooltip  int            `json:"graphTooltip"` // 1 = a shared crosshair
		Refresh       string         `json:"refresh"`
		Time          grafanaTime    `json:"time"`
		Templating    grafanaList    `json:"templating"`
		Panels        []grafanaPanel `json:"panels"`
	}
	grafanaTime struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	grafanaList struct {
		List []grafanaVariable `json:"list"`
	}
	grafanaVariable struct {
		Name       string      `json:"name"`
		Label      string      `json:"label"`
		Type       string      `json:"type"`
		Query      string      `json:"query"`
		Datasource *grafanaRef `json:"datasource,omitempty"`
		Refresh    int         `json:"refresh,omitempty"` // 2 = with the time range
		IncludeAll bool        `json:"includeAll,omitempty"`
		AllValue   string      `json:"allValue,omitempty"`
		Multi      bool        `json:"multi,omitempty"`
		Current    any         `json:"current,omitempty"`
	}
	grafanaRef struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	grafanaPanel struct {
		ID              int                     `json:"id"`
		Type            string                  `json:"type"`
		Title           string                  `json:"title"`
		Description     string                  `json:"description"`
		Datasource      grafanaRef              `json:"datasource"`
		GridPos         grafanaPos              `json:"gridPos"`
		Targets         []grafanaTarget         `json:"targets"`
		FieldConfig     grafanaFields           `json:"fieldConfig"`
		Options         map[string]any          `json:"options"`
		Transformations []grafanaTransformation `json:"transformations,omitempty"`
	}
	grafanaPos struct {
		X int `json:"x"`
		Y int `json:"y"`
		W int `json:"w"`
		H int `json:"h"`
	}
	grafanaTarget struct {
		RefID        string     `json:"refId"`
		Datasource   grafanaRef `json:"datasource"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat,omitempty"`
		Instant      bool       `json:"instant"`
		Range        bool       `json:"range"`
		Format       string     `json:"format"`
	}
	grafanaFields struct {
		Defaults  grafanaField      `json:"defaults"`
		Overrides []grafanaOverride `json:"overrides"`
	}
	grafanaField struct {
		Unit       string             `json:"unit,omitempty"`
		Decimals   *int               `json:"decimals,omitempty"`
		Min        *int               `json:"min,omitempty"`
		Color      *grafanaColor      `json:"color,omitempty"`
		Thresholds *grafanaThresholds `json:"thresholds,omitempty"`
		Mappings   []grafanaMapping   `json:"mappings,omitempty"`
		Custom     map[string]any     `json:"custom,omitempty"`
	}
	grafanaColor struct {
		Mode       string `json:"mode"`
		FixedColor string `json:"fixedColor,omitempty"`
	}
	grafanaThresholds struct {
		Mode  string        `json:"mode"`
		Steps []grafanaStep `json:"steps"`
	}
	grafanaStep struct {
		Color string   `json:"color"`
		Value *float64 `json:"value"` // null = from the start
	}
	grafanaMapping struct {
		Type    string                   `json:"type"`
		Options map[string]grafanaMapped `json:"options"`
	}
	grafanaMapped struct {
		Index int    `json:"index"`
		Text  string `json:"text"`
		Color string `json:"color"`
	}
	grafanaOverride struct {
		Matcher    grafanaMatcher    `json:"matcher"`
		Properties []grafanaProperty `json:"properties"`
	}
	grafanaMatcher struct {
		ID      string `json:"id"`
		Options string `json:"options"`
	}
	grafanaProperty struct {
		ID    string `json:"id"`
		Value any    `json:"value"`
	}
	grafanaTransformation struct {
		ID      string         `json:"id"`
		Options map[string]any `json:"options"`
	}
)

// datasource is the dashboard variable that selects a Prometheus server.
var datasource = grafanaRef{Type: "prometheus", UID: "${datasource}"}

// newGrafana returns the dashboard for Grafana.
func newGrafana() grafanaDashboard {
	d := grafanaDashboard{
		UID: "errclass", Title: "Errors by category", Description: "What to do next about errors, and why: counted by otelclass.",
		Tags: []string{"errclass", "errors"}, SchemaVersion: 39, Editable: true, GraphTooltip: 1, Refresh: "1m",
		Time: grafanaTime{From: "now-1h", To: "now"},
		Templating: grafanaList{[]grafanaVariable{
			{Name: "datasource", Label: "Prometheus", Type: "datasource", Query: "prometheus"},
			{
				Name: "job", Label: "Service", Type: "query", Query: "label_values(errclass_errors_total, job)", Datasource: &datasource,
				Refresh: 2, IncludeAll: true, AllValue: ".+", Multi: true,
				Current: map[string]any{"text": []string{"All"}, "value": []string{"$__all"}},
			},
		}},
	}
	x, y, height := 0, 0, 0
	for i, p := range panels {
		if x+p.Columns > 24 {
			x, y, height = 0, y+height, 0
		}
		g := newGrafanaPanel(p)
		g.ID, g.GridPos = i+1, grafanaPos{x, y, p.Columns, grafanaHeights[p.Kind]}
		x, height = x+p.Columns, max(height, g.GridPos.H)
		d.Panels = append(d.Panels, g)
	}
	return d
}

// grafanaHeights are panel heights in rows of Grafana's grid. Each row is 30 pixels
// high.
var grafanaHeights = map[kind]int{kindNumber: 4, kindArea: 8, kindBars: 8, kindTimeline: 8, kindTable: 8}

func newGrafanaPanel(p panel) grafanaPanel {
	g := grafanaPanel{Title: p.Title, Description: p.About, Datasource: datasource}
	now := p.Kind != kindArea && p.Kind != kindTimeline
	for i, q := range p.Queries {
		t := grafanaTarget{
			RefID: string(rune('A' + i)), Datasource: datasource, Expr: forGrafana(q.Expr), Instant: now, Range: !now,
			Format: "time_series", LegendFormat: label.ReplaceAllString(q.Legend, "{{$1}}"),
		}
		if p.Kind == kindTable {
			t.Format, t.LegendFormat = "table", ""
		}
		g.Targets = append(g.Targets, t)
	}
	g.FieldConfig = grafanaFields{Defaults: grafanaUnit(p.Unit), Overrides: []grafanaOverride{}}
	fields := &g.FieldConfig.Defaults
	last := map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
	legend := map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true}
	switch p.Kind {
	case kindNumber:
		g.Type = "stat"
		g.Options = map[string]any{"colorMode": "value", "graphMode": "none", "reduceOptions": last}
		fields.Color = &grafanaColor{Mode: "thresholds"}
		fields.Thresholds = &grafanaThresholds{Mode: "absolute", Steps: []grafanaStep{{Color: "text"}}}
		if p.Alarm.Colour != "" {
			fields.Thresholds.Steps = append(fields.Thresholds.Steps, grafanaStep{colour(p.Alarm.Colour), &p.Alarm.From})
		}
	case kindArea:
		g.Type = "timeseries"
		g.Options = map[string]any{"legend": legend, "tooltip": map[string]any{"mode": "multi", "sort": "none"}}
		fields.Min = new(int)
		fields.Custom = map[string]any{
			"drawStyle": "line", "lineWidth": 1, "fillOpacity": 60, "showPoints": "never",
			"stacking": map[string]any{"mode": "normal", "group": "A"},
		}
		g.FieldConfig.Overrides = colourOverrides(p.Order, "^%s$")
	case kindBars:
		g.Type = "bargauge"
		g.Options = map[string]any{"displayMode": "basic", "orientation": "horizontal", "showUnfilled": false, "reduceOptions": last}
		fields.Min = new(int)
		fields.Color = &grafanaColor{Mode: "fixed", FixedColor: colour("context_overflow")}
		if p.Colour != "" {
			g.FieldConfig.Overrides = colourOverrides(categories, "^%s: ")
		}
	case kindTimeline:
		g.Type = "state-timeline"
		g.Options = map[string]any{"showValue": "never", "mergeValues": true, "rowHeight": 0.7, "legend": legend}
		mapped := map[string]grafanaMapped{}
		for i, state := range states {
			mapped[strconv.Itoa(i)] = grafanaMapped{i, strings.ReplaceAll(state, "_", "-"), colour(state)}
		}
		fields.Mappings = []grafanaMapping{{Type: "value", Options: mapped}}
	case kindTable:
		g.Type = "table"
		g.Options = map[string]any{"showHeader": true}
		names := map[string]any{}
		for i, q := range p.Queries {
			value := "Value #" + string(rune('A'+i))
			names[value] = q.Legend
			of := grafanaUnit(q.Unit)
			g.FieldConfig.Overrides = append(g.FieldConfig.Overrides, grafanaOverride{
				Matcher:    grafanaMatcher{"byName", q.Legend},
				Properties: []grafanaProperty{{"unit", of.Unit}, {"decimals", of.Decimals}},
			})
		}
		g.Transformations = []grafanaTransformation{
			{"merge", map[string]any{}},
			{"organize", map[string]any{"excludeByName": map[string]any{"Time": true}, "renameByName": names}},
		}
	}
	return g
}

var label = regexp.MustCompile(`\$(\w+)`)

// forGrafana replaces $range and $window by Grafana's variables.
func forGrafana(expr string) string {
	return strings.NewReplacer("$range", "$__range", "$window", "$__rate_interval").Replace(expr)
}

func grafanaUnit(u unit) grafanaField {
	switch u {
	case unitCount:
		return grafanaField{Unit: "none", Decimals: new(int)}
	case unitRatio:
		return grafanaField{Unit: "percentunit", Decimals: new(int)}
	case unitPerMinute:
		return grafanaField{Unit: "none"}
	}
	return grafanaField{}
}

// colourOverrides sets the colours of series by their names.
func colourOverrides(names []string, pattern string) []grafanaOverride {
	var all []grafanaOverride
	for _, name := range names {
		all = append(all, grafanaOverride{
			Matcher:    grafanaMatcher{"byRegexp", strings.Replace(pattern, "%s", name, 1)},
			Properties: []grafanaProperty{{"color", grafanaColor{Mode: "fixed", FixedColor: colour(name)}}},
		})
	}
	return all
}

// colour returns the dark-theme variant of a colour. This variant is readable on
// light and dark themes.
func colour(name string) string {
	for _, c := range colours {
		if c.Name == name {
			return c.Dark
		}
	}
	return "text"
}
