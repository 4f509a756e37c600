package logline_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

// shapeLines returns the lines of the testdata of package shapes by their kind:
// error, info or nested.
func shapeLines(t testing.TB) map[string][]string {
	t.Helper()
	byKind := map[string][]string{}
	for _, name := range []string{"printed.txt", "documented.txt"} {
		data, err := os.ReadFile("../../../../internal/shapes/testdata/" + name)
		require.NoError(t, err)
		for line := range strings.SplitSeq(string(data), "\n") {
			if kind, line, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(kind, "#") {
				byKind[kind] = append(byKind[kind], line)
			}
		}
	}
	return byKind
}

// TestShapes annotates a line of every shape with the standard rules.
func TestShapes(t *testing.T) {
	t.Parallel()
	a := logline.NewAnnotator(nil, false)
	byKind := shapeLines(t)
	for _, line := range byKind["info"] {
		assert.Equal(t, logline.Other, a.Annotate([]byte(line)).Kind, line)
	}
	for _, line := range append(byKind["error"], byKind["nested"]...) {
		got := a.Annotate([]byte(line))
		switch {
		case strings.Contains(line, `"status":"timeout"`):
			assert.Equal(t, "timeout", got.Reason, line)
		case strings.Contains(line, "Runtime.ExitError"):
			assert.Equal(t, logline.Classified, got.Kind, line)
		default:
			assert.Equal(t, "network", got.Reason, line)
		}
		assert.Equal(t, line, removed(annotated(t, a, line)))
		assert.Equal(t, annotated(t, a, line), annotated(t, a, annotated(t, a, line)), "the fields are inserted once")
	}
}

// insertedField matches what is inserted, in each of its forms.
var insertedField = regexp.MustCompile(strings.Join([]string{
	`,"attributes":\[\{"key":"error\.category","value":\{"stringValue":"[a-z_]+"\}\},\{"key":"error\.reason","value":\{"stringValue":"[a-z_]+"\}\}\]`,
	`,?\{"key":"error\.category","value":\{"stringValue":"[a-z_]+"\}\},\{"key":"error\.reason","value":\{"stringValue":"[a-z_]+"\}\}`,
	`,?"error\.category":"[a-z_]+","error\.reason":"[a-z_]+"`,
	` error\.category=[a-z_]+ error\.reason=[a-z_]+`,
}, "|"))

// removed returns an annotated text without what was inserted. The text had neither
// key before.
func removed(s string) string { return insertedField.ReplaceAllString(s, "") }
