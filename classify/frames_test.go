package classify

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/form"
)

// withoutFrames replaces the frames of stack traces in text by "|".
func withoutFrames(text string) string {
	var all []string
	frames := form.NewFrameReader(text)
	for at := 0; at < len(text); {
		var s string
		if s, at = frames.Next(at); s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, "|")
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"one line", "dial tcp: timeout at 12:30", "dial tcp: timeout at 12:30"},
		{"lines without frames", "a\n  b at c\nat last\n", "a\n  b at c\nat last\n"},
		{"empty", "", ""},
		{
			"go panic", "panic: boom\n\ngoroutine 7 [chan receive, 2 minutes]:\nmain.(*T).timeout(0xc00001, {0x1, 0x2})\n\t/src/timeout.go:12 +0x1d\n" +
				"created by main.run in goroutine 1\n\t/src/a.go:7 +0x8\nexit status 2\n", "panic: boom|\nexit status 2\n",
		},
		{"pkg/errors", "open x: denied\ngithub.com/a/b.open\n\tgithub.com/a/b/open.go:7\nmain.main\n\t/src/main.go:9\r\n", "open x: denied|\n"},
		{"a position of Go's with more to say", "x\n\tmain.go:7: undefined: y", "x\n\tmain.go:7: undefined: y"},
		{"the message above a position is no function", "EOF\n\t/src/main.go:12", "EOF"},
		{"nor is one with spaces", "dial (timeout)\n\t/src/main.go:12", "dial (timeout)"},
		{
			"java", "java.io.IOException: reset\n\tat java.base/java.net.Socket.read(Socket.java:183) ~[a.jar:1.2]\n\tat a.B$C.lambda$0(Unknown Source)\n" +
				"\t... 23 more\nCaused by: x.Y: z\n\t... 9 common frames omitted\nend", "java.io.IOException: reset|\nCaused by: x.Y: z|\nend",
		},
		{"dotnet", "X: y\r\n   at A.B.C(String host, Int32 n) in /src/A.cs:line 12\r\n   at D.<E>d__3.MoveNext()\r\ndone", "X: y|\r\ndone"},
		{
			"node", "Error: read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20)\n    at async Promise.all (index 0)\n" +
				"    at new Timeout (<anonymous>)\n    at file:///srv/a.mjs:4:2\n    at Object.<anonymous> [as f] (/srv/a b.js:1:2) {\n  code: 'ECONNRESET'\n}",
			"Error: read ECONNRESET| {\n  code: 'ECONNRESET'\n}",
		},
		{"eval", "E\n    at eval (eval at <anonymous> (/srv/a.js:1:2), <anonymous>:1:1)x", "E|x"},
		{
			"python", "Traceback (most recent call last):\n  File \"/srv/retry.py\", line 404, in <module>\n    raise ConnectionError(e)\n    ^^^^^^^^\n" +
				"  File \"/srv/b.py\", line 1, in f\nValueError: bad\n", "\nValueError: bad\n",
		},
		{"in JSON", `{"stack":"Error: x\n    at f (/a.js:1:2)\n    at /b.js:3:4","code":429}`, `{"stack":"Error: x|","code":429}`},
		{"python in JSON", `{"e":"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise Timeout\nboom"}`, `{"e":"Traceback (most recent call last):|\nboom"}`},
		{
			"behind a collector's prefix", "app-1  | Error: x\napp-1  |     at f (/a.js:1:2)\napp-1  |   File \"a.py\", line 3, in g\nend",
			"app-1  | Error: x\napp-1  ||\napp-1  ||\nend",
		},
		{"php", "PHP Fatal error: x\n#0 /srv/timeout.php(12): f()\n#1 {main}\n", "PHP Fatal error: x|\n#1 {main}\n"},
		{"dart", "Bad state\n#0      f (package:a/a.dart:5:2)\n", "Bad state|\n"},
		{"ruby", "x (Errno::ECONNRESET)\n\tfrom /srv/a.rb:12:in `f'\n", "x (Errno::ECONNRESET)|\n"},
		{"cut off", "Error: x\n    at f (/srv/timeo", "Error: x\n    at f (/srv/timeo"},
		{"cut off behind the line", "Error: x\n    at f (/srv/timeout.js:12", "Error: x"},
		{"prose that is indented", "limits:\n    at least (three) tries\n    at 12:30 (UTC)\n    at once", "limits:\n    at least (three) tries\n    at 12:30 (UTC)\n    at once"},
		{"a cause in brackets", "x\n    at startup (connect: ECONNREFUSED)", "x\n    at startup (connect: ECONNREFUSED)"},
		{"a cause in the brackets of a call", "x\n    at payments.charge(status=402, insufficient_quota)", "x\n    at payments.charge(status=402, insufficient_quota)"},
		{"one in words", "x\n    at db.query(connection refused)", "x\n    at db.query(connection refused)"},
		{"one that is cut off", "x\n    at db.query(ERROR: deadlock", "x\n    at db.query(ERROR: deadlock"},
		{"an address with more to say", "x\nat api.openai.com:443 connection refused", "x\nat api.openai.com:443 connection refused"},
		{"parameters of .NET", "x\n   at A.B(Func`2 f, TState& s, <>c<T>.<b>d& m, Int32)\n   at A.C()\n   at A.D(String h, ", "x"},
		{"places of Java", "x\n\tat a.B.c(<generated>)\n\tat a.B.c(B.java)\n\tat a.B.c(Native Method)", "x"},
		{"a file that is named", "x\nFile \"a.json\" was not found", "x\nFile \"a.json\" was not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, withoutFrames(tt.text))
		})
	}
}

// TestFirstFrame checks texts with only a part of a stack trace. The classifier reads the
// first frame, that of the innermost function. It ignores rules for a single word there.
func TestFirstFrame(t *testing.T) {
	t.Parallel()
	const prefix = "Nov 06 08:49:37 host app[7]:     at "
	assert.Equal(t, ReasonTimeout, Message(prefix+"FastTimer.onParserTimeout (node:a:1:2)\n"+prefix+"f (node:b:1:2)").Reason)
	assert.Equal(t, ReasonUnknown, Message(prefix+"f (node:timeout:1:2)\n"+prefix+"FastTimer.onParserTimeout (node:b:1:2)").Reason)
	assert.Equal(t, ReasonRateLimit, Message(prefix+"FastTimer.onParserTimeout (node:a:1:2)\nHTTP 429").Reason)
}

// TestUsersRulesSeeFrames checks that user rules match the frames of stack traces.
func TestUsersRulesSeeFrames(t *testing.T) {
	t.Parallel()
	c, err := New(WithRules(Rule{ID: "mine", Reason: ReasonPolicy, Pattern: `Guard\.check`}))
	assert.NoError(t, err)
	assert.Equal(t, "mine", c.Message("HTTP 503\n    at Guard.check (/srv/guard.js:1:2)").Rule)
	assert.Equal(t, "000/network", Minimal.Message("x\n    at f (/srv/network.js:1:2)").Rule, "its twenty patterns read all of a text")
}

// TestUsersRulesSeeWholeTexts checks that ^ and $ match only at the ends of the
// whole text.
func TestUsersRulesSeeWholeTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, text string }{
		{`^at Guard`, "  at Guard.onTimeout (/srv/guard.js:1:2)"},
		{`^: HTTP 503$`, "attempt 1: HTTP 429\nattempt 2: HTTP 503"},
	} {
		c, err := New(WithRules(Rule{ID: "mine", Reason: ReasonPolicy, Pattern: tt.pattern}))
		assert.NoError(t, err)
		assert.NotEqual(t, "mine", c.Message(tt.text).Rule, tt.text)
		assert.Equal(t, Message(tt.text), c.Message(tt.text), tt.text)
		assert.Equal(t, Message(tt.text), c.Explain(Evidence{Message: tt.text}).Result)
	}
}

func TestWaitsInFrames(t *testing.T) {
	t.Parallel()
	got := Message("HTTP 429: try again in 5s\n  File \"a.py\", line 3, in f\n    raise Busy('try again in 2 hours')\nBusy")
	assert.Equal(t, ReasonRateLimit, got.Reason)
	assert.Equal(t, 5*time.Second, got.RetryAfter)
}

// TestHostileFrames classifies expensive stack frames. With a slow parser, go test
// times out.
func TestHostileFrames(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"  at ", "\tat a.b(", "\tat a.b() in ", "\tat a [as ", "  File \"", "  File \"a\", line 1\n", "\n", `\n`, `\n  at f (a:1)`, "\t.go:", "\na.b()\n\t/a.go:1",
		"goroutine 1 [", "#1 ", "from ", "    at f (a:1:2)", "... 1 more", " ", "\n \n  \n   ", "(",
	} {
		text := strings.Repeat(s, 1<<20/len(s))
		assert.LessOrEqual(t, len(withoutFrames(text)), len(text))
	}
}

// BenchmarkFrames measures the search for stack frames in a text.
func BenchmarkFrames(b *testing.B) {
	perText(b, corpusMessages(b), func(text string) {
		frames := form.NewFrameReader(text)
		for at := 0; at < len(text); {
			_, at = frames.Next(at)
		}
	})
}
