//go:build browser

package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	browser "github.com/errclass/errclass/internal/pages/test"
)

// server serves the file that the environment variable PLAYGROUND names. It is a
// plain static file server.
func server(t *testing.T) (address string, requests *atomic.Int64) {
	t.Helper()
	path := os.Getenv("PLAYGROUND")
	require.NotEmpty(t, path, "run examples/playground/check.sh")
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeFile(w, r, path)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/", requests
}

// These are JavaScript expressions. answered is true once the page has shown an answer.
// ready is true once the classifier of the page runs.
const (
	answered = `performance.getEntriesByName("first-answer").length === 1`
	ready    = `performance.getEntriesByName("ready").length === 1`
)

// TestPlayground uses the page as a person does: it pastes texts and clicks.
func TestPlayground(t *testing.T) {
	address, requests := server(t)
	p := browser.Open(t, address)
	p.Until(answered)
	built := p.Texts("#status, #explanation")
	p.Until(ready)

	t.Run("the first example is answered", func(t *testing.T) {
		assert.Equal(t, built, p.Texts("#status, #explanation"), "the answer that was built in is the classifier's")
		assert.Equal(t, "fatal / budget_exceeded", p.Text(".verdict"))
		assert.Equal(t, []string{"insufficient_quota"}, p.Texts("pre mark.decided"))
		assert.Contains(t, p.Texts("pre mark.lost"), "HTTP 429 Too Many Requests")
		assert.Contains(t, p.Text(".answer table"), "beaten by code/insufficient-quota: cause before code")
		assert.Regexp(t, `confidence (9\d|100) %`, p.Text(".confidence"))
	})
	p.Window(1040, 1080, false)
	p.Screenshot("playground.png")
	p.Window(1280, 900, false)

	t.Run("a pasted error", func(t *testing.T) {
		p.Paste("#text", "dial tcp 10.0.0.7:5432: connect: connection refused")
		p.Until(`document.querySelector(".verdict").innerText === "retryable / network"`)
		assert.Equal(t, []string{"connection refused"}, p.Texts("pre mark.decided"))
		assert.Contains(t, p.Text("#explanation"), "Up to 6 calls in all")
	})
	t.Run("the words that the model knows", func(t *testing.T) {
		p.Click("#examples button:nth-of-type(4)")
		p.Until(`document.querySelector(".confidence code").innerText === "model"`)
		assert.NotEmpty(t, p.Texts("pre mark.word"))
		assert.Contains(t, p.Text(".model"), "The model says")
	})
	p.Screenshot("playground-model.png")

	t.Run("the page answers as the library does", func(t *testing.T) {
		for _, text := range []string{
			"HTTP 429: rate limit exceeded, retry in 7s", "context canceled", "maximum context length is 8192 tokens", "no such host",
			"the upstream host went away before sending the full answer", "größter Fehler – 注意", "\x1b[31mpanic: runtime error: index out of range",
		} {
			want := classify.Message(text)
			p.Paste("#text", text)
			p.Until(fmt.Sprintf(`document.querySelector("pre").textContent === %q`, text))
			assert.Equal(t, string(want.Category)+" / "+string(want.Reason), p.Text(".verdict"), text)
			assert.Equal(t, want.Rule, p.Text(".confidence code"), text)
			assert.Contains(t, p.Text(".confidence"), fmt.Sprintf("%.0f %%", 100*want.Confidence), text)
		}
	})
	t.Run("markup is text", func(t *testing.T) {
		const hostile = `HTTP 503 <script>alert(1)</script><img src=x onerror=alert(2)> </pre><svg onload=alert(3)>`
		p.Paste("#text", hostile)
		p.Until(`document.querySelector(".verdict").innerText === "retryable / transient"`)
		assert.Equal(t, hostile, p.Text("pre"))
		p.Paste("#text", strings.Repeat("level=error msg=\"<img src=x onerror=alert(4)> 503\"\n", 2))
		p.Until(`document.querySelectorAll("#groups tbody tr").length === 1`)
		assert.Zero(t, browser.Value[int](p, `document.querySelectorAll("main img, main svg, main script").length`))
	})
	t.Run("a log, with the keyboard alone", func(t *testing.T) {
		p.Focus("#text")
		for range 5 { // the examples
			p.Keys(kb.Tab)
		}
		assert.Equal(t, "a log", browser.Value[string](p, `document.activeElement.innerText`))
		p.Keys(kb.Enter)
		p.Until(`document.querySelector("#status").innerText.startsWith("7 errors in 10 lines, in 4 groups")`)
		assert.Equal(t, []string{"retryable / transient", "retryable / network", "retryable / transient", "fatal / authentication"}, p.Texts("#groups .chip"))
		assert.Equal(t, []string{"3", "2", "1", "1"}, p.Texts("#groups tbody td:first-child"))
		for range 4 { // the groups
			p.Keys(kb.Tab)
		}
		p.Keys(kb.Enter)
		assert.Equal(t, "fatal / authentication", p.Text(".verdict"))
		assert.Equal(t, 1, browser.Value[int](p, `document.querySelectorAll("tr[aria-current]").length`))
		assert.NotEqual(t, "none", browser.Value[string](p, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is visible")
	})
	p.Screenshot("playground-log.png")

	t.Run("every control has a name", func(t *testing.T) {
		assert.Empty(t, browser.Value[[]string](p, `[...document.querySelectorAll("button, textarea, select, table, a")].filter((e) =>
			!(e.innerText || "").trim() && !e.getAttribute("aria-label") && !(e.labels && e.labels.length)).map((e) => e.outerHTML)`))
	})
	t.Run("a phone, in the dark", func(t *testing.T) {
		p.Window(390, 844, true)
		assert.Empty(t, p.Wide())
		p.Screenshot("playground-phone.png")
		p.Click("#examples button:nth-of-type(1)")
		assert.Empty(t, p.Wide())
		p.Window(1280, 1080, true)
		p.Screenshot("playground-dark.png")
	})
	t.Run("nothing leaves the page", func(t *testing.T) {
		assert.Empty(t, p.Faults(), "before the attempts")
		assert.Equal(t, "refused", browser.Value[string](p, `fetch(location.href).then(() => "sent", () => "refused")`))
		assert.Equal(t, "refused", browser.Value[string](p, fmt.Sprintf(`new Promise((resolve) => {
			const image = new Image();
			image.onload = () => resolve("sent");
			image.onerror = () => resolve("refused");
			image.src = %q;
		})`, address+"?text")))
		browser.Value[bool](p, `navigator.sendBeacon(location.href, "text")`)
		assert.NotEmpty(t, p.Faults(), "the browser reports the attempts")
		var sent []string
		for _, r := range p.Requests() {
			if !strings.HasPrefix(r, "data:,") { // the empty icon
				sent = append(sent, r)
			}
		}
		assert.Equal(t, address, sent[0])
		assert.EqualValues(t, 1, requests.Load(), "the server got: the page alone")
	})
}

// TestPlaygroundFile opens the page as a file, without a server.
func TestPlaygroundFile(t *testing.T) {
	path := os.Getenv("PLAYGROUND")
	require.NotEmpty(t, path, "run examples/playground/check.sh")
	p := browser.Open(t, "file://"+path)
	p.Until(answered)
	assert.Equal(t, "fatal / budget_exceeded", p.Text(".verdict"))
	assert.Empty(t, p.Faults())
}

// TestPlaygroundStart logs two times: until the page shows the answer that it contains,
// and until the classifier answers. Both times depend on the machine, so the test
// requires only that the page's answer comes before the classifier's.
func TestPlaygroundStart(t *testing.T) {
	address, _ := server(t)
	p := browser.Open(t, "about:blank")
	for range 3 {
		before := p.CPU()
		p.Go(address)
		p.Until(ready)
		used := p.CPU().Since(before)
		first := browser.Value[float64](p, `performance.getEntriesByName("first-answer")[0].startTime`)
		own := browser.Value[float64](p, `performance.getEntriesByName("ready")[0].startTime`)
		assert.Positive(t, first)
		assert.Greater(t, own, first, "the first answer does not wait for the classifier")
		t.Logf("first answer after %.0f ms, the classifier's after %.0f ms, with %d ms of processor time", first, own, used.Milliseconds())
	}
}
