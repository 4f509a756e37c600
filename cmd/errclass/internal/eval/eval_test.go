package eval_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

func ExampleEvaluate() {
	var c eval.Corpus
	err := c.Read(strings.NewReader(`
{"id":"a-1","message":"HTTP 429","category":"retryable","reason":"rate_limit"}
{"id":"a-2","message":"boom","category":"retryable","reason":"network"}
`), "corpus.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := eval.Evaluate(c.Entries, eval.Predict(c.Entries, classify.Minimal))
	fmt.Println(r.CategoryAccuracy, r.MissedRetries, r.Misses[0].ID)
	// Output: 0.5 1 a-2
}

func ExampleCorpus_Read() {
	var c eval.Corpus
	err := c.Read(strings.NewReader(`{"id":"a-1","message":"HTTP 429","category":"retry","reason":"rate_limit"}`), "corpus.jsonl")
	fmt.Println(err)
	// Output: corpus.jsonl:1: entry "a-1": unknown category "retry"; use one of retryable, context_overflow, fatal, timeout, aborted
}

func ExampleEntry_In() {
	e := eval.Entry{ID: "llm-017"}
	fmt.Println(e.Prefix(), e.In(0, 2) != e.In(1, 2))
	// Output: llm true
}

// read returns the entries of a corpus with one file.
func read(t *testing.T, text string) []eval.Entry {
	t.Helper()
	var c eval.Corpus
	require.NoError(t, c.Read(strings.NewReader(text), "c"))
	return c.Entries
}

// TestReadFiles reads two files into one corpus.
func TestReadFiles(t *testing.T) {
	t.Parallel()
	line := func(id string) string {
		return `{"id":"` + id + `","product":"redis","message":"x","category":"fatal","reason":"unknown"}` + "\n"
	}
	var c eval.Corpus
	require.NoError(t, c.Read(strings.NewReader(line("a")), "slices/data.jsonl"))
	require.NoError(t, c.Read(strings.NewReader(line("b")), "slices/apps.jsonl"))
	require.Len(t, c.Entries, 2)
	assert.Equal(t, []string{"data", "redis", "apps"}, []string{c.Entries[0].Slice, c.Entries[0].Product, c.Entries[1].Slice})
	err := c.Read(strings.NewReader(line("c")+line("a")), "more.jsonl")
	assert.EqualError(t, err, `more.jsonl:2: id "a" is already used at slices/data.jsonl:1; give every entry an id of its own`)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(names ...string) {
		for _, name := range names {
			path := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}
	}
	files := func(path string) []string {
		names, err := eval.Files(path)
		require.NoError(t, err)
		for i := range names {
			rel, err := filepath.Rel(dir, names[i])
			require.NoError(t, err)
			names[i] = filepath.ToSlash(rel)
		}
		return names
	}
	write("README.md", ".hidden.jsonl", "folder.jsonl/x")
	_, err := eval.Files(dir)
	require.EqualError(t, err, dir+": no files slices/*.jsonl or *.jsonl in this folder")
	write("c.jsonl")
	assert.Equal(t, []string{"c.jsonl"}, files(dir))
	write("slices/b.jsonl", "slices/a.jsonl", "slices/a.txt")
	assert.Equal(t, []string{"slices/a.jsonl", "slices/b.jsonl"}, files(dir), "slices come first: a corpus has other files beside them")
	assert.Equal(t, []string{"README.md"}, files(filepath.Join(dir, "README.md")), "a file may have any name")
	_, err = eval.Files(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	good := `{"id":"a","message":"","category":"fatal","reason":"unknown"}` + "\n"
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `x`, "c:2: not a JSON object: invalid character 'x'"},
		{"cut off", `{"id":"b"`, "c:2: not a JSON object: unexpected end of JSON input"},
		{"wrong kind", `{"id":7}`, `c:2: "id" holds a JSON number; make it a string`},
		{"wrong kind in a list", `{"id":"b","accept":[7]}`, `c:2: "accept" holds a JSON number; make it a string`},
		{"wrong kind of product", `{"id":"b","product":7}`, `c:2: "product" holds a JSON number; make it a string`},
		{"no list", `{"id":"b","accept":"timeout"}`, `c:2: "accept" is a JSON string; make it a list of strings`},
		{"list", `[]`, "c:2: not a JSON object, but a JSON array"},
		{"no id", `{"message":"x"}`, `c:2: no id; add "id"`},
		{"no message", `{"id":"b"}`, `c:2: entry "b": no message; add`},
		{"no category", `{"id":"b","message":"x","reason":"unknown"}`, `c:2: entry "b": no category; fill in one of retryable, `},
		{"category", `{"id":"b","message":"x","category":"Fatal","reason":"unknown"}`, `c:2: entry "b": unknown category "Fatal"`},
		{"accepted category", `{"id":"b","message":"x","category":"fatal","reason":"unknown","accept_category":["x"]}`, `c:2: entry "b": unknown category "x"`},
		{"reason", `{"id":"b","message":"x","category":"fatal","reason":"x"}`, `c:2: entry "b": unknown reason "x"; use one of rate_limit, `},
		{"accepted reason", `{"id":"b","message":"x","category":"fatal","reason":"unknown","accept":["y"]}`, `c:2: entry "b": unknown reason "y"`},
		{"same id", "\n" + good, `c:3: id "a" is already used at c:1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, new(eval.Corpus).Read(strings.NewReader(good+tt.line), "c"), tt.want)
		})
	}
	boom := errors.New("boom")
	err := new(eval.Corpus).Read(iotest.ErrReader(boom), "c")
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, "c: ")
	err = new(eval.Corpus).Read(strings.NewReader(strings.Repeat("x", 65<<20)), "c")
	require.ErrorContains(t, err, "c:1: longer than")
	require.Len(t, read(t, "\ufeff"+strings.ReplaceAll(good, "\n", "\r\n")+"\r\n"), 1)
}

// TestEvaluate compares the report of a small corpus with one computed by hand.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	entries := read(t, strings.Join([]string{
		`{"id":"a-1","kind":"x","message":"429","category":"retryable","reason":"rate_limit"}`,
		`{"id":"a-2","kind":"x","message":"429","category":"fatal","reason":"budget_exceeded","accept":["rate_limit"]}`,
		`{"id":"a-3","kind":"x","message":"429","category":"fatal","reason":"budget_exceeded","accept_category":["retryable"]}`,
		`{"id":"b-1","kind":"x","message":"503","category":"retryable","reason":"network"}`,
		`{"id":"b-2","kind":"y","message":"zzz","category":"retryable","reason":"network"}`,
		`{"id":"b-3","kind":"y","message":"zzz","category":"aborted","reason":"aborted"}`,
		`{"id":"b-4","kind":"y","message":"403","category":"fatal","reason":"authentication"}`,
	}, "\n"))
	r := eval.Evaluate(entries, eval.Predict(entries, classify.Minimal))
	assert.Equal(t, eval.Score{Entries: 7, RightCategory: 4, RightReason: 3, FalseRetries: 1, MissedRetries: 1, Retryable: 3}, r.Score)
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
		{"x", "a", eval.Score{Entries: 3, RightCategory: 2, RightReason: 2, FalseRetries: 1, Retryable: 1}},
		{"x", "b", eval.Score{Entries: 1, RightCategory: 1, Retryable: 1}},
		{"y", "b", eval.Score{Entries: 3, RightCategory: 1, RightReason: 1, MissedRetries: 1, Retryable: 1}},
	}, r.Families)
}

func TestEvaluateNothing(t *testing.T) {
	t.Parallel()
	r := eval.Evaluate(nil, nil)
	assert.Zero(t, r.CategoryAccuracy)
	assert.Zero(t, r.MacroF1)
}

// TestDeciders checks how many entries each family of rules has decided.
func TestDeciders(t *testing.T) {
	t.Parallel()
	entries := []eval.Entry{
		{ID: "a", Message: "HTTP 429", Category: "fatal", Reason: "policy"},
		{ID: "b", Message: "HTTP 503", Category: "retryable", Reason: "transient"},
		{ID: "c", Message: "zzz", Category: "retryable", Reason: "network"},
	}
	r := eval.Evaluate(entries, eval.Predict(entries, classify.Standard))
	r.Explain(classify.Standard)
	assert.Equal(t, []eval.Decider{
		{"http", eval.Score{Entries: 2, RightCategory: 1, RightReason: 1, FalseRetries: 1, Retryable: 1}},
		{"default", eval.Score{Entries: 1, MissedRetries: 1, Retryable: 1}},
	}, r.Deciders)
	assert.InDelta(t, 1./3, r.FalseRetryShare(), 1e-9)
	require.Len(t, r.Misses, 2)
	assert.Equal(t, "http/429", r.Misses[0].Signals[0].Rule)
	assert.Empty(t, r.Misses[1].Signals)
}

// TestSplit checks that each entry is in one of three similarly large parts.
func TestSplit(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../../classify/testdata/corpus.jsonl")
	require.NoError(t, err)
	entries := read(t, string(data))
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

// TestGroups compares the scores of slices and products with scores computed by
// hand.
func TestGroups(t *testing.T) {
	t.Parallel()
	entries := []eval.Entry{
		{ID: "a", Slice: "s", Product: "redis", Category: "retryable", Reason: "network"},
		{ID: "b", Slice: "s", Product: "nginx", Category: "fatal", Reason: "policy", Accept: []classify.Reason{"logic"}},
		{ID: "c", Slice: "s", Product: "kafka", Category: "fatal", Reason: "policy"},
		{ID: "d", Slice: "r", Product: "kafka", Category: "retryable", Reason: "timeout"},
		{ID: "e", Slice: "r", Category: "fatal", Reason: "logic"},
	}
	r := eval.Evaluate(entries, eval.Predictions{
		"a": {Category: "retryable", Reason: "timeout"},
		"b": {Category: "fatal", Reason: "logic"},
		"c": {Category: "retryable", Reason: "network"},
		"d": {Category: "fatal", Reason: "unknown"},
		"e": {Category: "fatal", Reason: "logic"},
	})
	assert.Equal(t, []eval.Slice{
		{Slice: "r", Score: eval.Score{Entries: 2, RightCategory: 1, RightReason: 1, MissedRetries: 1, Retryable: 1}, MacroF1: 1. / 3},
		{Slice: "s", Score: eval.Score{Entries: 3, RightCategory: 2, RightReason: 1, FalseRetries: 1, Retryable: 1}, MacroF1: 2. / 3},
	}, r.Slices)
	assert.Equal(t, []eval.Product{
		{Product: "kafka", Misses: 2, Score: eval.Score{Entries: 2, FalseRetries: 1, MissedRetries: 1, Retryable: 1}},
		{Product: "redis", Misses: 1, Score: eval.Score{Entries: 1, RightCategory: 1, Retryable: 1}},
		{Product: "nginx", Score: eval.Score{Entries: 1, RightCategory: 1, RightReason: 1}},
	}, r.Products)
	assert.Equal(t, []string{"s", "kafka"}, []string{r.Misses[0].Slice, r.Misses[0].Product})
	assert.InDelta(t, 0.5, r.MissedRetryShare(), 1e-9)
}

// TestReliability compares the table and the calibration error with values computed
// by hand.
func TestReliability(t *testing.T) {
	t.Parallel()
	var entries []eval.Entry
	predictions := eval.Predictions{}
	for i, p := range []struct {
		confidence float64
		right      bool
	}{{0.95, true}, {0.91, true}, {1, false}, {0.5, false}, {0.59, true}, {0, true}, {0, false}} {
		e := eval.Entry{ID: fmt.Sprint(i), Category: "fatal", Reason: "policy", Accept: []classify.Reason{"logic"}}
		answer := eval.Prediction{Category: "fatal", Reason: "parsing", Confidence: p.confidence}
		if p.right {
			answer.Reason = []classify.Reason{"policy", "logic"}[i%2]
		}
		entries, predictions[e.ID] = append(entries, e), answer
	}
	got := eval.Evaluate(entries, predictions).Reliability
	require.Len(t, got.Ranges, 2, "answers with confidence 0 do not count")
	low, high := got.Ranges[0], got.Ranges[1]
	assert.Equal(t, [2]int{2, 1}, [2]int{low.Answers, low.RightReason})
	assert.Equal(t, [2]int{3, 2}, [2]int{high.Answers, high.RightReason})
	assert.InDeltaSlice(t, []float64{0.5, 0.545, 0.5}, []float64{low.From, low.MeanConfidence, low.ReasonAccuracy()}, 1e-9)
	assert.InDeltaSlice(t, []float64{0.9, 2.86 / 3, 2. / 3}, []float64{high.From, high.MeanConfidence, high.ReasonAccuracy()}, 1e-9)
	assert.InDelta(t, (0.09+0.86)/5, got.CalibrationError, 1e-9)
	assert.Zero(t, eval.Evaluate(entries[5:], predictions).Reliability.CalibrationError)
}

func TestPredict(t *testing.T) {
	t.Parallel()
	entries := []eval.Entry{{ID: "b", Message: "HTTP 429"}, {ID: "a", Message: "<x>"}}
	got := eval.Predict(entries, classify.Standard)
	r := classify.Standard.Message("HTTP 429")
	assert.Equal(t, eval.Prediction{ID: "b", Category: "retryable", Reason: "rate_limit", Rule: "http/429", Confidence: r.Confidence}, got["b"])
	assert.NotZero(t, r.Confidence)
	var out strings.Builder
	require.NoError(t, got.Write(&out, entries))
	assert.True(t, strings.HasPrefix(out.String(), `{"id":"b","category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.`), out.String())
	back, err := eval.ReadPredictions(strings.NewReader(out.String()+"\n"), "p")
	require.NoError(t, err)
	assert.Equal(t, got, back)
}

func TestReadPredictionsFaults(t *testing.T) {
	t.Parallel()
	good := `{"id":"a","category":"fatal","reason":"unknown","rule":"default","confidence":1}` + "\n"
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", "2026/01/02 stopped", "p:2: not a JSON object: "},
		{"no id", `{"rule":"x"}`, `p:2: no id; add "id"`},
		{"an entry of a corpus", `{"id":"b","message":"x","category":"fatal","reason":"unknown"}`, `p:2: entry "b": no rule, so this is not a prediction`},
		{"category", strings.Replace(good, "fatal", "Fatal", 1), `p:2: entry "a": unknown category "Fatal"`},
		{"reason", strings.Replace(good, "unknown", "none", 1), `p:2: entry "a": unknown reason "none"`},
		{"confidence", strings.Replace(good, ":1}", ":95}", 1), `p:2: entry "a": confidence 95; use a number from 0 to 1`},
		{"negative confidence", strings.Replace(good, ":1}", ":-1}", 1), `p:2: entry "a": confidence -1; use`},
		{"confidence as text", strings.Replace(good, ":1}", `:"1"}`, 1), `p:2: "confidence" is a JSON string; make it a number`},
		{"same id", good, `p:2: a second prediction for id "a"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := eval.ReadPredictions(strings.NewReader(good+tt.line), "p")
			require.ErrorContains(t, err, tt.want)
			assert.Nil(t, got)
		})
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	answer := func(category, reason string) eval.Prediction {
		return eval.Prediction{Category: classify.Category(category), Reason: classify.Reason(reason), Rule: "x"}
	}
	then, now := eval.Predictions{"old": answer("fatal", "logic")}, eval.Predictions{}
	var entries []eval.Entry
	for _, tt := range []struct {
		id        string
		then, now eval.Prediction
	}{
		{"same", answer("fatal", "policy"), answer("fatal", "policy")},
		{"accepted", answer("fatal", "policy"), answer("retryable", "logic")},
		{"still wrong", answer("fatal", "network"), answer("fatal", "network")},
		{"lost reason", answer("fatal", "policy"), answer("fatal", "network")},
		{"lost category", answer("retryable", "logic"), answer("aborted", "policy")},
		{"won", answer("timeout", "policy"), answer("retryable", "policy")},
		{"won from nothing right", answer("timeout", "timeout"), answer("fatal", "logic")},
		{"changed reason", answer("fatal", "network"), answer("fatal", "timeout")},
		{"changed category", answer("aborted", "policy"), answer("timeout", "policy")},
	} {
		then[tt.id], now[tt.id] = tt.then, tt.now
		entries = append(entries, eval.Entry{
			ID: tt.id, Slice: "s", Category: "fatal", Reason: "policy",
			Accept: []classify.Reason{"logic"}, AcceptCategory: []classify.Category{"retryable"},
		})
	}
	otherRule := now["still wrong"]
	otherRule.Rule, otherRule.Confidence = "y", 0.5
	now["still wrong"] = otherRule
	entries, now["new"] = append(entries, eval.Entry{ID: "new"}), answer("fatal", "logic")
	ids := func(changes []eval.Change) (ids []string) {
		for _, c := range changes {
			assert.Equal(t, []any{"s", then[c.ID], now[c.ID]}, []any{c.Slice, c.Then, c.Now})
			ids = append(ids, c.ID)
		}
		return ids
	}
	got := eval.Compare(entries, then, now)
	assert.Equal(t, []string{"won", "won from nothing right"}, ids(got.Won))
	assert.Equal(t, []string{"lost reason", "lost category"}, ids(got.Lost))
	assert.Equal(t, []string{"changed reason", "changed category"}, ids(got.ChangedWrong))
	assert.Equal(t, []string{"old"}, got.Unknown)
	assert.Equal(t, []string{"new"}, got.Missing)
	assert.Contains(t, then, "old", "the arguments stay as they are")
}
