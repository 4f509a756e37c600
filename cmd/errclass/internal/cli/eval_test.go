package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
missed retries  50.0 % of the retryable (1)

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
		_, got, _ := strings.Cut(r.out, "of the retryable (1)\n")
		_, got, _ = strings.Cut(got, "1               1\n")
		assert.Equal(t, tt.want, got, tt.args)
	}
	for _, args := range [][]string{{}, {"--errors"}, {"--errors=x", name}} {
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

// TestStandardRulesReachThresholds checks the scores of the standard rules on the
// corpus of this project.
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
	assert.JSONEq(t, `{"entries":4,"right_category":2,"right_reason":2,"false_retries":1,"missed_retries":1,"retryable":2,
		"category_accuracy":0.5,"reason_accuracy":0.5,"macro_f1":0.5,
		"categories":[{"category":"fatal","gold":2,"got":2,"precision":0.5,"recall":0.5,"f1":0.5},{"category":"retryable","gold":2,"got":2,"precision":0.5,"recall":0.5,"f1":0.5}],
		"confusion":[{"gold":"fatal","got":"fatal","count":1},{"gold":"fatal","got":"retryable","count":1},{"gold":"retryable","got":"fatal","count":1},{"gold":"retryable","got":"retryable","count":1}],
		"reason_confusion":[{"gold":"budget_exceeded","got":"transient","count":1},{"gold":"network","got":"unknown","count":1}],
		"slices":[{"slice":"-","entries":4,"right_category":2,"right_reason":2,"false_retries":1,"missed_retries":1,"retryable":2,"macro_f1":0.5}],
		"products":[],
		"families":[{"kind":"x","prefix":"a","entries":2,"right_category":1,"right_reason":1,"false_retries":1,"missed_retries":0,"retryable":1},
			{"kind":"y","prefix":"b","entries":2,"right_category":1,"right_reason":1,"false_retries":0,"missed_retries":1,"retryable":1}],
		"deciders":[{"family":"000","entries":4,"right_category":2,"right_reason":2,"false_retries":1,"missed_retries":1,"retryable":2}],
		"reliability":{"calibration_error":0,"ranges":[]},
		"misses":[{"id":"a-2","slice":"-","confidence":0,"gold_category":"fatal","gold_reason":"budget_exceeded","category":"retryable","reason":"transient","rule":"000/503","message":"HTTP 503 out of money","wrong_reason":true,"wrong_retry":true,
				"signals":[{"rule":"000/503","reason":"transient","category":"retryable","strength":"phrase","source":"message","start":5,"end":8,"text":"503","decided":true}]},
			{"id":"b-1","slice":"-","confidence":0,"gold_category":"retryable","gold_reason":"network","category":"fatal","reason":"unknown","rule":"000/default","message":"broken\npipe","wrong_reason":true,"wrong_retry":true,"signals":[]}]}`, r.out)
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

// TestEvalFolder evaluates a directory and a file together.
func TestEvalFolder(t *testing.T) {
	t.Parallel()
	first, second, _ := strings.Cut(corpus, "\n\n")
	dir := folder(t, map[string]string{"slices/one.jsonl": first})
	two := file(t, "two.jsonl", second)
	r := run(t, "", "eval", "--rules", "minimal", dir, two)
	assert.Equal(t, cli.ExitOK, r.code, r.err)
	assert.Contains(t, r.out, "entries         4\ncategory right  50.0 % (2 wrong)\n")
	assert.Contains(t, run(t, "", "eval", "--errors", "0", dir, two).out, "\nMisses: 0 of ")
	r = run(t, "", "eval", dir, two, dir)
	assert.Equal(t, cli.ExitFailed, r.code)
	one := filepath.Join(dir, "slices", "one.jsonl")
	assert.Equal(t, "errclass: "+one+":1: id \"a-1\" is already used at "+one+":1; give every entry an id of its own\n", r.err)
	empty := t.TempDir()
	r = run(t, "", "eval", empty)
	assert.Equal(t, result{code: cli.ExitFailed, err: "errclass: " + empty + ": no files slices/*.jsonl or *.jsonl in this folder\n"}, r)
}

// TestEvalCorpus evaluates the corpus of this repository, as "make train" does.
func TestEvalCorpus(t *testing.T) {
	t.Parallel()
	r := run(t, "", "eval", "../../../../corpus", "--rules", "minimal", "--errors=0")
	assert.Equal(t, cli.ExitOK, r.code, r.err)
	assert.Contains(t, r.out, "\n threads ")
}

// TestEvalGroups checks the tables of slices, products and reliability.
func TestEvalGroups(t *testing.T) {
	t.Parallel()
	line := func(i int, product, message, category, reason string) string {
		return fmt.Sprintf(`{"id":"x-%d","product":%q,"message":%q,"category":%q,"reason":%q}`+"\n", i, product, message, category, reason)
	}
	var one, two strings.Builder
	for i := range 12 {
		one.WriteString(line(i, fmt.Sprintf("product %02d", i), "HTTP 429", "fatal", "policy"))
	}
	two.WriteString(line(12, "product 07", "HTTP 429", "retryable", "network") + line(13, "product 20", "HTTP 429", "retryable", "rate_limit"))
	dir := folder(t, map[string]string{"one.jsonl": one.String(), "two.jsonl": two.String()})
	r := run(t, "", "eval", dir, "--no-model")
	require.Equal(t, cli.ExitOK, r.code, r.err)
	assert.Contains(t, r.out, `
 Slices
 SLICE  ENTRIES  CATEGORY  MACRO-F1  REASON  FALSE RETRIES  MISSED RETRIES
---------------------------------------------------------------------------
 one         12  0.0 %     0.0 %     0.0 %   100.0 % (12)   0.0 % (0)
 two          2  100.0 %   100.0 %   50.0 %  0.0 % (0)      0.0 % (0)

 Products with misses: 10 of 12
 PRODUCT     ENTRIES  MISSES  CATEGORY  REASON  FALSE RETRIES  MISSED RETRIES
------------------------------------------------------------------------------
 product 07        2       2  50.0 %    0.0 %               1               0
 product 00        1       1  0.0 %     0.0 %               1               0
`)
	assert.NotContains(t, r.out, "product 10", "the tenth product is number 09")
	assert.Contains(t, r.out, `
 Reliability: expected calibration error 0.879
 CONFIDENCE FROM  ANSWERS  REASON  MEAN CONFIDENCE
---------------------------------------------------
 0.9                   14  7.1 %   95.0 %
`)
	var report struct{ Products []struct{ Product string } }
	require.NoError(t, json.Unmarshal([]byte(run(t, "", "eval", dir, "--format", "json").out), &report))
	assert.Len(t, report.Products, 13, "JSON has all products")
}

// TestEvalAgainst compares the standard rules with saved answers of the minimal
// rules.
func TestEvalAgainst(t *testing.T) {
	t.Parallel()
	name := file(t, "corpus.jsonl", corpus)
	then := filepath.Join(t.TempDir(), "then.jsonl")
	r := run(t, "", "eval", "--rules", "minimal", name, "--predictions", then)
	assert.Equal(t, result{out: evalReport}, r)
	predictions, err := os.ReadFile(then)
	require.NoError(t, err)
	assert.Equal(t, `{"id":"a-1","category":"retryable","reason":"rate_limit","rule":"000/429","confidence":0}
{"id":"a-2","category":"retryable","reason":"transient","rule":"000/503","confidence":0}
{"id":"b-1","category":"fatal","reason":"unknown","rule":"000/default","confidence":0}
{"id":"b-2","category":"fatal","reason":"authentication","rule":"000/403","confidence":0}
`, string(predictions))
	r = run(t, "", "eval", "--rules", "minimal", name, "--against", then)
	assert.Equal(t, evalReport+"\nCompared with "+then+"\nwon                  0\nlost                 0\nchanged while wrong  0\n", r.out)

	changed := strings.NewReplacer(
		`a-2","category":"retryable","reason":"transient`, `a-2","category":"fatal","reason":"budget_exceeded`,
		`b-1","category":"fatal","reason":"unknown`, `b-1","category":"timeout","reason":"timeout`,
		`b-2","category":"fatal","reason":"authentication`, `b-2","category":"retryable","reason":"network`,
		`"id":"a-1"`, `"id":"c\n1"`,
	).Replace(string(predictions))
	then = file(t, "then.jsonl", changed)
	const figures = `
won                  1
lost                 1
changed while wrong  1
not in the corpus    1: c\n1
not compared         1, without an earlier answer: a-1

 Lost: 1
 ID   SLICE   THEN                   NOW                  MESSAGE
--------------------------------------------------------------------------------
 a-2  corpus  fatal/budget_exceeded  retryable/transient  HTTP 503 out of money

 Won: 1
 ID   SLICE   THEN               NOW                   MESSAGE
----------------------------------------------------------------
 b-2  corpus  retryable/network  fatal/authentication  HTTP 403
`
	// Both flags may name the same file. It is read before it is overwritten.
	r = run(t, "", "eval", "--rules", "minimal", name, "--against", then, "--predictions", then)
	assert.Equal(t, result{out: evalReport + "\nCompared with " + then + figures}, r)
	saved, err := os.ReadFile(then)
	require.NoError(t, err)
	assert.Equal(t, string(predictions), string(saved))
	assert.Contains(t, run(t, changed, "eval", "--rules", "minimal", name, "--against", "-").out, figures)

	r = run(t, changed, "eval", "--rules", "minimal", name, "--against", "-", "--format", "json")
	var report struct {
		Comparison struct {
			Won, Lost []struct{ ID string }
			Changed   []json.RawMessage `json:"changed_wrong"`
			Unknown   []string
			Missing   []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &report))
	require.Len(t, report.Comparison.Changed, 1)
	assert.JSONEq(t, `{"id":"b-1","slice":"corpus","gold_category":"retryable","gold_reason":"network","message":"broken\npipe",
		"then":{"id":"b-1","category":"timeout","reason":"timeout","rule":"000/default","confidence":0},
		"now":{"id":"b-1","category":"fatal","reason":"unknown","rule":"000/default","confidence":0}}`, string(report.Comparison.Changed[0]))
	assert.Equal(t, []string{"c\n1"}, report.Comparison.Unknown)
	assert.Equal(t, []string{"a-1"}, report.Comparison.Missing)
}

// TestEvalAgainstPart compares a part of the corpus with saved answers for the whole
// corpus. The saved ids of the other part must not be reported as unknown.
func TestEvalAgainstPart(t *testing.T) {
	t.Parallel()
	then := filepath.Join(t.TempDir(), "then.jsonl")
	run(t, corpus, "eval", "-", "--predictions", then)
	r := run(t, corpus, "eval", "-", "--split", "0/2", "--against", then)
	assert.Equal(t, cli.ExitOK, r.code, r.err)
	assert.NotContains(t, r.out, "entries         4")
	assert.True(t, strings.HasSuffix(r.out, "\nchanged while wrong  0\n"), r.out)
}

func TestEvalManyUnknownIDs(t *testing.T) {
	t.Parallel()
	var then strings.Builder
	for i := range 12 {
		fmt.Fprintf(&then, `{"id":"z-%02d","category":"fatal","reason":"unknown","rule":"default"}`+"\n", i)
	}
	r := run(t, corpus, "eval", "-", "--against", file(t, "then.jsonl", then.String()))
	assert.Contains(t, r.out, "\nnot in the corpus    12: z-00, z-01, z-02, z-03, z-04, z-05, z-06, z-07, z-08, z-09 and 2 more\n")
}

func TestEvalPredictionFiles(t *testing.T) {
	t.Parallel()
	name := file(t, "corpus.jsonl", corpus)
	r := run(t, "", "eval", name, "--predictions", name)
	assert.Equal(t, cli.ExitUsage, r.code)
	assert.Equal(t, "errclass: --predictions "+name+": this file is part of the corpus; write to another one\n", r.err)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, corpus, string(data), "the corpus stays")
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"none.jsonl: no such file", []string{"--against", filepath.Join(t.TempDir(), "none.jsonl")}},
		{`entry "a-1": no rule, so this is not a prediction`, []string{"--against", name}},
		{"is a directory", []string{"--predictions", t.TempDir()}},
	} {
		r := run(t, "", append([]string{"eval", name}, tt.args...)...)
		assert.Equal(t, cli.ExitFailed, r.code, tt.args)
		assert.Contains(t, r.err, tt.want, tt.args)
		assert.Empty(t, r.out, tt.args)
	}
}
