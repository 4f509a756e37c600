package classify_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// The README has a copy of the table of reasons. The test compares the two.
func TestReadmeHasTheTable(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	readme := string(data)

	for _, c := range classify.Categories() {
		assert.Contains(t, readme, fmt.Sprintf("\n| %#q | ", c))
	}
	for _, r := range classify.Reasons() {
		cells := tableRow(readme, r)
		require.Len(t, cells, 6, "cells of the row of %s", r)
		p := r.Policy()
		assert.True(t, strings.HasPrefix(cells[2], fmt.Sprintf("%#q", p.Category)), "category of %s: %s", r, cells[2])
		assert.Equal(t, string(p.Retry), cells[3], "retry of %s", r)
		assert.Equal(t, fmt.Sprint(p.Calls()), cells[4], "calls of %s", r)
		assert.True(t, strings.HasPrefix(cells[5], string(p.Fallback)), "fallback of %s: %s", r, cells[5])
	}
}

// tableRow returns the six cells of the table row that begins with r, or nil.
func tableRow(text string, r classify.Reason) []string {
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 6 && cells[0] == fmt.Sprintf("%#q", r) {
			return cells
		}
	}
	return nil
}
