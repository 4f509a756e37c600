//go:build browser

package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	browser "github.com/errclass/errclass/internal/pages/test"
)

// hostile is the text of an error with markup that must be escaped.
const hostile = `HTTP 503 </script><script>alert(1)</script><img src=x onerror=alert(2)>`

// writeLog writes a log of one hour with 746 errors and 3,600 other lines. A
// database refuses connections in minutes 20 to 29.
func writeLog(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	line := func(at time.Time, level, msg, err string) {
		record := map[string]string{"time": at.Format(time.RFC3339), "level": level, "msg": msg, "service": "shop"}
		if err != "" {
			record["err"] = err
		}
		j, jsonErr := json.Marshal(record)
		require.NoError(t, jsonErr)
		b.Write(append(j, '\n'))
	}
	for s := range 3600 {
		at, minute := start.Add(time.Duration(s)*time.Second), s/60
		line(at, "INFO", "request served", "")
		if s%6 == 0 {
			line(at, "ERROR", "completion failed", "HTTP 529: Overloaded")
		}
		if minute >= 20 && minute < 30 && s%5 == 0 {
			line(at, "ERROR", "query failed", fmt.Sprintf("dial tcp 10.0.0.%d:5432: connect: connection refused", s%200))
		}
		if minute >= 40 && minute < 45 && s%60 == 0 {
			line(at, "ERROR", "completion failed", "HTTP 401: invalid x-api-key")
		}
		if s%180 == 7 {
			line(at, "ERROR", "job failed", "the frobnicator is misaligned")
		}
		if s == 1800 {
			line(at, "ERROR", "job failed", hostile)
		}
	}
	name := filepath.Join(t.TempDir(), "app.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}

// TestTriage uses the page of "errclass triage --html" as a person does.
func TestTriage(t *testing.T) {
	command := os.Getenv("ERRCLASS")
	require.NotEmpty(t, command, "the environment variable ERRCLASS names the command errclass")
	file := filepath.Join(t.TempDir(), "triage.html")
	out, err := exec.CommandContext(t.Context(), command, "triage", "--html", file, writeLog(t)).CombinedOutput()
	require.NoError(t, err, "%s", out)

	p := browser.Open(t, "file://"+file)
	p.Window(1280, 1000, false)
	rows := func() []string { return p.Texts("#groups td.template") }
	counts := func() []string {
		return browser.Value[[]string](p, `[...document.querySelectorAll("#groups tbody td:first-child")].map((e) => e.firstChild.textContent)`)
	}
	status := func(want string) {
		t.Helper()
		p.Until(fmt.Sprintf(`document.querySelector("#status").innerText === %q`, want))
	}

	t.Run("all groups, the largest first", func(t *testing.T) {
		status("5 groups, 746 errors.")
		assert.Equal(t, []string{"600", "120", "20", "5", "1"}, counts())
		assert.Equal(t, "completion failed: HTTP 529: Overloaded", rows()[0])
		assert.Equal(t, "746 errors in 5 groups", p.Text("h1"))
		assert.Equal(t, "descending", browser.Value[string](p, `document.querySelector("#groups th").getAttribute("aria-sort")`))
		assert.Contains(t, browser.Value[string](p, `document.querySelector("#chart svg").getAttribute("aria-label")`), "746 errors from 2026-01-02 03:00")
	})
	p.Screenshot("triage.png")

	t.Run("sort with the keyboard", func(t *testing.T) {
		p.Focus("#groups th button")
		p.Keys(kb.Enter)
		assert.Equal(t, []string{"1", "5", "20", "120", "600"}, counts())
		assert.Equal(t, "ascending", browser.Value[string](p, `document.querySelector("#groups th").getAttribute("aria-sort")`))
		assert.Equal(t, "Errors", browser.Value[string](p, `document.activeElement.innerText`), "the focus stays")
		p.Keys(kb.Enter)
		p.Click("#groups th:nth-child(4) button")
		sorted := rows()
		assert.IsIncreasing(t, sorted)
		p.Click("#groups th:first-child button")
		assert.Equal(t, []string{"600", "120", "20", "5", "1"}, counts())
	})
	t.Run("filter", func(t *testing.T) {
		p.Paste("#search", "REFUSED 5432")
		status("1 of 5 groups, 120 of 746 errors.")
		assert.Contains(t, browser.Value[string](p, `document.querySelector("#chart svg").getAttribute("aria-label")`), "120 errors")
		p.Paste("#search", "nothing has this")
		status("0 of 5 groups, 0 of 746 errors.")
		assert.Contains(t, p.Text("#groups"), "No group matches")
		p.Focus("#search")
		for range len("nothing has this") {
			p.Keys(kb.Backspace)
		}
		status("5 groups, 746 errors.")

		p.Focus("#legend button") // fatal
		p.Keys(" ")
		status("3 of 5 groups, 721 of 746 errors.")
		assert.Equal(t, "false", browser.Value[string](p, `document.activeElement.getAttribute("aria-pressed")`))
		p.Keys(" ")
		browser.Value[bool](p, `(document.querySelector("#reason").value = "authentication", document.querySelector("#reason").dispatchEvent(new Event("change")))`)
		status("1 of 5 groups, 5 of 746 errors.")
		browser.Value[bool](p, `(document.querySelector("#reason").value = "", document.querySelector("#reason").dispatchEvent(new Event("change")))`)
		status("5 groups, 746 errors.")
	})
	t.Run("brush", func(t *testing.T) {
		box := browser.Value[[]float64](p, `(() => { const b = document.querySelector("#chart svg").getBoundingClientRect(); return [b.left + 48, b.top, b.width - 48, b.height]; })()`)
		x := func(minute float64) float64 { return box[0] + box[2]*minute/60 }
		p.Drag(x(20.1), box[1]+60, x(29.9), box[1]+80) // a step has 15 seconds
		p.Until(`document.querySelector("#range").innerText === "zoomed to 2026-01-02 03:20:00 – 2026-01-02 03:30:00"`)
		status("3 of 5 groups, 223 of 746 errors.")
		assert.Equal(t, []string{"120", "100", "3"}, counts())
		assert.Equal(t, []string{"fatal 3", "retryable 220"}, p.Texts("#legend button"))
		p.Screenshot("triage-brush.png")
		p.Keys(kb.Escape)
		status("5 groups, 746 errors.")
	})
	t.Run("zoom with the keyboard", func(t *testing.T) {
		p.Focus("#to")
		p.Keys(kb.Home)
		for range 7 {
			p.Keys(kb.ArrowRight)
		}
		status("2 of 5 groups, 21 of 746 errors.")
		assert.Equal(t, "2026-01-02 03:02:00", browser.Value[string](p, `document.activeElement.getAttribute("aria-valuetext")`))
		p.Click("#whole")
		status("5 groups, 746 errors.")
	})
	t.Run("the figures as a table", func(t *testing.T) {
		p.Click("#figures summary")
		p.Until(`document.querySelectorAll("#figures tbody tr").length === 240`)
		assert.Equal(t, "2026-01-02 03:40:00", p.Texts("#figures tbody tr td:first-child")[160])
		p.Click("#figures summary")
	})
	t.Run("open a group with the keyboard, and go back", func(t *testing.T) {
		p.Focus("#groups tbody tr:nth-child(2) a")
		p.Keys(kb.Enter)
		p.Until(`document.querySelector("#group-title")`)
		assert.Equal(t, "query failed: dial tcp <ip>:<num>: connect: connection refused", p.Text("#group-title"))
		assert.Equal(t, "group-title", browser.Value[string](p, `document.activeElement.id`))
		group := p.Text("#group")
		assert.Contains(t, group, "retryable / network")
		assert.Contains(t, group, "First 2026-01-02 03:20:00")
		assert.Contains(t, group, "dial tcp 10.0.0.0:5432: connect: connection refused")
		assert.Contains(t, group, "Look at first")
		assert.NotEmpty(t, p.Texts(".advice li"))
		p.Until(`document.querySelector("#group .plot .part")`)
		p.Screenshot("triage-group.png")
		browser.Value[bool](p, `(history.back(), true)`)
		p.Until(`!document.querySelector("#list").hidden`)
		assert.Contains(t, browser.Value[string](p, `document.activeElement.innerText`), "connection refused", "the focus returns")
	})
	t.Run("hostile text is text", func(t *testing.T) {
		p.Click("#groups tbody tr:last-child a")
		p.Until(`document.querySelector("#group pre")`)
		assert.Contains(t, p.Text("#group pre"), hostile)
		assert.Zero(t, browser.Value[int](p, `document.querySelectorAll("main img, main script").length`))
		p.Click("#back")
		p.Until(`!document.querySelector("#list").hidden`)
	})
	t.Run("names, headings and tables", func(t *testing.T) {
		assert.Empty(t, browser.Value[[]string](p, `[...document.querySelectorAll("button, input, select, table, a")].filter((e) =>
			!(e.innerText || "").trim() && !e.getAttribute("aria-label") && !(e.labels && e.labels.length && e.labels[0].innerText.trim())).map((e) => e.outerHTML)`))
		assert.Equal(t, 1, browser.Value[int](p, `document.querySelectorAll("h1").length`))
		assert.Empty(t, browser.Value[[]string](p, `[...document.querySelectorAll("th")].filter((e) => e.scope !== "col").map((e) => e.outerHTML)`))
	})
	t.Run("a phone, in the dark", func(t *testing.T) {
		p.Window(390, 844, true)
		p.Until(`document.querySelector("#chart svg").getAttribute("viewBox").split(" ")[2] < 390`)
		assert.Empty(t, p.Wide())
		roles := p.Roles()
		assert.Equal(t, 6, roles["row"], "five groups and the heading are rows for screen readers too")
		assert.Equal(t, 30, roles["cell"])
		p.Screenshot("triage-phone.png")
		p.Click("#groups a")
		p.Until(`document.querySelector("#group .plot .part")`)
		assert.Empty(t, p.Wide())
	})
	assert.Empty(t, p.Faults())
	for _, r := range p.Requests() {
		assert.True(t, strings.HasPrefix(r, "file://"+file) || strings.HasPrefix(r, "data:,"), "request of %s", r)
	}
}
