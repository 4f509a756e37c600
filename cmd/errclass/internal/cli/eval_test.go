package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

const corpus = `{"id":"a-1","kind":"x","message":"HTTP 429","category":"retryable","reason":"rate_limit"}
{"id":"a-2","kind":"x","message":"HTTP 503 out of money","category":"fatal","reason":"budget_exceeded","source":"somewhere"}

{"id":"b-1","kind":"y","message":"broken\npipe","category":"retryable","reason":"network"}
{"id":"b-2","kind":"y","message":"HTTP 403","category":"fatal","reason":"policy","accept":["authentication"]}
`

var evalReport = `entries         4
category right  50.0 % (2 wrong)
reason right    50.0 % (2 wrong)
macro-F1        50.0 %
false retries   25.0 % (1)
missed retries  1

 Categories
 CATEGORY   GOLD  GOT  PRECISION  RECALL  F1
-------------------------------------------------
 fatal         2    2  50.0 %     50.0 %  0.5000
 retryable     2    2  50.0 %     50.0 %  0.5000

 Confusion of categories
 GOLD \ GOT  fatal  retryable
------------------------------
 fatal           1          1
 retryable       1          1

 Confusion of reasons
 GOLD             GOT        COUNT
-----------------------------------
 budget_exceeded  transient      1
 network          unknown        1

 Families
 KIND  ID  ENTRIES  CATEGORY  REASON  FALSE RETRIES  MISSED RETRIES
--------------------------------------------------------------------
 x     a-        2  50.0 %    50.0 %              1               0
 y     b-        2  50.0 %    50.0 %              0               1

 Deciding rules
 RULES  ENTRIES  CATEGORY  REASON  FALSE RETRIES  MISSED RETRIES
-----------------------------------------------------------------
 000          4  50.0 %    50.0 %              1               1

 Misses: 2 of 2
 ID   GOLD                   GOT                  RULE         MESSAGE
-------------------------------------------------------------------------------------
 a-2  fatal/budget_exceeded  retryable/transient  000/503      HTTP 503 out of money
 b-1  retryable/network      fatal/unknown        000/default  broken\npipe
`

func TestEval(t *testing.T) {
	t.Parallel()
	name := file(t, "corpus.jsonl", corpus)
	r := run(t, "", "eval", "--rules", "minimal", name)
	assert.Equal(t, result{out: evalReport}, r)
	assert.Equal(t, r, run(t, corpus, "eval", "--rules", "minimal", "-"))
}

func TestEvalErrors(t *testing.T) {
	t.Parallel()
	const first = `
a-2
  | HTTP 503 out of money
  want  fatal/budget_exceeded
  got   retryable/transient (false retry), decided by 000/503
        000/503 phrase transient on »503«: decided
`
	const second = `
b-1
  | broken
  | pipe
  want  retryable/network
  got   fatal/unknown (missed retry), decided by 000/default
`
	name := file(t, "corpus.jsonl", corpus)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{name, "--errors"}, "\nMisses: 2 of 2\n" + first + second},
		{[]string{"--errors", name}, "\nMisses: 2 of 2\n" + first + second},
		{[]string{"--errors=1", name}, "\nMisses: 1 of 2\n" + first},
		{[]string{"--errors", "1", name}, "\nMisses: 1 of 2\n" + first},
		{[]string{name, "--errors", "1"}, "\nMisses: 1 of 2\n" + first},
		{[]string{name, "--errors", "0"}, "\nMisses: 0 of 2\n"},
	} {
		r := run(t, "", append([]string{"eval", "--rules", "minimal"}, tt.args...)...)
		assert.Equal(t, cli.ExitOK, r.code, tt.args)
		_, got, _ := strings.Cut(r.out, "missed retries  1\n")
		_, got, _ = strings.Cut(got, "1               1\n")
		assert.Equal(t, tt.want, got, tt.args)
	}
	for _, args := range [][]string{{}, {name, name}, {"--errors", "1", name, name}, {name, "1"}, {"--errors=x", name}} {
		r := run(t, "", append([]string{"eval"}, args...)...)
		assert.Equal(t, cli.ExitUsage, r.code, args)
	}
}

func TestEvalThresholds(t *testing.T) {
	t.Parallel()
	name := file(t, "corpus.jsonl", corpus)
	for _, tt := range []struct {
		name, err string
		args      []string
	}{
		{"reached", "", []string{"--min-category", "50%", "--min-reason", "0.5", "--min-f1", "50", "--max-false-retries", "1"}},
		{"reached by shares", "", []string{"--max-false-retries", "25%"}},
		{"any number", "", []string{"--max-false-retries", "-1"}},
		{"category", "errclass: accuracy of categories is 50.00 %, below 51 %\n", []string{"--min-category", "0.51"}},
		{"reason", "errclass: accuracy of reasons is 50.00 %, below 100 %\n", []string{"--min-reason", "1"}},
		{"f1", "errclass: macro-F1 is 50.00 %, below 90 %\n", []string{"--min-f1", "0.9"}},
		{"false retries", "errclass: false retries are 1 of 4, above 0\n", []string{"--max-false-retries", "0"}},
		{"share of false retries", "errclass: false retries are 1 of 4, above 24.9%\n", []string{"--max-false-retries", "24.9%"}},
		{"several", "errclass: accuracy of categories is 50.00 %, below 100 %\nmacro-F1 is 50.00 %, below 100 %\n", []string{"--min-category", "1", "--min-f1", "1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", append([]string{"eval", "--rules", "minimal", name}, tt.args...)...)
			assert.Equal(t, evalReport, r.out, "the report is the same in all cases")
			assert.Equal(t, tt.err, r.err)
			assert.Equal(t, tt.err == "", r.code == cli.ExitOK)
			assert.NotEqual(t, cli.ExitUsage, r.code)
		})
	}
}

func TestEvalBadThresholds(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--min-category", "101"}, {"--min-f1", "-1"}, {"--min-reason", "NaN"}, {"--max-false-retries", "x"},
		{"--max-false-retries", "101%"}, {"--max-false-retries", "-1%"}, {"--max-false-retries", "NaN%"}, {"--max-false-retries", "1.5"},
	} {
		assert.Equal(t, cli.ExitUsage, run(t, "", append([]string{"eval", "-"}, args...)...).code, args)
	}
}

// TestStandardRulesReachThresholds evaluates the standard rules with the
// project's corpus.
func TestStandardRulesReachThresholds(t *testing.T) {
	t.Parallel()
	r := run(t, "", "eval", "../../../../classify/testdata/corpus.jsonl", "--errors",
		"--min-category", "98", "--min-f1", "97", "--min-reason", "95", "--max-false-retries", "1%")
	assert.Equal(t, cli.ExitOK, r.code, "%s%s", r.err, r.out)
}

func TestEvalJSON(t *testing.T) {
	t.Parallel()
	r := run(t, corpus, "eval", "--rules", "minimal", "--format", "json", "-")
	assert.Equal(t, cli.ExitOK, r.code)
	assert.JSONEq(t, `{"entries":4,"right_category":2,"right_reason":2,"false_retries":1,"missed_retries":1,
		"category_accuracy":0.5,"reason_accuracy":0.5,"macro_f1":0.5,
		"categories":[{"category":"fatal","gold":2,"got":2,"precision":0.5,"recall":0.5,"f1":0.5},{"category":"retryable","gold":2,"got":2,"precision":0.5,"recall":0.5,"f1":0.5}],
		"confusion":[{"gold":"fatal","got":"fatal","count":1},{"gold":"fatal","got":"retryable","count":1},{"gold":"retryable","got":"fatal","count":1},{"gold":"retryable","got":"retryable","count":1}],
		"reason_confusion":[{"gold":"budget_exceeded","got":"transient","count":1},{"gold":"network","got":"unknown","count":1}],
		"families":[{"kind":"x","prefix":"a","entries":2,"right_category":1,"right_reason":1,"false_retries":1,"missed_retries":0},
			{"kind":"y","prefix":"b","entries":2,"right_category":1,"right_reason":1,"false_retries":0,"missed_retries":1}],
		"deciders":[{"family":"000","entries":4,"right_category":2,"right_reason":2,"false_retries":1,"missed_retries":1}],
		"misses":[{"id":"a-2","gold_category":"fatal","gold_reason":"budget_exceeded","category":"retryable","reason":"transient","rule":"000/503","message":"HTTP 503 out of money","wrong_reason":true,"wrong_retry":true,
				"signals":[{"rule":"000/503","reason":"transient","category":"retryable","strength":"phrase","source":"message","start":5,"end":8,"text":"503","decided":true}]},
			{"id":"b-1","gold_category":"retryable","gold_reason":"network","category":"fatal","reason":"unknown","rule":"000/default","message":"broken\npipe","wrong_reason":true,"wrong_retry":true,"signals":[]}]}`, r.out)
}

func TestEvalSplit(t *testing.T) {
	t.Parallel()
	name := "../../../../classify/testdata/corpus.jsonl"
	var entries [3]int
	for i, part := range []string{"0/2", "1/2", ""} {
		var report struct{ Entries int }
		r := run(t, "", "eval", "--format", "json", "--split="+part, name)
		if part == "" {
			r = run(t, "", "eval", "--format", "json", name)
		}
		require.NoError(t, json.Unmarshal([]byte(r.out), &report))
		entries[i] = report.Entries
	}
	assert.Equal(t, entries[2], entries[0]+entries[1])
	assert.NotZero(t, entries[0])
	assert.NotZero(t, entries[1])
}

func TestEvalFaultyCorpus(t *testing.T) {
	t.Parallel()
	name := file(t, "corpus.jsonl", corpus+"{\"id\":\"c\"}\n")
	r := run(t, "", "eval", name)
	assert.Equal(t, result{code: cli.ExitFailed, err: "errclass: " + name + ":6: entry \"c\": no message; add \"message\"\n"}, r)
	r = run(t, "", "eval", name+".gone")
	assert.Equal(t, cli.ExitFailed, r.code)
	r = run(t, "", "eval", "-")
	assert.Equal(t, result{code: cli.ExitFailed, err: "errclass: -: no entries to evaluate\n"}, r)
}
