package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/examples/playground/internal/answer"
)

// text joins the pieces of x.Text. It encloses each marked piece in characters such as
// » and «.
func text(x answer.Explanation) string {
	var b strings.Builder
	for _, p := range x.Text {
		switch p.Mark {
		case answer.Decided:
			b.WriteString("»" + p.Text + "«")
		case answer.Lost:
			b.WriteString("_" + p.Text + "_")
		case answer.Word:
			b.WriteString("{" + p.Text + "}")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestOneError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		as         answer.As
		want       classify.Reason
		lines      int
	}{
		{"a line", "HTTP 429: insufficient_quota", answer.Auto, classify.ReasonBudgetExceeded, 1},
		{"a trace", "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nConnectionResetError: [Errno 104] Connection reset by peer\n", answer.Auto, classify.ReasonNetwork, 3},
		{"a body over several lines", "{\n  \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}\n}", answer.Auto, classify.ReasonTransient, 3},
		{"a body", `{"error": {"type": "overloaded_error", "message": "Overloaded"}}`, answer.Auto, classify.ReasonTransient, 1},
		{"lines of a log that are read as one error", "level=info msg=a\nlevel=error msg=\"HTTP 503\"", answer.Error, classify.ReasonTransient, 2},
		{"no rule and no model knows it", "zzz", answer.Auto, classify.ReasonUnknown, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := answer.Of(tt.text, tt.as)
			assert.Equal(t, answer.Error, a.As)
			assert.Equal(t, tt.lines, a.Lines)
			require.Len(t, a.Groups, 1)
			assert.Equal(t, tt.want, a.Groups[0].Reason)
			assert.Equal(t, tt.want, answer.Explain(a.Groups[0].Example).Reason)
		})
	}
	assert.Empty(t, answer.Of(" \n", answer.Auto).Groups)
}

func TestLog(t *testing.T) {
	t.Parallel()
	log := `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"HTTP 503"}
{"time":"2026-01-02T03:04:06Z","level":"ERROR","msg":"call failed","err":"dial tcp 10.0.0.7:5432: connection refused"}
level=error msg="call failed" err="dial tcp 10.0.0.8:5432: connection refused" time=2026-01-02T03:04:05Z
2026-01-02 03:04:07,001 ERROR [main] app.Main - save failed
java.sql.SQLException: deadlock detected
	at app.Main.save(Main.java:7)
{"level":"ERROR","msg":"upstream said no","status":401}
`
	a := answer.Of(log, answer.Auto)
	assert.Equal(t, answer.Log, a.As)
	assert.Equal(t, 7, a.Lines)
	assert.Equal(t, 4, a.Errors)
	require.Len(t, a.Groups, 3)

	g := a.Groups[0]
	assert.Equal(t, 2, g.Count)
	assert.Equal(t, classify.ReasonNetwork, g.Reason)
	assert.Equal(t, classify.CategoryRetryable, g.Category)
	assert.Equal(t, "dial tcp <ip>:<num>: connection refused", g.Template)
	assert.Equal(t, []int{2, 3}, []int{g.FirstLine, g.LastLine})
	assert.Equal(t, "03:04:05 03:04:06", g.First.Format("15:04:05")+" "+g.Last.Format("15:04:05"))

	g = a.Groups[1]
	assert.Equal(t, classify.ReasonTransient, g.Reason, "the lines of the trace belong to the error")
	assert.Equal(t, "[main] app.Main - save failed\njava.sql.SQLException: deadlock detected\n\tat app.Main.save(Main.java:7)", g.Example.Message)
	assert.Equal(t, "[main] app.Main - save failed\njava.sql.SQLException: »deadlock detected«\n\tat app.Main.save(Main.java:7)", text(answer.Explain(g.Example)))

	g = a.Groups[2]
	assert.Equal(t, classify.ReasonAuthentication, g.Reason, "the status is read")
	assert.Equal(t, 401, answer.Explain(g.Example).Status)
}

func TestLogOfPlainLines(t *testing.T) {
	t.Parallel()
	const lines = "HTTP 503\n\nECONNRESET\nHTTP 503\n"
	assert.Equal(t, answer.Error, answer.Of(lines, answer.Auto).As)
	a := answer.Of(lines, answer.Log)
	require.Len(t, a.Groups, 2)
	assert.Equal(t, 2, a.Groups[0].Count)
	assert.Equal(t, 3, a.Errors)
}

func TestLogWithoutErrors(t *testing.T) {
	t.Parallel()
	a := answer.Of(`{"level":"INFO","msg":"HTTP 503"}`, answer.Auto)
	assert.Equal(t, answer.Log, a.As)
	assert.Zero(t, a.Errors)
	assert.NotNil(t, a.Groups, "the page gets a list")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	x := answer.Explain(answer.Evidence{Message: "HTTP 429: insufficient_quota"})
	assert.Equal(t, classify.ReasonBudgetExceeded, x.Reason)
	assert.Equal(t, "_HTTP 429:_ »insufficient_quota«", text(x))
	assert.Equal(t, 1, x.Calls)
	outcomes := map[string]string{}
	for _, s := range x.Signals {
		outcomes[s.Rule] = s.Outcome
	}
	assert.Equal(t, "decided", outcomes[x.Rule])
	assert.Equal(t, "beaten by "+x.Rule+": cause before code", outcomes["http/429"])
	assert.Positive(t, x.Confidence)

	x = answer.Explain(answer.Evidence{Message: "HTTP 429, try again in 20s"})
	assert.Equal(t, "20s", x.RetryAfter)
	assert.Equal(t, 3, x.Calls)
}

// If the model decided, the most influential words are marked, as whole words and
// ignoring case.
func TestExplainModel(t *testing.T) {
	t.Parallel()
	const message = "Mailbox für ÄÖÜ was unavailable; the unavailable7 worker is Busy"
	x := answer.Explain(answer.Evidence{Message: message})
	require.Equal(t, classify.RuleModel, x.Rule, "choose a message that no rule knows")
	require.NotNil(t, x.Model)
	marked := text(x)
	assert.Contains(t, marked, "{")
	assert.Equal(t, message, strings.NewReplacer("{", "", "}", "").Replace(marked), "no byte is lost")
}

func TestLongText(t *testing.T) {
	t.Parallel()
	x := answer.Explain(answer.Evidence{Message: strings.Repeat("é", 100_000) + " HTTP 503"})
	assert.Equal(t, classify.ReasonTransient, x.Reason)
	assert.NotEmpty(t, x.Omitted)
	n := 0
	for _, p := range x.Text {
		n += len(p.Text)
		assert.Equal(t, strings.ToValidUTF8(p.Text, "?"), p.Text)
	}
	assert.Less(t, n, 10_000, "the middle is not shown")

	a := answer.Of(strings.Repeat("x", answer.MaxText+5), answer.Auto)
	assert.Equal(t, 5, a.Unread)
}

func TestManyGroups(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "level=error msg=\"failure %c%c\"\n", 'a'+i/26, 'a'+i%26)
	}
	a := answer.Of(b.String(), answer.Auto)
	assert.Len(t, a.Groups, 500)
	assert.Equal(t, 600, a.Errors)
	assert.Equal(t, 100, a.Rest)
}

// FuzzOf checks that every error is counted and every byte is explained.
func FuzzOf(f *testing.F) {
	f.Add("HTTP 503\nlevel=error msg=\"a\" err=\"b\"\n{\"level\":\"error\",\"msg\":\"x\"}\n", "log")
	f.Add("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n", "auto")
	f.Add("the upstream host went away \xff before sending İ the full answer", "error")
	f.Fuzz(func(t *testing.T, input, as string) {
		a := answer.Of(input, answer.As(as))
		n := a.Rest
		for i, g := range a.Groups {
			n += g.Count
			if i > 2 {
				continue // Explain is slow
			}
			x := answer.Explain(g.Example)
			assert.NotContains(t, x.Rule, "+panic")
			assert.Equal(t, g.Reason, x.Reason)
			var shown strings.Builder
			for _, p := range x.Text {
				shown.WriteString(p.Text)
			}
			if len(g.Example.Message) < 8<<10 {
				assert.Equal(t, g.Example.Message, shown.String())
			}
		}
		assert.Equal(t, a.Errors, n)
	})
}
