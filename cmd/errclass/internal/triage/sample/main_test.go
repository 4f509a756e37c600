package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/triage"
)

// TestGroups checks that triage finds each kind of error with the right count.
func TestGroups(t *testing.T) {
	t.Parallel()
	var log, report bytes.Buffer
	require.NoError(t, write(&log, &report, 20_000))
	r := triage.Run(t.Context(), triage.Options{Inputs: []string{"-"}, Stdin: &log})
	assert.Empty(t, r.Notes)
	assert.Zero(t, r.NoTime)
	require.Len(t, r.Groups, len(kinds))
	for _, g := range r.Groups {
		want := ""
		for _, k := range kinds {
			if strings.Contains(strings.ToLower(g.Template), marks[k.name]) {
				want = fmt.Sprintf("%7d %s\n", g.Count, k.name)
			}
		}
		require.NotEmpty(t, want, g.Template)
		assert.Contains(t, report.String(), want)
	}
	assert.Contains(t, report.String(), fmt.Sprintf("%7d errors\n", r.Events))
}

// marks maps each kind of error to words that the template of its group must contain,
// regardless of case.
var marks = map[string]string{
	"connection refused": "connection refused", "rate limit": "rate limit", "deadlock": "deadlock", "user": "does not exist", "widget": "frobnicator",
	"key": "api key", "disk": "no space left", "timeout": "deadline exceeded", "null": "nullpointer",
}

func TestSame(t *testing.T) {
	t.Parallel()
	var a, b bytes.Buffer
	require.NoError(t, write(&a, io.Discard, 1000))
	require.NoError(t, write(&b, io.Discard, 1000))
	assert.Equal(t, a.String(), b.String())
	assert.GreaterOrEqual(t, bytes.Count(a.Bytes(), []byte("\n")), 1000)
}
