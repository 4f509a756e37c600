package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		args           []string
	}{
		{"what it beat", "", `retryable / rate_limit, decided by 000/429

  HTTP »429« on the network

 RULE         REASON      STRENGTH  BYTES  MATCHED  OUTCOME
-------------------------------------------------------------------------------------------------
 000/429      rate_limit  phrase    5-8    429      decided
 000/network  network     phrase    16-23  network  beaten by 000/429: rate_limit before network

what to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#rate_limit
`, []string{"HTTP", "429", "on the network"}},
		{"nothing", "", "fatal / unknown, decided by 000/default\nno rule matches\n\nwhat to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#unknown\n", []string{"boom"}},
		{"empty", "", "fatal / unknown, decided by 000/default\nno rule matches\n\nwhat to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#unknown\n", []string{""}},
		{"standard input", "a\n503\r\n", `retryable / transient, decided by 000/503

  a\n»503«

 RULE     REASON     STRENGTH  BYTES  MATCHED  OUTCOME
-------------------------------------------------------
 000/503  transient  phrase    2-5    503      decided

what to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#transient
`, nil},
		{"control characters", "\x1b[2J\xff\u202e503\a", `retryable / transient, decided by 000/503

  \x1b[2J\xff\u202e»503«\a

 RULE     REASON     STRENGTH  BYTES  MATCHED  OUTCOME
-------------------------------------------------------
 000/503  transient  phrase    8-11   503      decided

what to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#transient
`, nil},
		{"far in a long text", strings.Repeat("é", 5000) + "503" + strings.Repeat("日", 5000), `retryable / transient, decided by 000/503

  …` + strings.Repeat("é", 60) + "»503«" + strings.Repeat("日", 40) + `…

 RULE     REASON     STRENGTH  BYTES        MATCHED  OUTCOME
-------------------------------------------------------------
 000/503  transient  phrase    10000-10003  503      decided

what to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md#transient
`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.in, append([]string{"explain", "--rules", "minimal"}, tt.args...)...)
			assert.Equal(t, result{out: tt.want}, r)
		})
	}
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	r := run(t, "", "explain", "--rules", "minimal", "--format", "json", "429 network <\x01>")
	assert.Equal(t, cli.ExitOK, r.code)
	assert.JSONEq(t, `{"category":"retryable","reason":"rate_limit","rule":"000/429","status":0,"runbook_url":"https://github.com/errclass/errclass/blob/main/docs/reasons.md#rate_limit","signals":[
		{"rule":"000/429","reason":"rate_limit","category":"retryable","strength":"phrase","source":"message","start":0,"end":3,"text":"429","decided":true},
		{"rule":"000/network","reason":"network","category":"retryable","strength":"phrase","source":"message","start":4,"end":11,"text":"network","decided":false,"beaten_by":"000/429"}]}`, r.out)
	assert.JSONEq(t, `{"category":"fatal","reason":"unknown","rule":"000/default","status":0,"runbook_url":"https://github.com/errclass/errclass/blob/main/docs/reasons.md#unknown","signals":[]}`,
		run(t, "", "explain", "--rules", "minimal", "--format", "json", "").out)
}

// TestExplainOutcomes checks what is printed for signals that did not decide.
func TestExplainOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ message, want string }{
		{"HTTP 503: insufficient_quota", "beaten by code/insufficient-quota: cause before code"},
		{"HTTP 401, HTTP 429", "beaten by http/401: authentication before rate_limit"},
		{"HTTP 500, HTTP 503", "beaten by http/500: it comes first"},
		{"prompt token count of 71455 exceeds the tokens per minute limit", "ruled out by hint/tokens-per-minute"},
		{"prompt token count of 71455 exceeds the tokens per minute limit", "rules out text/input-tokens-exceed"},
		{"HTTP 429: try again in 2 hours", "decided by http/429+long-wait, confidence 0.95\nretry after 2h0m0s\n"},
		{"HTTP 429: try again in 2 hours", "has no reason of its own"},
		{"internal error: the mailbox is full, no space", "decided by model"},
		{"internal error: the mailbox is full, no space", "beaten by the model\n"},
	} {
		assert.Contains(t, run(t, "", "explain", tt.message).out, tt.want)
	}
}

// TestExplainOwnRule checks that a user's rule outranks the standard rules.
func TestExplainOwnRule(t *testing.T) {
	t.Parallel()
	mine := file(t, "mine.yaml", "rules:\n  - {id: mine, reason: policy, pattern: 'http \\d+'}\n")
	r := run(t, "", "explain", "--rules", mine, "HTTP 429")
	assert.Contains(t, r.out, "fatal / policy, decided by mine, confidence 1.00\n\n  »HTTP 429«\n")
	assert.Contains(t, r.out, "beaten by mine: user before code\n")
}

// TestExplainNamesTheRunbook checks that the web address that explain prints for each
// reason leads to a section of docs/reasons.md.
func TestExplainNamesTheRunbook(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/reasons.md")
	require.NoError(t, err)
	for _, reason := range classify.Reasons() {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			mine := file(t, "mine.yaml", "rules:\n  - {id: mine, reason: "+string(reason)+", pattern: boom}\n")
			out := strings.TrimSpace(run(t, "", "explain", "--rules", mine, "boom").out)
			last := out[strings.LastIndex(out, "\n")+1:]
			address, anchor, _ := strings.Cut(last, "#")
			assert.Equal(t, "what to do: https://github.com/errclass/errclass/blob/main/docs/reasons.md", address)
			assert.Equal(t, string(reason), anchor)
			assert.Contains(t, string(page), "\n## "+anchor+"\n", "no such section in docs/reasons.md")
		})
	}
}

// TestExplainOmitted checks that the output says how much text was not read.
func TestExplainOmitted(t *testing.T) {
	t.Parallel()
	long := "HTTP 503 " + strings.Repeat("x ", 1<<15) + strings.Repeat("invalid api key ", 10) + strings.Repeat("y ", 1<<15)
	out := run(t, long, "explain").out
	assert.Contains(t, out, "http/503")
	assert.Contains(t, out, "\nnot read: ")
	assert.Contains(t, out, " bytes of text of the message\n")
	out = run(t, long, "explain", "--format", "json").out
	assert.Contains(t, out, `"omitted":[{"source":"message","unit":"bytes of text","amount":`)
}

func TestExplainUnreadable(t *testing.T) {
	t.Parallel()
	r := run(t, strings.Repeat("x", 64<<20+1), "explain")
	assert.Equal(t, cli.ExitFailed, r.code)
	assert.Contains(t, r.err, "longer than 67108864 bytes")
}
