// Package browser opens pages of this repository in a headless Chromium. The tests have
// the build tag browser. The scripts named check.sh run the tests.
package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Page is an open tab. If one of its methods fails, the test fails.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	faults   []string
}

// testLimit is the time limit of a test. waitLimit is the time limit of one call of
// [Page.Until].
const (
	testLimit = 5 * time.Minute
	waitLimit = time.Minute
)

// Open starts a browser and opens address in a window of 1280 by 900 pixels.
func Open(t testing.TB, address string) *Page {
	t.Helper()
	p := &Page{t: t}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.NoSandbox, // root in a container cannot have one
		chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1280, 900),
	})
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	p.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Listen(p.ctx, p.listen))
	_, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	p.Go(address)
	return p
}

// Go opens address in the same tab.
func (p *Page) Go(address string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
}

// listen records requests and faults.
func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		fault := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			fault += " " + x.Description
		}
		p.faults = append(p.faults, fault)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.faults = append(p.faults, e.Entry.Text)
		}
	case *page.EventJavascriptDialogOpening:
		p.faults = append(p.faults, "dialog: "+e.Message)
	}
}

// Requests returns the addresses that the browser has requested.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Faults returns uncaught exceptions, dialogs, and messages that the browser logged
// as errors. These include each breach of the Content-Security-Policy.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.faults)
}

func (p *Page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, actions...))
}

// Click clicks the first element that matches a CSS selector.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// Focus focuses the first element that matches a CSS selector.
func (p *Page) Focus(selector string) {
	p.t.Helper()
	p.do(chromedp.Focus(chromedp.CSS(selector)))
}

// Keys presses keys. For keys without a character, use the constants of package kb.
func (p *Page) Keys(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// Drag presses the mouse button at one point of the window and releases it at
// another.
func (p *Page) Drag(fromX, fromY, toX, toY float64) {
	p.t.Helper()
	p.do(chromedp.DragAndDropXY(fromX, fromY, toX, toY))
}

// Paste replaces the text of a field, as if a person had pasted the new text.
func (p *Page) Paste(selector, text string) {
	p.t.Helper()
	p.Focus(selector)
	Value[bool](p, `document.activeElement.select(), true`)
	_, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(p.t, err)
}

// Until waits until a JavaScript expression is true.
func (p *Page) Until(expression string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((resolve) => {
		const end = Date.now() + %d;
		const look = () => (%s) ? resolve(true) : Date.now() > end ? resolve(false) : setTimeout(look, 20);
		look();
	})`, waitLimit.Milliseconds(), expression)
	ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	require.True(p.t, ok, "until %s; faults %q; the page has\n%s", expression, p.Faults(), p.Text("body"))
}

// Text returns the visible text of the first element that matches a selector, with
// single spaces. If no element matches, it returns "".
func (p *Page) Text(selector string) string {
	p.t.Helper()
	texts := p.Texts(selector)
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

// Texts returns the visible texts of all elements that match a selector.
func (p *Page) Texts(selector string) []string {
	p.t.Helper()
	texts := Value[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.innerText)`, selector))
	for i, s := range texts {
		texts[i] = strings.Join(strings.Fields(s), " ")
	}
	return texts
}

// Value returns the value of a JavaScript expression.
func Value[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return v
}

// Window changes the size of the window. dark says whether the user prefers dark
// pages.
func (p *Page) Window(width, height int64, dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(p.t, err)
}

// Roles counts the elements of the page by their accessibility role, such as
// "button".
func (p *Page) Roles() map[string]int {
	p.t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	require.NoError(p.t, err)
	roles := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Role != nil && !n.Ignored {
			roles[strings.Trim(string(n.Role.Value), `"`)]++
		}
	}
	return roles
}

// CPU is the processor time that each process of a browser has used, by process
// id.
type CPU map[int64]time.Duration

// CPU returns the processor time that the browser has used so far.
func (p *Page) CPU() CPU {
	p.t.Helper()
	info, err := chromedp.CallBrowser(p.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	require.NoError(p.t, err)
	used := CPU{}
	for _, one := range info.ProcessInfo {
		used[one.ID] = time.Duration(one.CPUTime * float64(time.Second))
	}
	return used
}

// Since returns the processor time that was used after an earlier measurement.
func (c CPU) Since(earlier CPU) (used time.Duration) {
	for id, now := range c {
		used += now - earlier[id]
	}
	return used
}

// Wide returns the elements beyond the right edge of the window. If the page is not
// too wide, it returns none.
func (p *Page) Wide() []string {
	p.t.Helper()
	return Value[[]string](p, `document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className)`)
}

// Screenshot writes a picture of the window into the directory that the environment
// variable SCREENSHOTS names. If SCREENSHOTS is not set, Screenshot does nothing.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name), png, 0o600))
}
