package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
	"github.com/errclass/errclass/cmd/errclass/internal/triage"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/page"
	"github.com/errclass/errclass/internal/pages"
)

const hostile = `</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> & \u2028 {{.}}`

// report returns a report with n groups. Each example has size bytes.
func report(n, size int) *triage.Report {
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	series := triage.Series{Counts: make([]int64, triage.MaxSteps)}
	for i := range series.Counts {
		series.Counts[i] = int64(i * 997)
	}
	r := &triage.Report{
		Lines: 10, Events: int64(n), First: at, Last: at.Add(time.Hour), Start: at, StepSeconds: 60, Steps: triage.MaxSteps,
		Counts: []triage.Count{{Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Count: int64(n), Series: series}},
		Files:  []string{hostile},
		Notes:  []triage.Note{{File: "b.gz", Problem: hostile}},
	}
	text := hostile + strings.Repeat("é", size/2)
	for i := range n {
		r.Groups = append(r.Groups, triage.Group{
			ID: fmt.Sprintf("%016x", i), Template: hostile, Count: 1, Share: 1 / float64(n), First: at, Last: at, Series: series,
			Category: classify.CategoryFatal, Reason: classify.ReasonUnknown, Confidence: .5,
			Examples: []triage.Example{{Text: text, Source: "a part", Time: at, File: hostile, Line: 1}, {Text: text}, {Text: text}},
			WhatToDo: runbook.Advice{Meaning: "an error that no rule knows", First: []string{"the message"}, Link: "https://example.test/#unknown"},
			Files:    []triage.Origin{{Name: hostile, Count: 1}},
		})
	}
	return r
}

func write(t *testing.T, r *triage.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, r))
	return b.String()
}

// between returns the part of text between an opening and a closing text.
func between(t *testing.T, text, opening, closing string) string {
	t.Helper()
	_, text, ok := strings.Cut(text, opening)
	require.True(t, ok, opening)
	text, _, ok = strings.Cut(text, closing)
	require.True(t, ok, closing)
	return text
}

// TestWriteEscapes checks that a log text cannot end the page's script element.
func TestWriteEscapes(t *testing.T) {
	t.Parallel()
	text := write(t, report(2, 10))
	assert.Equal(t, 2, strings.Count(text, "<script"))
	assert.Equal(t, 2, strings.Count(text, "</script>"))
	assert.NotContains(t, text, "<img")

	var got struct {
		Groups []struct {
			Template string
			Examples []triage.Example
		}
		Advice map[string]runbook.Advice
	}
	require.NoError(t, json.Unmarshal([]byte(between(t, text, `type="application/json">`, "</script>")), &got))
	require.Len(t, got.Groups, 2)
	assert.Equal(t, hostile, got.Groups[0].Template, "the text is unchanged")
	assert.Equal(t, hostile+"ééééé", got.Groups[0].Examples[0].Text)
	assert.Empty(t, got.Groups[0].Examples[0].Source, "the page does not show it")
	assert.Equal(t, "an error that no rule knows", got.Advice["unknown"].Meaning)
}

// TestWritePolicy checks that the page's Content-Security-Policy permits the script and
// the style of the page.
func TestWritePolicy(t *testing.T) {
	t.Parallel()
	text := write(t, report(1, 10))
	want, err := pages.Policy(between(t, text, "\n<script>", "</script>"), between(t, text, "<style>", "</style>"))
	require.NoError(t, err)
	got := between(t, text, `http-equiv="Content-Security-Policy" content="`, `"`)
	assert.Equal(t, want, strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(got))
}

func TestWriteIsBounded(t *testing.T) {
	t.Parallel()
	const n = 5000
	text := write(t, report(n, 64<<10))
	assert.Less(t, len(text), page.MaxBytes)
	assert.Greater(t, len(text), page.MaxBytes*9/10, "the space is used")

	var got struct {
		Groups   []json.RawMessage
		Unlisted struct {
			Groups int
			Events int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(between(t, text, `type="application/json">`, "</script>")), &got))
	assert.Equal(t, n, len(got.Groups)+got.Unlisted.Groups)
	assert.EqualValues(t, got.Unlisted.Groups, got.Unlisted.Events)
	assert.Greater(t, len(got.Groups), 1000)
}

func TestWriteNothing(t *testing.T) {
	t.Parallel()
	assert.Contains(t, write(t, &triage.Report{}), `"groups":[]`)
}
