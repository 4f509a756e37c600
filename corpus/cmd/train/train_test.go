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
	o := defaults
	o.Epochs, o.Dropout = 50, 0 // few texts
	table := train(lesson, o)
	m := model.New(table)
	assert.Equal(t, classify.ReasonNetwork, likeliest(m, "peer has hung up"))
	assert.Equal(t, classify.ReasonInvalidRequest, likeliest(m, "table does not exist"))
	assert.Equal(t, classify.ReasonBudgetExceeded, likeliest(m, "spent balance"))
	assert.Equal(t, table.Encode(), train(lesson, o).Encode(), "the same inputs give the same table")
	o.Features = 7
	assert.Len(t, train(lesson, o).Features, 7)
}

// TestCluster checks that each part is close to the centroid of its cluster. The parts
// form two groups.
func TestCluster(t *testing.T) {
	t.Parallel()
	var parts []part
	for i := range 2000 {
		sign := float32(1 - i%2*2)
		parts = append(parts, part{sign * 10, sign * float32(i%100) / 1000})
	}
	centroids, nearest := cluster(parts)
	for i, p := range parts {
		c := centroids[nearest[i]]
		assert.InDelta(t, p[0], c[0], 1e-3)
		assert.InDelta(t, p[1], c[1], 0.01)
	}
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
  - {id: a/two, reason: timeout, match: [again], miss: ['open x: no space left on device', gone]}
`), 0o600))
	got, err := readExamples(dir)
	require.NoError(t, err)
	assert.Equal(t, []text{
		{"gone", classify.ReasonNetwork, true},
		{"again", classify.ReasonNetwork, true},
		{"HTTP 429", classify.ReasonRateLimit, true},
		{"open x: no space left on device", classify.ReasonResource, true},
	}, got)
	_, err = readExamples(filepath.Join(dir, "none"))
	assert.ErrorContains(t, err, "no files *.yaml")
}

func TestScore(t *testing.T) {
	t.Parallel()
	var s score
	entry := func(c classify.Category, r classify.Reason) corpus.Entry {
		return corpus.Entry{Category: c, Reason: r, Accept: []classify.Reason{classify.ReasonResource}}
	}
	s.add(entry(classify.CategoryRetryable, classify.ReasonNetwork), answer{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork})
	s.add(entry(classify.CategoryRetryable, classify.ReasonNetwork), answer{Category: classify.CategoryFatal, Reason: classify.ReasonResource})
	s.add(entry(classify.CategoryFatal, classify.ReasonLogic), answer{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork})
	s.add(entry(classify.CategoryFatal, classify.ReasonLogic), answer{Category: classify.CategoryFatal, Reason: classify.ReasonLogic})
	assert.Equal(t, [6]int{4, 2, 3, 1, 1, 2}, [6]int{s.entries, s.category, s.reason, s.falseRetries, s.missedRetries, s.retries})
	assert.InDelta(t, 0.5, s.macroF1(), 1e-9)
}

func TestCalibrationError(t *testing.T) {
	t.Parallel()
	var sure, unsure tally
	for i := range 10 {
		sure.add(i > 0, 0.95)
		unsure.add(i > 5, 0.55)
	}
	assert.InDelta(t, 0.9, sure.share(), 1e-9)
	assert.InDelta(t, (0.05*10+0.15*10)/20, calibrationError(map[int]*tally{9: &sure, 5: &unsure}), 1e-9)
}

// TestFoldOf checks that the folds have about the same size. All messages of a
// product are in one fold, so training and test have no product in common.
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

// TestStandardTableIsFresh checks that the table was made from the messages,
// examples and settings of this work tree. After a change to one of them, run make
// train.
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
	phrases, err := corpus.ReadPhrases(corpus.Phrases, entries)
	require.NoError(t, err)
	examples = append(examples, phraseTexts(phrases)...)
	want, err := inputs(append(texts(entries), examples...), defaults)
	require.NoError(t, err)
	assert.Equal(t, want, table.Inputs, "the table has other inputs; run make train")
	var reasons []string
	for _, reason := range classify.Reasons() {
		reasons = append(reasons, string(reason))
	}
	assert.Equal(t, reasons, table.Reasons)
}
