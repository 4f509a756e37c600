package logline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

// shapeLines returns the test lines of package shapes by kind: error, info or nested.
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

// TestShapes annotates a line of every shape (log format) with the standard rules.
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
		assert.True(t, addsOnlyFields(line, annotated(t, a, line)), line)
		assert.Equal(t, annotated(t, a, line), annotated(t, a, annotated(t, a, line)), "the fields are inserted once")
	}
}

// TestShapesOverLines spreads each JSON line over several lines and expects the same
// fields.
func TestShapesOverLines(t *testing.T) {
	t.Parallel()
	byKind := shapeLines(t)
	count := 0
	for _, line := range slices.Concat(byKind["info"], byKind["error"], byKind["nested"]) {
		for _, indent := range []string{" ", "\t"} {
			var pretty, compact bytes.Buffer
			if !strings.HasPrefix(line, "{") || json.Indent(&pretty, []byte(line), "", indent) != nil {
				continue
			}
			count++
			in := pretty.String() + "\n"
			for _, in := range []string{in, strings.ReplaceAll(in, "\n", "\r\n"), "x\n\n" + in + in + "x\n{}"} {
				var out strings.Builder
				p := logline.NewProcessor(logline.NewAnnotator(nil, false), &out, false)
				p.Waits(false)
				require.NoError(t, p.Process(strings.NewReader(in)))
				assert.True(t, addsOnlyFields(in, out.String()), "%s\n%s", in, out.String())
				assert.EqualValues(t, strings.Count(in+"\n", "\n")-strings.Count(in[len(in)-1:], "\n"), p.Summary().Lines)
				if strings.HasPrefix(in, "x") {
					continue
				}
				compact.Reset()
				require.NoError(t, json.Compact(&compact, []byte(out.String())))
				var want bytes.Buffer
				require.NoError(t, json.Compact(&want, []byte(annotated(t, logline.NewAnnotator(nil, false), line))))
				assert.Equal(t, want.String(), compact.String())
			}
		}
	}
	assert.Greater(t, count, 100)
}

// insertedField matches the text that Annotate inserts, in each of its forms.
var insertedField = regexp.MustCompile(strings.Join([]string{
	`,"attributes":\[\{"key":"error\.category","value":\{"stringValue":"[a-z_]+"\}\},\{"key":"error\.reason","value":\{"stringValue":"[a-z_]+"\}\}\]`,
	`,?\{"key":"error\.category","value":\{"stringValue":"[a-z_]+"\}\},\{"key":"error\.reason","value":\{"stringValue":"[a-z_]+"\}\}`,
	`,?"error\.category":"[a-z_]+","error\.reason":"[a-z_]+"`,
	` error\.category=[a-z_]+ error\.reason=[a-z_]+`,
}, "|"))

// removed returns s without the inserted fields. The original text must not contain
// their keys.
func removed(s string) string { return insertedField.ReplaceAllString(s, "") }

// anyField has a regular expression for each form of inserted text. The expressions
// match only at the beginning of a string.
var anyField = func() (forms []*regexp.Regexp) {
	for form := range strings.SplitSeq(insertedField.String(), "|") {
		forms = append(forms, regexp.MustCompile("^(?:"+form+")"))
	}
	return append(forms, regexp.MustCompile(`^"attributes":\[\{"key":"error\.category","value":\{"stringValue":"[a-z_]+"\}\},\{"key":"error\.reason","value":\{"stringValue":"[a-z_]+"\}\}\]`))
}()

// addsOnlyFields reports whether after differs from before only by inserted fields. It
// also returns true if the texts are equal.
func addsOnlyFields(before, after string) bool {
	next := strings.Index(after, "error.category")
	if next < 0 {
		return before == after
	}
	// The inserted text can begin before error.category, by at most this many bytes.
	start := max(0, next-len(`,"attributes":[{"key":"`))
	if len(before) < start || before[:start] != after[:start] {
		return false
	}
	before, after = before[start:], after[start:]
	for i := 0; ; i++ {
		for _, form := range anyField {
			if n := len(form.FindString(after[i:])); n > 0 && addsOnlyFields(before[i:], after[i+n:]) {
				return true
			}
		}
		if i == len(before) || i == len(after) || before[i] != after[i] {
			return false
		}
	}
}

// textLines returns the text logs in the testdata of package shapes.
func textLines(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("../../../../internal/shapes/testdata/printed-text.txt")
	require.NoError(t, err)
	return string(data)
}

// FuzzShapes checks that only fields are inserted, and that a second annotation
// changes nothing.
func FuzzShapes(f *testing.F) {
	for _, lines := range shapeLines(f) {
		for _, line := range lines {
			f.Add([]byte(line+"\n"+line), false)
			var pretty bytes.Buffer
			if json.Indent(&pretty, []byte(line), "", " ") == nil {
				f.Add(pretty.Bytes(), false)
			}
		}
	}
	for _, section := range strings.Split(textLines(f), "\n\n# ") {
		f.Add([]byte(section), false)
	}
	for _, s := range []string{
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17},{"severityNumber":17,"attributes":[]},{},{"severityNumber":9},{"severityNumber":17,"attributes":[ {"key":"a"} ] }]}]},{"scopeLogs":null}]}`,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17,"attributes":null},3,"x"]},7]},[]]}`,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":17},{"severityNumber":17,"attributes":{}},{"severityNumber":17}]}]}]}`,
		"level=error msg=\"a \\\"b\\\" c\" x=1\r\nlevel=error  \n", "web-1  | {\"level\":50}\r\n<11>Jan  2 03:04:05 h a: {\"level\":50}",
		`{"log":"{\"log\":\"{\\\"level\\\":\\\"error\\\"}\",\"stream\":\"stderr\"}","stream":"stderr"}`,
		"panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1\n{}\n\n ERROR\n[ERROR] x\n\x1b[31mERRO\x1b[0m[0000] x",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Add([]byte("level=1\n 0"), true) // inserted pairs must not turn the first line into logfmt
	c := testRules(f)
	f.Fuzz(func(t *testing.T, in []byte, all bool) {
		annotate := func(in string) string {
			var out strings.Builder
			p := logline.NewProcessor(logline.NewAnnotator(c, all), &out, true)
			p.ReadTexts(true)
			p.Waits(false)
			require.NoError(t, p.Process(strings.NewReader(in)))
			return out.String()
		}
		once := annotate(string(in))
		require.Equal(t, once, annotate(once))
		mayHaveKey := strings.Contains(string(in), "error.") || strings.Contains(string(in), `\u`)
		if !mayHaveKey {
			require.True(t, addsOnlyFields(string(in), once), "%q", once)
		}
		was, is := strings.Split(string(in), "\n"), strings.Split(once, "\n")
		require.Len(t, is, len(was))
		for i := range was {
			require.GreaterOrEqual(t, len(is[i]), len(was[i]))
			if strings.HasPrefix(was[i], "{") && json.Valid([]byte(was[i])) {
				require.True(t, json.Valid([]byte(is[i])), "%q", is[i])
			}
		}
	})
}

// TestLinesWithoutErrorsAllocateNothing annotates one non-error line of every
// shape.
func TestLinesWithoutErrorsAllocateNothing(t *testing.T) {
	a := logline.NewAnnotator(nil, false)
	for _, line := range shapeLines(t)["info"] {
		b := []byte(line)
		assert.Zero(t, testing.AllocsPerRun(10, func() { a.Annotate(b) }), line)
	}
}
