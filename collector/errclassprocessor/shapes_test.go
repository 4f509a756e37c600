package errclassprocessor

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// shapeLine is a line of the testdata of package shapes.
type shapeLine struct{ kind, text string }

func shapeLines(tb testing.TB) (lines []shapeLine) {
	tb.Helper()
	for _, name := range []string{"printed.txt", "documented.txt"} {
		data, err := os.ReadFile("../../internal/shapes/testdata/" + name)
		require.NoError(tb, err)
		for line := range strings.SplitSeq(string(data), "\n") {
			if kind, text, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(kind, "#") {
				lines = append(lines, shapeLine{kind, text})
			}
		}
	}
	require.NotEmpty(tb, lines)
	return lines
}

// classifyBody classifies a body without a severity. It returns "category/reason",
// or "" for no error.
func classifyBody(tb testing.TB, p *errclassProcessor, set func(pcommon.Value)) string {
	tb.Helper()
	ld := plog.NewLogs()
	r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	set(r.Body())
	_, err := p.logs(tb.Context(), ld)
	require.NoError(tb, err)
	return answer(r.Attributes())
}

// answer returns "category/reason" for attributes with the default keys.
func answer(m pcommon.Map) string {
	category, ok := m.Get("error.category")
	if !ok {
		return ""
	}
	reason, _ := m.Get("error.reason")
	return category.Str() + "/" + reason.Str()
}

// Each body is written as text, as a container's log line, as bytes and as a map.
func TestShapes(t *testing.T) {
	t.Parallel()
	p := newTest(t, func(c *Config) { c.ErrorMode = ErrorModePropagate }, signalLog)
	for _, line := range shapeLines(t) {
		want := "retryable/network"
		switch {
		case line.kind == "info":
			want = ""
		case strings.Contains(line.text, `"status":"timeout"`):
			want = "retryable/timeout"
		case strings.Contains(line.text, "Runtime.ExitError"):
			want = classifyBody(t, p, func(v pcommon.Value) { v.SetStr(line.text) })
			assert.NotEmpty(t, want, line.text)
		}
		assert.Equal(t, want, classifyBody(t, p, func(v pcommon.Value) { v.SetStr(line.text) }), "text: %s", line.text)
		assert.Equal(t, want, classifyBody(t, p, func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte(line.text)) }), "bytes: %s", line.text)
		assert.Equal(t, want, classifyBody(t, p, func(v pcommon.Value) {
			v.SetStr("2026-11-23T10:00:00.000000000Z stderr F " + line.text)
		}), "CRI: %s", line.text)
		var members map[string]any
		if json.Unmarshal([]byte(line.text), &members) == nil {
			assert.Equal(t, want, classifyBody(t, p, func(v pcommon.Value) { require.NoError(t, v.SetEmptyMap().FromRaw(members)) }), "map: %s", line.text)
		}
	}
}

// A body may have several lines, and the first line may lack a level.
func TestTextBodies(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	tests := []struct{ name, body, want string }{
		{"no level", "server started", ""},
		{"an error's words without a level", "connection refused", ""},
		{"a level", "2026-11-23 10:00:00,000 ERROR [main] c.e.App - connection refused", "retryable/network"},
		{"a level below", "2026-11-23 10:00:00,000 INFO [main] c.e.App - connection refused", ""},
		{"klog", "E1123 10:00:00.000000       1 controller.go:114] connection refused", "retryable/network"},
		{"logfmt", `time=2026-11-23T10:00:00Z level=ERROR msg="call failed" err="dial tcp: connection refused"`, "retryable/network"},
		{"CRI, standard error, known", "2026-11-23T10:00:00.0Z stderr F dial tcp 10.0.0.7:5432: connect: connection refused", "retryable/network"},
		{"CRI, standard error, unknown", "2026-11-23T10:00:00.0Z stderr F hello", ""},
		{"CRI, standard output", "2026-11-23T10:00:00.0Z stdout F dial tcp 10.0.0.7:5432: connect: connection refused", ""},
		{"Java", "java.net.ConnectException: Connection refused\n\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)\n\tat com.example.Main.main(Main.java:7)", "retryable/network"},
		{"Java after a header", "2026-11-23 10:00:00.000 ERROR 1 --- [main] c.e.App : call failed\njava.net.ConnectException: Connection refused\n\tat com.example.Main.main(Main.java:7)", "retryable/network"},
		{"Java after a header below error", "2026-11-23 10:00:00.000  INFO 1 --- [main] c.e.App : call failed\njava.net.ConnectException: Connection refused\n\tat com.example.Main.main(Main.java:7)", ""},
		{"Python", "Traceback (most recent call last):\n  File \"/app/p.py\", line 5, in fail\n    raise OSError(111,'Connection refused')\nConnectionRefusedError: [Errno 111] Connection refused", "retryable/network"},
		{"Go", "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:7 +0x1d", "fatal/logic"},
		{"Windows line ends", "2026-11-23 10:00:00,000 ERROR x - failed\r\njava.net.ConnectException: Connection refused\r\n\tat a.B.c(D.java:1)\r\n", "retryable/network"},
		{"empty", "", ""},
		{"blank", " \n\t\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, classifyBody(t, p, func(v pcommon.Value) { v.SetStr(tt.body) }))
		})
	}
}

// Lists, numbers, truth values and empty bodies have no level. Such a body is
// classified only if the record has the severity error.
func TestOtherBodies(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	list := func(v pcommon.Value) {
		v.SetEmptySlice().AppendEmpty().SetStr("call failed")
		v.Slice().AppendEmpty().SetStr("dial tcp 10.0.0.7:5432: connect: connection refused")
	}
	tests := []struct {
		name string
		set  func(pcommon.Value)
		want string // with severity error
	}{
		{"empty", func(pcommon.Value) {}, "fatal/unknown"},
		{"a list", list, "retryable/network"},
		{"an empty list", func(v pcommon.Value) { v.SetEmptySlice() }, "fatal/unknown"},
		{"an empty map", func(v pcommon.Value) { v.SetEmptyMap() }, "fatal/unknown"},
		{"empty bytes", func(v pcommon.Value) { v.SetEmptyBytes() }, "fatal/unknown"},
		{"a number", func(v pcommon.Value) { v.SetInt(7) }, "fatal/unknown"},
		{"a truth value", func(v pcommon.Value) { v.SetBool(true) }, "fatal/unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, classifyBody(t, p, tt.set), "without a severity")
			ld := plog.NewLogs()
			r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			r.SetSeverityNumber(plog.SeverityNumberError)
			tt.set(r.Body())
			_, err := p.logs(t.Context(), ld)
			require.NoError(t, err)
			assert.Equal(t, tt.want, answer(r.Attributes()))
		})
	}
}

// A record with an empty body must not get the result of the record before it.
func TestEmptyBytesAfterText(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	ld, first := oneLog(refused)
	second := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty()
	second.SetSeverityNumber(plog.SeverityNumberError)
	second.Body().SetEmptyBytes()
	_, err := p.logs(t.Context(), ld)
	require.NoError(t, err)
	assert.Equal(t, "retryable/network", answer(first.Attributes()))
	assert.Equal(t, "fatal/unknown", answer(second.Attributes()))
}

// Within its limits, appendJSON encodes a map in the same way as encoding/json.
func TestAppendJSON(t *testing.T) {
	t.Parallel()
	raw := map[string]any{
		"text": "a \"b\" \\ c\nd\x01\t\u00e9", "n": int64(-7), "f": 1.5, "b": true, "none": nil,
		"list": []any{"x", int64(1), map[string]any{"k": "v"}}, "map": map[string]any{"a": map[string]any{}},
	}
	v := pcommon.NewValueEmpty()
	require.NoError(t, v.SetEmptyMap().FromRaw(raw))
	want, err := json.Marshal(raw)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(appendJSON(nil, v)))

	deep := pcommon.NewValueMap()
	for m := deep.Map(); ; m = m.PutEmptyMap("a") {
		if strings.Count(string(appendJSON(nil, deep)), "{") == maxNested {
			m.PutEmptyMap("a")
			break
		}
	}
	assert.True(t, json.Valid(appendJSON(nil, deep)))
	assert.Contains(t, string(appendJSON(nil, deep)), "null")

	wide := pcommon.NewValueSlice()
	for range maxMembers + 10 {
		wide.Slice().AppendEmpty().SetInt(1)
	}
	assert.True(t, json.Valid(appendJSON(nil, wide)))
	assert.Len(t, appendJSON(nil, wide), 2*maxMembers+1)
}
