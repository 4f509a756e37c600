package model_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/model"
)

// BenchmarkPredict predicts the reason of every message in the corpus of package
// classify.
func BenchmarkPredict(b *testing.B) {
	data, err := os.ReadFile("../../classify/testdata/corpus.jsonl")
	require.NoError(b, err)
	var messages []string
	size := 0
	for line := range bytes.Lines(data) {
		var e struct{ Message string }
		require.NoError(b, json.Unmarshal(line, &e))
		messages = append(messages, e.Message)
		size += len(e.Message)
	}
	m := model.Standard()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m.Predict(messages[i])
		i = (i + 1) % len(messages)
	}
	b.ReportMetric(float64(size)/float64(len(messages)), "x-bytes")
}

// BenchmarkNew measures what the first call of Standard costs.
func BenchmarkNew(b *testing.B) {
	data, err := os.ReadFile("standard.table")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		t, err := model.Decode(data)
		require.NoError(b, err)
		model.New(t)
	}
}
