package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/triage"
)

func TestSparkline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		series triage.Series
		steps  int
		want   string
	}{
		{"no times", triage.Series{}, 0, ""},
		{"one step", triage.Series{Counts: []int64{7}}, 1, "█"},
		{"levels", triage.Series{Counts: []int64{1, 2, 3, 4, 5, 6, 7, 8}}, 8, "▁▂▃▄▅▆▇█"},
		{"gaps", triage.Series{Offset: 1, Counts: []int64{1, 0, 100}}, 5, " ▁ █ "},
		{"more steps than columns", triage.Series{Offset: 0, Counts: append(make([]int64, 239), 3)}, 240, strings.Repeat(" ", 23) + "█"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, sparkline(tt.series, tt.steps))
		})
	}
}

// TestGroupTable checks that the table fits into a terminal, with or without colours.
func TestGroupTable(t *testing.T) {
	t.Parallel()
	g := triage.Group{Template: strings.Repeat("ä word ", 50), Count: 1234567, Share: 0.5, Category: classify.CategoryContextOverflow, Reason: classify.ReasonContextOverflow}
	r := &triage.Report{First: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Last: time.Date(2026, 1, 4, 3, 4, 5, 0, time.UTC), Steps: 100}
	g.First, g.Last, g.Series = r.First, r.Last, triage.Series{Counts: make([]int64, 100)}
	lines := func(width int, colour bool) string {
		var b bytes.Buffer
		require.NoError(t, render(&b, groupTable(r, []triage.Group{g}, width, colour)))
		return b.String()
	}
	for _, width := range []int{160, 200} {
		for line := range strings.Lines(lines(width, false)) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(line)), width)
		}
	}
	assert.Contains(t, lines(0, false), "2026-01-02 03:04  2026-01-04 03:04")
	assert.Contains(t, lines(0, true), "\x1b[33mcontext_overflow\x1b[0m")
	assert.NotContains(t, lines(0, false), "\x1b")
}
