package classify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/ruledoc"
	"github.com/errclass/errclass/classify/internal/standard"
	"github.com/errclass/errclass/internal/form"
)

// A variation changes a text, but not its meaning. So the text must keep its category.
type variation struct {
	kind string // trace, prefix, case, width or space
	name string
	vary func(text string) string
}

func behind(trace string) func(string) string {
	return func(text string) string { return text + trace }
}
func inFront(prefix string) func(string) string {
	return func(text string) string { return prefix + text }
}

// The names in these stack traces are deliberately misleading.
var traces = []variation{
	{"trace", "a trace of Go", behind("\n\ngoroutine 42 [running]:\nnet/http.(*persistConn).roundTrip(0xc0001a2000, 0xc0004b6000)\n" +
		"\t/usr/local/go/src/net/http/transport.go:2760 +0x9c5\ngithub.com/acme/pay/ratelimit.(*Client).doTimeout(...)\n\t/src/retry/timeout.go:429\n" +
		"created by main.(*Connection).Refused in goroutine 1\n\t/src/cmd/panic/forbidden.go:403 +0x8f")},
	{"trace", "a trace of pkg/errors", behind("\ngithub.com/acme/pay/timeout.Forbidden\n\t/src/pay/timeout/forbidden.go:401\nruntime.main\n\t/usr/local/go/src/runtime/proc.go:283")},
	{"trace", "a trace of Java", behind("\n\tat java.base/java.net.SocketTimeoutException.socketRead0(Native Method)\n" +
		"\tat com.acme.auth.TokenExpiredFilter.doFilter(TokenExpiredFilter.java:404)\n" +
		"\tat com.acme.JsonParseException$Handler.lambda$0(Unknown Source) ~[acme-1.2.jar:1.2]\n\t... 23 more")},
	{"trace", "a trace of .NET", behind("\r\n   at System.Net.Sockets.ConnectionRefused.Throw(SocketError error, CancellationToken token) in /_/src/Timeout.cs:line 503\r\n   at Acme.OutOfMemoryException.MoveNext()")},
	{"trace", "a trace of Python", behind("\nTraceback (most recent call last):\n  File \"/app/retry/timeout.py\", line 404, in call\n    return self._session.request(method, url, timeout=30)\n" +
		"           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/app/json_decode.py\", line 12, in permission_denied\n    raise ConnectionError('rate limit exceeded', request=request)")},
	{"trace", "a trace of Node", behind("\n    at TLSSocket.onConnectEnd (node:_tls_wrap:1727:19)\n    at listOnTimeout (node:internal/timers:581:17)\n" +
		"    at async AuthenticationError.generate (/app/node_modules/openai/error.js:45:20)\n    at JSON.parse (<anonymous>)\n    at file:///app/timeout.mjs:429:7")},
	{"trace", "a trace of Node in JSON", behind(`\n    at TLSSocket.onConnectEnd (node:_tls_wrap:1727:19)\n    at RateLimitError.generate (/app/error.js:45:20)`)},
}

var prefixes = []variation{
	{"prefix", "a prefix of logback", inFront("2026-11-06T08:49:37.123Z ERROR [worker-3] com.acme.Billing - ")},
	{"prefix", "a prefix of syslog", inFront("Nov  6 08:49:37 host7 svc[4312]: ")},
	{"prefix", "a prefix of logfmt", inFront("time=2026-11-06T08:49:37Z level=error logger=sync request_id=0b7e44c1-58d2-4f6a-9313-ce20a86f7d15 msg=")},
	{"prefix", "a prefix of klog", inFront("E1106 08:49:37.123456    4312 sync.go:88] ")},
	{"prefix", "a time", inFront("[08:49:37] (main) ")},
	{"prefix", "a sentence", inFront("the call to the worker did not work: ")},
}

var cases = []variation{
	{"case", "upper case", strings.ToUpper},
	{"case", "lower case", strings.ToLower},
}

// These variations break lines at the width of a terminal, or of a box in it.
var widths = []variation{
	{"width", "72 columns", func(text string) string { return wrapLines(text, 72, "") }},
	{"width", "80 columns", func(text string) string { return wrapLines(text, 80, "") }},
	{"width", "100 columns, indented", func(text string) string { return wrapLines(text, 100, "  ") }},
}

// These variations replace spaces by similar or invisible characters.
var spacing = []variation{
	{"space", "doubled spaces", func(text string) string { return strings.ReplaceAll(text, " ", "  ") }},
	{"space", "non-breaking spaces", func(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }},
	{"space", "tabs", func(text string) string { return strings.ReplaceAll(text, " ", "\t") }},
	{"space", "a colour for each word", func(text string) string {
		return "\x1b[1;31m" + strings.ReplaceAll(text, " ", "\x1b[0m \x1b[38;5;196m") + "\x1b[0m\x1b[K"
	}},
	{"space", "colours of rsyslog", func(text string) string { return "#033[31m" + strings.ReplaceAll(text, ": ", "#033[0m: ") + "#033[0m" }},
	{"space", "colours in JSON", func(text string) string {
		return `\u001b[31m` + strings.ReplaceAll(text, ": ", `\u001b[0m: \x1b[1m`) + `\u001b[0m`
	}},
	{"space", "a long colour", func(text string) string {
		return "\x1b[0;1;4;38;2;255;255;255;48;2;100;100;100m" + strings.ReplaceAll(text, " ", " \x1b[m")
	}},
	{"space", "links", func(text string) string {
		return "\x1b]8;;https://a.example/401\x1b\\" + strings.ReplaceAll(text, ": ", "\x1b]8;;\u009c: ") + "\x1b]8;;\a"
	}},
	{"space", "links in JSON", func(text string) string {
		return `\u001b]8;;https://a.example/401\u0007` + strings.ReplaceAll(text, ": ", `\u001b]8;;\u0007: `)
	}},
	{"space", "colours in JSON in JSON", func(text string) string { return `\\u001b[31m` + strings.ReplaceAll(text, " ", ` \\u001b[0m`) }},
	{"space", "colours in HTML", func(text string) string { return `&#27;[31m` + strings.ReplaceAll(text, " ", ` &#x1b;[0m`) }},
	{"space", "spaces in HTML", func(text string) string { return strings.ReplaceAll(text, " ", "&#160;") }},
	{"space", "spaces in JSON", func(text string) string { return strings.ReplaceAll(text, " ", `\u3000`) }},
	{"space", "spaces of rsyslog", func(text string) string { return strings.ReplaceAll(text, " ", "#302#240") }},
	{"space", "spaces in Latin-1", func(text string) string { return strings.ReplaceAll(text, " ", "\xa0") }},
	{"space", "control characters", func(text string) string { return strings.ReplaceAll(text, "e", "e\x00\x0e") }},
	{"space", "variation selectors", func(text string) string { return strings.ReplaceAll(text, "e", "e\ufe0f\u034f") }},
	{"space", "struck over", func(text string) string { return strings.ReplaceAll(text, "e", "e\be") }},
	{"space", "spaces at the ends of lines", func(text string) string { return strings.ReplaceAll(text, "\n", "  \r\n") + " \r" }},
	{"space", "zero width spaces", func(text string) string { return "\ufeff" + strings.ReplaceAll(text, " ", " \u200b") }},
}

// wrapLines breaks lines that are longer than width. If a word is longer, it returns
// the text unchanged.
func wrapLines(text string, width int, indent string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for len(line) > width {
			at := strings.LastIndexByte(line[:width+1], ' ')
			if at <= len(indent) {
				return text
			}
			lines = append(lines, line[:at])
			line = indent + line[at+1:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// unstable lists the texts for which TestStable accepts a new category. It gives the
// kind of variation and the reason.
var unstable = map[string]struct{ kind, why string }{
	"Aborted!":               {"prefix", "the word counts only where it is the whole line"},
	`rate limit "user" is 3`: {"prefix", "in a line that calls itself an error, it is one"},
	"Your rate limit will reset at the start of the next hour.":                                                         {"prefix", "the same"},
	"Future#WaitForCompletion: context has been cancelled: StatusCode=200 -- Original Error: context deadline exceeded": {"width", "a line that begins with Error: stands for itself"},
	"app/s1 0/0/1/-1/50001 504 194 - - sH-- 1/1/0/0/0 0/0":                                                              {"case", "HAProxy's letters of termination mean something else in the other case"},
}

// TestStable varies every message of the corpus and every example of the rules. The
// model may change the category of one text in forty.
func TestStable(t *testing.T) {
	t.Parallel()
	texts := append(corpusMessages(t), ruleExamples(t)...)
	for _, v := range slices.Concat(traces, prefixes, cases, widths, spacing) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			unsure := 0
			for _, text := range texts {
				if unstable[text].kind == v.kind {
					continue
				}
				is, was := Message(v.vary(text)), Message(text)
				if is.Category != was.Category && (is.Rule == RuleModel || was.Rule == RuleModel) {
					unsure++
					continue
				}
				assert.Equal(t, was.Category, is.Category, "%s, where %s decided, not %s: %q", was.Category, was.Rule, is.Rule, text)
			}
			t.Logf("answers of the model that change: %d of %d", unsure, len(texts))
			assert.LessOrEqual(t, unsure, len(texts)/40, "answers of the model that change")
		})
	}
	for text := range unstable {
		assert.Contains(t, texts, text, "an exception that is none")
	}
}

// ruleExamples returns the examples of all rules, both matching and not matching.
func ruleExamples(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("rules/*.yaml")
	require.NoError(tb, err)
	var all []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(tb, err)
		doc, err := ruledoc.Read(strings.NewReader(string(data)))
		require.NoError(tb, err)
		for _, r := range doc.Rules {
			all = append(append(all, r.Match...), r.Miss...)
		}
	}
	require.NotEmpty(tb, all)
	return all
}

// TestMiddleIsNotRead checks that the middle of a long text is not read.
func TestMiddleIsNotRead(t *testing.T) {
	t.Parallel()
	const half = DefaultMaxBytes / 2
	for _, text := range corpusMessages(t)[:20] {
		long := strings.Repeat(text, 4*half/len(text)+1)
		other := long[:half] + strings.Repeat(" HTTP 402", len(long)) + long[len(long)-half:]
		assert.Equal(t, Message(long), Message(other))
	}
}

// FuzzMessage checks that results are valid and repeatable. A stack trace or the
// case of letters must not matter.
func FuzzMessage(f *testing.F) {
	const every = 20 // with more seeds, the start takes too long
	for i, text := range append(corpusMessages(f), ruleExamples(f)...) {
		if i%every == 0 {
			f.Add(text)
		}
	}
	byCase := map[string]bool{} // ids of the rules that do not ignore case
	for _, r := range standard.Rules {
		byCase[r.ID] = strings.Contains(r.Pattern, "(?-i")
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Message(text)
		require.Equal(t, got, Message(text), "remembered")
		require.True(t, got.Reason.Valid())
		require.NotEmpty(t, got.Category)
		require.NotEqual(t, CategoryTimeout, got.Category, "never of a text")
		require.NotContains(t, got.Rule, panicSuffix)

		if len(text) > DefaultMaxBytes/4 || !utf8.ValidString(text) || withoutFrames(text) != text || form.TrimSpaces(text) != text || strings.Contains(text, "  ") {
			return // too long, not valid UTF-8, or with frames or extra spaces of its own
		}
		for _, v := range traces {
			is := Message(v.vary(text))
			require.NotContains(t, is.Rule, panicSuffix, v.name)
			require.Equal(t, got.Category, is.Category, "%s: %s, not %s", v.name, is.Rule, got.Rule)
		}
		for _, vary := range []func(byte) byte{upper, lower} {
			other := mapBytes(text, vary)
			if plain := form.PlainText(other); withoutFrames(plain) != plain {
				continue // "at" may begin a frame, "At" does not
			}
			is := Message(other)
			require.NotContains(t, is.Rule, panicSuffix)
			if !byCase[is.Rule] && !byCase[got.Rule] {
				require.Equal(t, got.Category, is.Category, "in another case %s, not %s", is.Rule, got.Rule)
			}
		}
	})
}

func mapBytes(s string, f func(byte) byte) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = f(c)
	}
	return string(b)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c &^ 0x20
	}
	return c
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
