package eval_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func ExampleEvaluate() {
	entries, err := eval.Read(strings.NewReader(`
{"id":"a-1","message":"HTTP 429","category":"retryable","reason":"rate_limit"}
{"id":"a-2","message":"boom","category":"retryable","reason":"network"}
`), "corpus.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := eval.Evaluate(entries, classify.Minimal)
	fmt.Println(r.CategoryAccuracy, r.MissedRetries, r.Misses[0].ID)
	// Output: 0.5 1 a-2
}

func ExampleRead() {
	_, err := eval.Read(strings.NewReader(`{"id":"a-1","message":"HTTP 429","category":"retry","reason":"rate_limit"}`), "corpus.jsonl")
	fmt.Println(err)
	// Output: corpus.jsonl:1: entry "a-1": unknown category "retry"; use one of retryable, context_overflow, fatal, timeout, aborted
}

func ExampleEntry_In() {
	e := eval.Entry{ID: "llm-017"}
	fmt.Println(e.Prefix(), e.In(0, 2) != e.In(1, 2))
	// Output: llm true
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	good := `{"id":"a","message":"","category":"fatal","reason":"unknown"}` + "\n"
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `x`, "c:2: not a JSON object: invalid character 'x'"},
		{"cut off", `{"id":"b"`, "c:2: not a JSON object: unexpected end of JSON input"},
		{"wrong kind", `{"id":7}`, `c:2: "id" holds a JSON number; make it a string`},
		{"wrong kind in a list", `{"id":"b","accept":[7]}`, `c:2: "accept" holds a JSON number; make it a string`},
		{"no list", `{"id":"b","accept":"timeout"}`, `c:2: "accept" is a JSON string; make it a list of strings`},
		{"list", `[]`, "c:2: not a JSON object, but a JSON array"},
		{"no id", `{"message":"x"}`, `c:2: no id; add "id"`},
		{"no message", `{"id":"b"}`, `c:2: entry "b": no message; add`},
		{"no category", `{"id":"b","message":"x","reason":"unknown"}`, `c:2: entry "b": unknown category ""; use one of retryable, `},
		{"category", `{"id":"b","message":"x","category":"Fatal","reason":"unknown"}`, `c:2: entry "b": unknown category "Fatal"`},
		{"accepted category", `{"id":"b","message":"x","category":"fatal","reason":"unknown","accept_category":["x"]}`, `c:2: entry "b": unknown category "x"`},
		{"reason", `{"id":"b","message":"x","category":"fatal","reason":"x"}`, `c:2: entry "b": unknown reason "x"; use one of rate_limit, `},
		{"accepted reason", `{"id":"b","message":"x","category":"fatal","reason":"unknown","accept":["y"]}`, `c:2: entry "b": unknown reason "y"`},
		{"same id", "\n" + good, `c:3: id "a" is already used on line 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entries, err := eval.Read(strings.NewReader(good+tt.line), "c")
			require.ErrorContains(t, err, tt.want)
			assert.Empty(t, entries)
		})
	}
	boom := errors.New("boom")
	_, err := eval.Read(iotest.ErrReader(boom), "c")
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "c: ")
	_, err = eval.Read(strings.NewReader(strings.Repeat("x", 65<<20)), "c")
	require.ErrorContains(t, err, "c:1: longer than")
	entries, err := eval.Read(strings.NewReader("\ufeff"+strings.ReplaceAll(good, "\n", "\r\n")+"\r\n"), "c")
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestEvaluate compares the report of a small corpus with one computed by hand.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	entries, err := eval.Read(strings.NewReader(strings.Join([]string{
		`{"id":"a-1","kind":"x","message":"429","category":"retryable","reason":"rate_limit"}`,
		`{"id":"a-2","kind":"x","message":"429","category":"fatal","reason":"budget_exceeded","accept":["rate_limit"]}`,
		`{"id":"a-3","kind":"x","message":"429","category":"fatal","reason":"budget_exceeded","accept_category":["retryable"]}`,
		`{"id":"b-1","kind":"x","message":"503","category":"retryable","reason":"network"}`,
		`{"id":"b-2","kind":"y","message":"zzz","category":"retryable","reason":"network"}`,
		`{"id":"b-3","kind":"y","message":"zzz","category":"aborted","reason":"aborted"}`,
		`{"id":"b-4","kind":"y","message":"403","category":"fatal","reason":"authentication"}`,
	}, "\n")), "c")
	require.NoError(t, err)
	r := eval.Evaluate(entries, classify.Minimal)
	assert.Equal(t, eval.Score{Entries: 7, RightCategory: 4, RightReason: 3, FalseRetries: 1, MissedRetries: 1}, r.Score)
	assert.InDelta(t, 4./7, r.CategoryAccuracy, 1e-9)
	assert.InDelta(t, 3./7, r.ReasonAccuracy, 1e-9)
	assert.Equal(t, []eval.CategoryScore{
		{Category: "aborted", Gold: 1},
		{Category: "fatal", Gold: 3, Got: 4, Precision: 0.5, Recall: 2. / 3, F1: 4. / 7},
		{Category: "retryable", Gold: 3, Got: 3, Precision: 2. / 3, Recall: 2. / 3, F1: 2. / 3},
	}, r.Categories)
	assert.InDelta(t, (0+4./7+2./3)/3, r.MacroF1, 1e-9)
	assert.Equal(t, []eval.Confused{
		{"fatal", "fatal", 2}, {"retryable", "retryable", 2}, {"aborted", "fatal", 1}, {"fatal", "retryable", 1}, {"retryable", "fatal", 1},
	}, r.Confusion)
	assert.Equal(t, []eval.Confused{
		{"aborted", "unknown", 1}, {"budget_exceeded", "rate_limit", 1}, {"network", "transient", 1}, {"network", "unknown", 1},
	}, r.ReasonConfusion)
	var ids []string
	for _, m := range r.Misses {
		ids = append(ids, fmt.Sprint(m.ID, " ", m.WrongCategory(), m.WrongReason, m.WrongRetry))
	}
	assert.Equal(t, []string{"a-2 true false true", "b-2 true true true", "b-3 true true false", "a-3 false true false", "b-1 false true false"}, ids)
	assert.Equal(t, []eval.Family{
		{"x", "a", eval.Score{Entries: 3, RightCategory: 2, RightReason: 2, FalseRetries: 1}},
		{"x", "b", eval.Score{Entries: 1, RightCategory: 1}},
		{"y", "b", eval.Score{Entries: 3, RightCategory: 1, RightReason: 1, MissedRetries: 1}},
	}, r.Families)
}

func TestEvaluateNothing(t *testing.T) {
	t.Parallel()
	r := eval.Evaluate(nil, classify.Minimal)
	assert.Zero(t, r.CategoryAccuracy)
	assert.Zero(t, r.MacroF1)
}

// TestDeciders counts entries by the family of the rule that decided.
func TestDeciders(t *testing.T) {
	t.Parallel()
	r := eval.Evaluate([]eval.Entry{
		{ID: "a", Message: "HTTP 429", Category: "fatal", Reason: "policy"},
		{ID: "b", Message: "HTTP 503", Category: "retryable", Reason: "transient"},
		{ID: "c", Message: "zzz", Category: "retryable", Reason: "network"},
	}, classify.Standard)
	assert.Equal(t, []eval.Decider{
		{"http", eval.Score{Entries: 2, RightCategory: 1, RightReason: 1, FalseRetries: 1}},
		{"default", eval.Score{Entries: 1, MissedRetries: 1}},
	}, r.Deciders)
	assert.InDelta(t, 1./3, r.FalseRetryShare(), 1e-9)
	require.Len(t, r.Misses, 2)
	assert.Equal(t, "http/429", r.Misses[0].Signals[0].Rule)
	assert.Empty(t, r.Misses[1].Signals)
}

// TestSplit shows that every entry is in exactly one of three parts, and that
// the parts are of about equal size.
func TestSplit(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../../classify/testdata/corpus.jsonl")
	require.NoError(t, err)
	defer f.Close()
	entries, err := eval.Read(f, "corpus.jsonl")
	require.NoError(t, err)
	counts := make([]int, 3)
	for _, e := range entries {
		in := 0
		for k := range counts {
			if e.In(k, len(counts)) {
				counts[k]++
				in++
			}
		}
		require.Equal(t, 1, in, e.ID)
	}
	for _, n := range counts {
		assert.InDelta(t, len(entries)/3, n, float64(len(entries))/8)
	}
	assert.True(t, eval.Entry{ID: "llm-001"}.In(0x10%3, 3), "printf llm-001 | sha256sum begins with 10")
}
