package shapes_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/shapes"
)

// sample is one line of testdata: a line of a logger, and the expected result.
type sample struct {
	shape, origin string // "shape | origin" in a comment before the lines
	kind          string // error, info or nested: an error with its text in a nested object
	line          string
}

// samples reads log lines and their origins from files in testdata.
func samples(t testing.TB, names ...string) (all []sample) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		var s sample
		for line := range strings.SplitSeq(string(data), "\n") {
			if header, ok := strings.CutPrefix(line, "# "); ok {
				s.shape, s.origin, ok = strings.Cut(header, " | ")
				require.True(t, ok, header)
				continue
			}
			if line == "" {
				continue
			}
			s.kind, s.line, _ = strings.Cut(line, "\t")
			require.Contains(t, []string{"error", "info", "nested"}, s.kind, line)
			all = append(all, s)
		}
	}
	return all
}

// record is a copy of the fields of a shapes.Record.
type record struct {
	shape    string
	severity shapes.Severity
	isError  bool
	stderr   bool
	sources  []shapes.Source
}

func read(r *shapes.Reader, line string) (all []record) {
	r.Read([]byte(line), func(rec *shapes.Record) {
		got := record{shape: rec.Shape.Name, severity: rec.Severity, isError: rec.IsError(), stderr: rec.Stderr}
		rec.Sources(func(s shapes.Source) bool {
			got.sources = append(got.sources, s)
			return true
		})
		all = append(all, got)
	})
	return all
}

// TestShapes checks the sample lines of each shape: an error, a nested error and a line
// without an error.
func TestShapes(t *testing.T) {
	t.Parallel()
	kinds := map[string]map[string]bool{}
	printed := map[string]bool{}
	r := shapes.NewReader(nil)
	for _, file := range []string{"printed.txt", "documented.txt"} {
		for _, s := range samples(t, file) {
			if kinds[s.shape] == nil {
				kinds[s.shape] = map[string]bool{}
			}
			kinds[s.shape][s.kind] = true
			printed[s.shape] = printed[s.shape] || file == "printed.txt"
			all := read(r, s.line)
			require.Len(t, all, 1, s.line)
			got := all[0]
			want := s.shape
			if strings.HasPrefix(want, "OTLP JSON") {
				want = shapes.OTLPRecord.Name
			}
			assert.Equal(t, want, got.shape, "%s: %s", s.origin, s.line)
			if s.kind == "info" {
				assert.False(t, got.isError, "%s: %s", s.origin, s.line)
				continue
			}
			assert.True(t, got.isError || got.stderr, "%s: %s", s.origin, s.line)
			assert.True(t, hasCause(got.sources), "%s: %s: %v", s.origin, s.line, got.sources)
		}
	}
	n := 0
	for _, shape := range append(shapes.Table, shapes.Logfmt) {
		assert.True(t, kinds[shape.Name]["error"] && kinds[shape.Name]["nested"], "%s has an error and a nested error", shape.Name)
		assert.True(t, kinds[shape.Name]["info"] || shape.Name == "AWS Lambda, unhandled error", "%s has a line that is no error", shape.Name)
		if printed[shape.Name] {
			n++
		}
	}
	assert.GreaterOrEqual(t, 3*n, len(shapes.Table)+1, "a third of the shapes is tested with lines that a logger printed")
}

// hasCause reports whether a source contains the cause of an error.
func hasCause(sources []shapes.Source) bool {
	for _, s := range sources {
		for _, cause := range []string{"onnection refused", "ECONNREFUSED", "timeout", "Runtime.ExitError"} {
			if strings.Contains(s.Message, cause) {
				return true
			}
		}
	}
	return false
}

// TestTable checks that each row has a name, a source and keys.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range shapes.Table {
		assert.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		assert.NotEmpty(t, s.Needs, s.Name)
		assert.NotEmpty(t, s.Source, s.Name)
		assert.NotContains(t, s.Name, "|")
	}
}

// TestPrefixLevels checks the severity from the priority in a syslog prefix.
func TestPrefixLevels(t *testing.T) {
	t.Parallel()
	r := shapes.NewReader(nil)
	for line, want := range map[string]bool{
		`<11>Jan  2 03:04:05 h app[7]: {"msg":"x"}`:                true,
		`<14>Jan  2 03:04:05 h app[7]: {"msg":"x","error":"y"}`:    false,
		`<11>Jan  2 03:04:05 h app[7]: {"msg":"x","level":"info"}`: false,
		`<14>1 2026-01-02T03:04:05Z h app 7 - - {"level":"error"}`: true,
		`Jan  2 03:04:05 h app[7]: {"msg":"x","error":"y"}`:        true,
	} {
		all := read(r, line)
		require.Len(t, all, 1, line)
		assert.Equal(t, want, all[0].isError, line)
		if !strings.HasPrefix(line, "Jan") { // the line has an error, but no level
			assert.Equal(t, want, r.LineSeverity([]byte(line)) == shapes.Error, line)
		}
	}
}

// TestLinesWithinLines checks log lines with another log line in the message.
func TestLinesWithinLines(t *testing.T) {
	t.Parallel()
	r := shapes.NewReader(nil)
	line := `{"level":"error","err":"connection refused"}`
	for i := range 5 {
		all := read(r, line)
		require.Len(t, all, 1)
		assert.Equal(t, i <= 3, all[0].severity == shapes.Error, line)
		quoted, err := json.Marshal(line)
		require.NoError(t, err)
		line = `{"log":` + string(quoted) + `,"stream":"stdout"}`
	}
}

// TestSourcesAreLimited checks that only a limited number of errors in a line is read.
func TestSourcesAreLimited(t *testing.T) {
	t.Parallel()
	r := shapes.NewReader(nil)
	groups := `{"level":"error","job":{` + strings.Repeat(`"a":{"err":"x"},`, 1000) + `"b":1}}`
	all := read(r, groups)
	require.Len(t, all, 1)
	assert.Len(t, all[0].sources, 32+1, "the errors and the message")
	list := strings.TrimSuffix(strings.Repeat(`{"message":"a","cause":{"message":"b"}},`, 8), ",")
	for range 3 {
		list = strings.TrimSuffix(strings.Repeat(`{"message":"c","errors":[`+list+`]},`, 8), ",")
	}
	all = read(r, `{"level":"error","err":[`+list+`]}`)
	require.Len(t, all, 1)
	assert.LessOrEqual(t, strings.Count(all[0].sources[0].Message, ":"), 32)
}

// TestStatus checks that HTTP statuses are found in the fields in which loggers
// write them.
func TestStatus(t *testing.T) {
	t.Parallel()
	r := shapes.NewReader(nil)
	for _, line := range []string{
		`{"level":"error","status":503}`, `level=error msg=x status=503`,
		`{"level":50,"time":1,"pid":7,"hostname":"h","res":{"statusCode":503},"msg":"x"}`,
		`{"@timestamp":"x","log":{"level":"error"},"http":{"response":{"status_code":503}}}`,
		`{"severity":"ERROR","textPayload":"x","httpRequest":{"status":503}}`,
		`{"scopeLogs":[{"logRecords":[{"severityNumber":17,"attributes":[{"key":"http.response.status_code","value":{"intValue":"503"}}]}]}]}`,
		`{"Severity":17,"Body":{"Type":"STRING","Value":"x"},"Attributes":[{"Key":"http.response.status_code","Value":{"Type":"INT64","Value":503}}]}`,
	} {
		all := read(r, line)
		require.Len(t, all, 1, line)
		require.NotEmpty(t, all[0].sources, line)
		assert.Equal(t, 503, all[0].sources[0].Status, line)
	}
}

// TestJSONInMessages checks JSON in the message of a line.
func TestJSONInMessages(t *testing.T) {
	t.Parallel()
	r := shapes.NewReader(nil)
	for _, tt := range []struct {
		line     string
		severity shapes.Severity
		isError  bool
		messages []string
	}{
		{`{"@timestamp":"x","log":{"file":{"path":"a"}},"message":"{\"level\":\"error\",\"err\":\"a\"}"}`, shapes.Error, true, []string{"a", "", `{"level":"error","err":"a"}`}},
		{`{"@timestamp":"x","log":{"file":{"path":"a"}},"message":"{\"level\":\"info\",\"err\":\"a\"}"}`, shapes.Below, false, nil},
		{`{"level":"error","msg":"{\"level\":\"info\",\"err\":\"b\"}","err":"a"}`, shapes.Error, true, []string{"a", "b", "", `{"level":"info","err":"b"}`}},
		{`{"level":"info","msg":"{\"level\":\"error\"}"}`, shapes.Below, false, nil},
		{`{"PRIORITY":"6","MESSAGE":"{\"level\":\"error\",\"msg\":\"a\"}"}`, shapes.Error, true, []string{"a"}},
		{`{"level":"error","msg":"{\"error\":{\"message\":\"b\"}}"}`, shapes.Error, true, []string{`{"error":{"message":"b"}}`, "b", ""}},
		{`{"level":"error","msg":"{ no JSON"}`, shapes.Error, true, []string{"{ no JSON"}},
		{`{"level":"error","msg":"level=info msg=x"}`, shapes.Error, true, []string{"level=info msg=x"}},
	} {
		all := read(r, tt.line)
		require.Len(t, all, 1, tt.line)
		assert.Equal(t, tt.severity, all[0].severity, tt.line)
		assert.Equal(t, tt.isError, all[0].isError, tt.line)
		if tt.isError {
			var messages []string
			for _, s := range all[0].sources {
				messages = append(messages, s.Message)
			}
			assert.Equal(t, tt.messages, messages, tt.line)
		}
	}
}
