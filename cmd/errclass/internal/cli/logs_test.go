package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/cli"
)

const (
	journald = `{"__REALTIME_TIMESTAMP":"1767323045123456","_PID":"7","PRIORITY":"3","MESSAGE":"HTTP 503"}` + "\n" +
		`{"__REALTIME_TIMESTAMP":"1767323046000000","_PID":"7","PRIORITY":"6","MESSAGE":"HTTP 503"}` + "\n" +
		`{"__REALTIME_TIMESTAMP":"1767323047000000","PRIORITY":"2","MESSAGE":[52,48,49,255]}` + "\n"
	journaldOut = `{"__REALTIME_TIMESTAMP":"1767323045123456","_PID":"7","PRIORITY":"3","MESSAGE":"HTTP 503","error.category":"retryable","error.reason":"transient"}` + "\n" +
		`{"__REALTIME_TIMESTAMP":"1767323046000000","_PID":"7","PRIORITY":"6","MESSAGE":"HTTP 503"}` + "\n" +
		`{"__REALTIME_TIMESTAMP":"1767323047000000","PRIORITY":"2","MESSAGE":[52,48,49,255],"error.category":"fatal","error.reason":"authentication"}` + "\n"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	const mixed = "starting\r\n{\"level\":\"INFO\",\"msg\":\"HTTP 503\"}\r\n{\"level\":\"ERROR\",\"msg\":\"HTTP 503\"}\r\n\xff{\n{\"level\":\"ERROR\""
	for _, tt := range []struct {
		name, in, out, err string
		args               []string
	}{
		{"journald", journald, journaldOut, "", nil},
		{"dash", journald, journaldOut, "", []string{"-"}},
		{"mixed", mixed, strings.Replace(mixed, `"ERROR","msg":"HTTP 503"`, `"ERROR","msg":"HTTP 503","error.category":"retryable","error.reason":"transient"`, 1),
			"errclass logs: lines that are not JSON objects, passed on unchanged: 3 of 5, the first is line 1\n", nil},
		{"all", `{"level":"info","msg":"HTTP 503"}`, `{"level":"info","msg":"HTTP 503","error.category":"retryable","error.reason":"transient"}`, "", []string{"--all"}},
		{"nothing", "", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.in, append([]string{"logs", "--rules", "minimal"}, tt.args...)...)
			assert.Equal(t, result{out: tt.out, err: tt.err}, r)
		})
	}
}

func TestLogsSummary(t *testing.T) {
	t.Parallel()
	r := run(t, "x\n"+journald, "logs", "--rules", "minimal", "--summary")
	assert.Equal(t, "x\n"+journaldOut, r.out)
	assert.Equal(t, `errclass logs: lines that are not JSON objects, passed on unchanged: 1 of 4, the first is line 1
 CATEGORY   REASON          COUNT  FIRST SEEN            LAST SEEN
------------------------------------------------------------------------------
 fatal      authentication      1  2026-01-02 03:04:07Z  2026-01-02 03:04:07Z
 retryable  transient           1  2026-01-02 03:04:05Z  2026-01-02 03:04:05Z
------------------------------------------------------------------------------
 errors     of 4 lines          2
`, r.err)
	r = run(t, "x\n"+journald, "logs", "--rules", "minimal", "--summary", "--format", "json")
	assert.Equal(t, "x\n"+journaldOut, r.out)
	assert.JSONEq(t, `{"lines":4,"classified":2,"not_json":1,"too_long":0,"first_not_json":1,"counts":[
		{"category":"fatal","reason":"authentication","count":1,"first":"2026-01-02T03:04:07Z","last":"2026-01-02T03:04:07Z"},
		{"category":"retryable","reason":"transient","count":1,"first":"2026-01-02T03:04:05.123456Z","last":"2026-01-02T03:04:05.123456Z"}]}`, r.err)
	r = run(t, "", "logs", "--summary", "--format", "json")
	assert.JSONEq(t, `{"lines":0,"classified":0,"not_json":0,"too_long":0,"counts":[]}`, r.err)
}

func TestLogsFiles(t *testing.T) {
	t.Parallel()
	a, b := file(t, "a", `{"error":"HTTP 503"}`), file(t, "b", "x\n{}")
	const done = `{"error":"HTTP 503","error.category":"retryable","error.reason":"transient"}`
	r := run(t, "{\"in\":1}\n", "logs", "--rules", "minimal", a, "-", b)
	assert.Equal(t, result{out: done + "\n{\"in\":1}\nx\n{}",
		err: "errclass logs: lines that are not JSON objects, passed on unchanged: 1 of 4, the first is line 3 of all files together\n"}, r)

	folder := t.TempDir()
	r = run(t, "", "logs", "--rules", "minimal", filepath.Join(folder, "none"), a, folder)
	assert.Equal(t, done, r.out, "the readable file is processed")
	assert.Equal(t, cli.ExitFailed, r.code)
	assert.Contains(t, r.err, "none: ")
	assert.Contains(t, r.err, "read "+folder)
}

func TestLogsLongLines(t *testing.T) {
	t.Parallel()
	ten := `{"level":"error","msg":"HTTP 503","pad":"` + strings.Repeat("x", 10_000_000) + `"`
	over := `{"level":"error","msg":"` + strings.Repeat("y", 17<<20) + `"}`
	r := run(t, ten+"}\n"+over+"\n{}\n", "logs", "--rules", "minimal")
	assert.Equal(t, cli.ExitOK, r.code)
	assert.True(t, r.out == ten+`,"error.category":"retryable","error.reason":"transient"}`+"\n"+over+"\n{}\n")
	assert.Equal(t, "errclass logs: lines longer than 16777216 bytes, passed on unchanged: 1 of 3, the first is line 2\n", r.err)
}

// TestLogsCorpus checks that the commands logs and classify give equal answers.
func TestLogsCorpus(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../../classify/testdata/corpus.jsonl")
	require.NoError(t, err)
	var logs strings.Builder
	for line := range strings.Lines(string(data)) {
		var e struct{ ID, Message string }
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		b, err := json.Marshal(map[string]any{"level": "error", "msg": e.Message, "time": time.Unix(0, 0), "id": e.ID})
		require.NoError(t, err)
		logs.WriteString(string(b) + "\n")
	}
	r := run(t, logs.String(), "logs")
	require.Equal(t, cli.ExitOK, r.code)
	require.Empty(t, r.err)
	want := strings.Split(run(t, string(data), "classify", "--format", "json").out, "\n")
	for i, line := range strings.Split(strings.TrimSuffix(r.out, "\n"), "\n") {
		var got struct {
			Category string `json:"error.category"`
			Reason   string `json:"error.reason"`
			ID       string
		}
		var classified struct{ ID, Category, Reason string }
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		require.NoError(t, json.Unmarshal([]byte(want[i]), &classified))
		require.Equal(t, classified.ID, got.ID)
		require.Equal(t, classified.Category, got.Category, classified.ID)
		require.Equal(t, classified.Reason, got.Reason, classified.ID)
	}
}

func TestLogsKeys(t *testing.T) {
	t.Parallel()
	const in = `{"sev":"E","failure":{"reason":"HTTP 503"},"text":"x"}` + "\n" + `{"sev":"error","failure":{"reason":"HTTP 503"},"text":"x"}` + "\n" + `{"sev":"error","text":"HTTP 503"}` + "\n"
	assert.Equal(t, result{out: in}, run(t, in, "logs", "--rules", "minimal"))
	r := run(t, in, "logs", "--rules", "minimal", "--level-key", "sev", "--error-key", "failure/reason", "--message-key", "text")
	want := strings.ReplaceAll(strings.ReplaceAll(in, `"x"}`, `"x",ADDED}`), `"HTTP 503"}`+"\n", `"HTTP 503",ADDED}`+"\n")
	want = strings.Replace(want, `,ADDED`, "", 1) // no logger writes the level E
	assert.Equal(t, result{out: strings.ReplaceAll(want, "ADDED", `"error.category":"retryable","error.reason":"transient"`)}, r)
}

func TestLogsText(t *testing.T) {
	t.Parallel()
	const in = "2026-01-02 03:04:05,678 ERROR app: query failed\njava.io.IOException: x\n\tat A.b(A.java:1)\nCaused by: java.io.IOException: HTTP 503\n" +
		"2026-01-02 03:04:06,678 INFO app: HTTP 503\nstarting\n{\"level\":\"ERROR\",\"msg\":\"HTTP 503\"}\n"
	const json = `,"error.category":"retryable","error.reason":"transient"`
	const pairs = " error.category=retryable error.reason=transient"
	annotated := strings.Replace(in, `503"}`, `503"`+json+`}`, 1)
	r := run(t, in, "logs", "--rules", "minimal")
	assert.Equal(t, result{out: annotated, err: "errclass logs: lines that are not JSON objects, passed on unchanged: 6 of 7, the first is line 1\n"}, r)
	r = run(t, in, "logs", "--rules", "minimal", "--quiet")
	assert.Equal(t, result{out: annotated}, r)
	r = run(t, in, "logs", "--rules", "minimal", "--summary", "--format", "json")
	assert.Equal(t, annotated, r.out)
	assert.JSONEq(t, `{"lines":7,"classified":2,"text":1,"not_json":6,"too_long":0,"first_not_json":1,
		"counts":[{"category":"retryable","reason":"transient","count":2,"first":"2026-01-02T03:04:05.678Z","last":"2026-01-02T03:04:05.678Z"}]}`, r.err)
	r = run(t, in, "logs", "--rules", "minimal", "--text")
	assert.Equal(t, result{out: strings.Replace(annotated, "query failed", "query failed"+pairs, 1),
		err: "errclass logs: lines that are not JSON objects, passed on unchanged: 1 of 7, the first is line 6\n"}, r)
}

func TestLogsFollowTakesOneFile(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"-"}, {"a", "b"}} {
		r := run(t, "", append([]string{"logs", "--follow"}, args...)...)
		assert.Equal(t, result{code: cli.ExitUsage, err: "errclass: --follow takes one file\n"}, r)
	}
}
