package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The committed files must match the table of panels.
func TestFilesAreFresh(t *testing.T) {
	t.Parallel()
	all, err := files()
	require.NoError(t, err)
	require.Len(t, all, 2)
	for name, content := range all {
		committed, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, string(content), string(committed), "%s: go generate ./examples/dashboard", name)
	}
}

func TestPanels(t *testing.T) {
	t.Parallel()
	ids, known := map[string]bool{}, map[string]bool{}
	for _, c := range colours {
		assert.False(t, known[c.Name], "colour %q is there twice", c.Name)
		known[c.Name] = true
		assert.Regexp(t, `^#[0-9a-f]{6} #[0-9a-f]{6}$`, c.Light+" "+c.Dark)
	}
	columns := 0
	for _, p := range panels {
		assert.Regexp(t, `^[a-z]+(-[a-z]+)*$`, p.ID)
		assert.False(t, ids[p.ID], "panel %q is there twice", p.ID)
		ids[p.ID] = true
		assert.NotEmpty(t, p.Title, p.ID)
		assert.NotEmpty(t, p.About, p.ID)
		assert.NotEmpty(t, p.Queries, p.ID)
		assert.True(t, p.Alarm.Colour == "" || known[p.Alarm.Colour], "%s: colour %q", p.ID, p.Alarm.Colour)
		for _, name := range p.Order {
			assert.True(t, known[name], "%s: colour %q", p.ID, name)
		}
		columns += p.Columns
		assert.LessOrEqual(t, columns, 24, "%s does not fit into its row", p.ID)
		columns %= 24
	}
	assert.Zero(t, columns, "columns that the last row leaves empty")
}

// TestGrafanaModel checks that the parts of grafana.json fit together. Grafana
// silently ignores unknown fields.
func TestGrafanaModel(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("grafana.json")
	require.NoError(t, err)
	var d grafanaDashboard
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))

	assert.NotEmpty(t, d.UID)
	require.Len(t, d.Templating.List, 2)
	assert.Equal(t, "${"+d.Templating.List[0].Name+"}", datasource.UID)
	assert.Equal(t, "job", d.Templating.List[1].Name)
	require.Len(t, d.Panels, len(panels))

	types := map[kind]string{
		kindNumber: "stat", kindArea: "timeseries", kindTimeline: "state-timeline", kindBars: "bargauge", kindTable: "table",
	}
	taken := map[[2]int]string{}
	for i, p := range d.Panels {
		assert.Equal(t, i+1, p.ID, p.Title)
		assert.Equal(t, types[panels[i].Kind], p.Type, p.Title)
		assert.Equal(t, datasource, p.Datasource, p.Title)
		assert.Positive(t, p.GridPos.H, p.Title)
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				assert.Empty(t, taken[at], "%q lies over another panel", p.Title)
				taken[at] = p.Title
			}
		}
		require.Len(t, p.Targets, len(panels[i].Queries), p.Title)
		refs := map[string]bool{}
		for _, target := range p.Targets {
			assert.False(t, refs[target.RefID], "%q: two queries %s", p.Title, target.RefID)
			refs[target.RefID] = true
			assert.Equal(t, datasource, target.Datasource, p.Title)
			assert.NotEqual(t, target.Instant, target.Range, p.Title)
			assert.NotContains(t, strings.ReplaceAll(target.Expr, "$__range", ""), "$range", p.Title)
		}
		for _, o := range p.FieldConfig.Overrides {
			if o.Matcher.ID == "byRegexp" {
				assert.NotPanics(t, func() { regexp.MustCompile(o.Matcher.Options) }, p.Title)
			}
			assert.NotEmpty(t, o.Properties, p.Title)
		}
	}
}

// The page loads nothing except data from the Prometheus server that serves the
// page.
func TestConsoleHasNoAssets(t *testing.T) {
	t.Parallel()
	page, err := newConsole()
	require.NoError(t, err)
	text := strings.ReplaceAll(string(page), `"http://www.w3.org/2000/svg"`, "") // a name, not an address
	assert.NotRegexp(t, `https?://|//[a-z]+\.|@import|<script src|url\(`, text)
	assert.Equal(t, 1, strings.Count(text, "fetch("))
	assert.NotContains(t, text, "`", "html/template of newer Prometheus is strict about template literals")
	for _, p := range panels {
		assert.Contains(t, text, `<section id="`+p.ID+`"`)
	}
}
