package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
	"github.com/errclass/errclass/internal/model"
)

var lesson = []text{
	{Text: "peer hung up", Reason: classify.ReasonNetwork},
	{Text: "the peer hung up early", Reason: classify.ReasonNetwork},
	{Text: "no such table", Reason: classify.ReasonInvalidRequest},
	{Text: "such a table does not exist", Reason: classify.ReasonInvalidRequest},
	{Text: "balance is spent", Reason: classify.ReasonBudgetExceeded, Example: true},
	{Text: "your balance is spent", Reason: classify.ReasonBudgetExceeded, Example: true},
}

// likeliest returns the reason with the highest probability.
func likeliest(m *model.Model, message string) classify.Reason {
	p := m.Predict(message)
	best := 0
	for i := range classify.Reasons() {
		if p[i] > p[best] {
			best = i
		}
	}
	return classify.Reasons()[best]
}

func TestTrain(t *testing.T) {
	t.Parallel()
	table := train(lesson, defaults)
	m := model.New(table)
	assert.Equal(t, classify.ReasonNetwork, likeliest(m, "peer has hung up"))
	assert.Equal(t, classify.ReasonInvalidRequest, likeliest(m, "table does not exist"))
	assert.Equal(t, classify.ReasonBudgetExceeded, likeliest(m, "spent balance"))
	assert.Equal(t, table.Encode(), train(lesson, defaults).Encode(), "the same inputs give the same table")
	few := defaults
	few.Features = 7
	assert.Len(t, train(lesson, few).Features, 7)
}

func TestInputs(t *testing.T) {
	t.Parallel()
	first, err := inputs(lesson, defaults)
	require.NoError(t, err)
	changed := append([]text{}, lesson...)
	changed[0].Reason = classify.ReasonTimeout
	second, err := inputs(changed, defaults)
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "a label")
	o := defaults
	o.Rare++
	third, err := inputs(lesson, o)
	require.NoError(t, err)
	assert.NotEqual(t, first, third, "a setting")
}

func TestReadExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(`
rules:
  - {id: a/one, reason: network, match: [gone, again]}
  - {id: 'a/{code}', codes: http, match: [HTTP 429]}
  - {id: hint/wait, match: [ignored]}
  - {id: a/two, reason: timeout, match: [again]}
`), 0o600))
	got, err := readExamples(dir)
	require.NoError(t, err)
	assert.Equal(t, []text{
		{"gone", classify.ReasonNetwork, true},
		{"again", classify.ReasonNetwork, true},
		{"HTTP 429", classify.ReasonRateLimit, true},
	}, got)
	_, err = readExamples(filepath.Join(dir, "none"))
	assert.ErrorContains(t, err, "no files *.yaml")
}

func TestChoose(t *testing.T) {
	t.Parallel()
	p := map[classify.Reason]float64{classify.ReasonTimeout: 0.3, classify.ReasonNetwork: 0.25, classify.ReasonLogic: 0.45}
	for _, tt := range []struct {
		name      string
		threshold float64
		want      answer
	}{
		{"retryable reasons together", 0.5, answer{classify.CategoryRetryable, classify.ReasonTimeout}},
		{"below the threshold", 0.6, answer{classify.CategoryFatal, classify.ReasonLogic}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, choose(p, tt.threshold)) })
	}
}

func TestBlend(t *testing.T) {
	t.Parallel()
	p := map[classify.Reason]float64{classify.ReasonTimeout: 0.25, classify.ReasonLogic: 0.75}
	rules := known{answer: answer{reason: classify.ReasonTimeout}}
	got := blend(p, rules, 0)
	assert.InDelta(t, 0.25, got[classify.ReasonTimeout], 1e-9)
	got = blend(p, rules, 2)
	assert.InDelta(t, 0.711, got[classify.ReasonTimeout], 1e-3)
	assert.InDelta(t, 0.289, got[classify.ReasonLogic], 1e-3)
}

func TestScore(t *testing.T) {
	t.Parallel()
	var s score
	entry := func(c classify.Category, r classify.Reason) corpus.Entry {
		return corpus.Entry{Category: c, Reason: r, Accept: []classify.Reason{classify.ReasonResource}}
	}
	s.add(entry(classify.CategoryRetryable, classify.ReasonNetwork), answer{classify.CategoryRetryable, classify.ReasonNetwork})
	s.add(entry(classify.CategoryRetryable, classify.ReasonNetwork), answer{classify.CategoryFatal, classify.ReasonResource})
	s.add(entry(classify.CategoryFatal, classify.ReasonLogic), answer{classify.CategoryRetryable, classify.ReasonNetwork})
	s.add(entry(classify.CategoryFatal, classify.ReasonLogic), answer{classify.CategoryFatal, classify.ReasonLogic})
	assert.Equal(t, [6]int{4, 2, 3, 1, 1, 2}, [6]int{s.entries, s.category, s.reason, s.falseRetries, s.missedRetries, s.retries})
	assert.InDelta(t, 0.5, s.macroF1(), 1e-9)
}

// TestFoldOf shows that the parts are of about equal size. All messages of a
// product are in one part, so training and test have no product in common.
func TestFoldOf(t *testing.T) {
	t.Parallel()
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	counts := [folds]int{}
	for _, e := range entries {
		counts[foldOf(e.Product)]++
	}
	for fold, n := range counts {
		assert.InDelta(t, len(entries)/folds, n, float64(len(entries))/10, "entries of part %d", fold)
	}
}

// TestStandardTableIsFresh shows that the table was made from the messages,
// examples and settings of this work tree. If one of them changes, run make train.
func TestStandardTableIsFresh(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../internal/model/standard.table")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(data), 1<<20, "bytes")
	table, err := model.Decode(data)
	require.NoError(t, err)
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	examples, err := readExamples("../../../classify/rules")
	require.NoError(t, err)
	want, err := inputs(append(texts(entries), examples...), defaults)
	require.NoError(t, err)
	assert.Equal(t, want, table.Inputs, "the table has other inputs; run make train")
	var reasons []string
	for _, reason := range classify.Reasons() {
		reasons = append(reasons, string(reason))
	}
	assert.Equal(t, reasons, table.Reasons)
}
