package errclassprocessor

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/errclass/errclass/internal/evidence"
)

// requireOnlyAdded checks that the processor has kept all attributes of a record. The
// processor may add a valid category and reason, and a rule.
func requireOnlyAdded(tb testing.TB, before, after pcommon.Map) {
	tb.Helper()
	_, hadCategory := before.Get("error.category")
	_, hadReason := before.Get("error.reason")
	rest := pcommon.NewMap()
	after.CopyTo(rest)
	_, hadRule := before.Get("error.rule")
	rest.RemoveIf(func(key string, v pcommon.Value) bool {
		added := key == "error.category" && !hadCategory || key == "error.reason" && !hadReason || key == "error.rule" && !hadRule
		require.False(tb, added && strings.HasSuffix(v.Str(), "+panic"), "the classifier has recovered from its own panic")
		return added
	})
	require.Equal(tb, before.AsRaw(), rest.AsRaw(), "other attributes changed")
	category, ok := after.Get("error.category")
	reason, _ := after.Get("error.reason")
	if ok && !hadCategory && !hadReason {
		_, known := evidence.Existing(category.Str(), reason.Str(), new(evidence.Facts))
		require.True(tb, known, "%s/%s", category.Str(), reason.Str())
	}
	require.LessOrEqual(tb, after.Len(), before.Len()+3)
}

// setBody sets a body. The argument kind selects the type of the body.
func setBody(v pcommon.Value, kind uint8, text string) {
	switch kind % 6 {
	case 0:
		v.SetStr(text)
	case 1:
		v.SetEmptyBytes().FromRaw([]byte(text))
	case 2:
		var raw map[string]any
		if json.Unmarshal([]byte(text), &raw) == nil {
			_ = v.SetEmptyMap().FromRaw(raw)
		}
	case 3:
		var raw []any
		if json.Unmarshal([]byte(text), &raw) == nil {
			_ = v.SetEmptySlice().FromRaw(raw)
		}
	case 4:
		v.SetInt(int64(len(text)))
	}
}

// setAttribute sets an attribute. The argument kind selects the type of the
// attribute.
func setAttribute(m pcommon.Map, key string, kind uint8, text string) {
	switch kind / 6 % 4 {
	case 0:
		m.PutStr(key, text)
	case 1:
		m.PutInt(key, int64(kind)<<2)
	case 2:
		m.PutEmptyMap(key).PutEmptyMap("job").PutStr("error", text)
	case 3:
		m.PutEmptySlice(key).AppendEmpty().SetStr(text)
	}
}

// FuzzLogs processes a record twice. The second time, nothing must change.
func FuzzLogs(f *testing.F) {
	for i, line := range shapeLines(f) {
		f.Add(line.text, uint8(i), int32(i%25), "", "exception.message", refused)
	}
	for _, n := range evidence.Names {
		f.Add(refused, uint8(17), int32(17), "ERROR", n.Key, "context.deadlineExceededError")
		f.Add("", uint8(6), int32(0), "warn", n.Key, "401")
	}
	f.Add("2026-11-23T10:00:00.0Z stderr F "+refused, uint8(0), int32(0), "", "error.category", "mine")
	f.Add("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1", uint8(0), int32(0), "", "error.reason", "mine")
	p := newTest(f, func(c *Config) { c.ErrorMode, c.AddRule = ErrorModePropagate, true }, signalLog)
	f.Fuzz(func(t *testing.T, body string, kind uint8, severity int32, level, key, value string) {
		ld, r := oneLog("")
		r.SetSeverityNumber(plog.SeverityNumber(severity))
		r.SetSeverityText(level)
		setBody(r.Body(), kind, body)
		r.Attributes().PutStr("app", "shop")
		setAttribute(r.Attributes(), key, kind, value)
		before := plog.NewLogs()
		ld.CopyTo(before)
		_, err := p.logs(t.Context(), ld)
		require.NoError(t, err)
		was := before.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
		requireOnlyAdded(t, was.Attributes(), r.Attributes())
		r.Attributes().CopyTo(was.Attributes())
		require.Equal(t, before, ld, "the record itself changed")
		_, err = p.logs(t.Context(), ld)
		require.NoError(t, err)
		require.Equal(t, before, ld, "a second pass changed the record")
	})
}

// FuzzTraces processes a span with two events twice.
func FuzzTraces(f *testing.F) {
	for _, n := range evidence.Names {
		f.Add(refused, uint8(2), n.Key, "context.deadlineExceededError", "exception.message", refused)
		f.Add("", uint8(2), n.Key, "503", n.Key, "java.lang.OutOfMemoryError")
		f.Add("", uint8(7), n.Key, "503", "exception.type", "x")
	}
	f.Add("x", uint8(2), "error.category", "mine", "error.reason", "mine")
	p := newTest(f, func(c *Config) { c.ErrorMode, c.AddRule = ErrorModePropagate, true }, signalSpan)
	f.Fuzz(func(t *testing.T, message string, kind uint8, key, value, eventKey, eventValue string) {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.Status().SetCode(ptrace.StatusCode(kind % 3))
		s.Status().SetMessage(message)
		setAttribute(s.Attributes(), key, kind, value)
		setAttribute(s.Events().AppendEmpty().Attributes(), eventKey, kind, eventValue)
		setAttribute(s.Events().AppendEmpty().Attributes(), "exception.message", kind*3, eventValue)
		before := ptrace.NewTraces()
		td.CopyTo(before)
		_, err := p.traces(t.Context(), td)
		require.NoError(t, err)
		was := before.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		requireOnlyAdded(t, was.Attributes(), s.Attributes())
		s.Attributes().CopyTo(was.Attributes())
		for i := range 2 {
			requireOnlyAdded(t, was.Events().At(i).Attributes(), s.Events().At(i).Attributes())
			s.Events().At(i).Attributes().CopyTo(was.Events().At(i).Attributes())
		}
		require.Equal(t, before, td, "the span itself changed")
		_, err = p.traces(t.Context(), td)
		require.NoError(t, err)
		require.Equal(t, before, td, "a second pass changed the span")
	})
}

// FuzzAppendJSON compares appendJSON with encoding/json.
func FuzzAppendJSON(f *testing.F) {
	for _, line := range shapeLines(f) {
		f.Add(line.text)
	}
	f.Add(`{"a":[1,-2.5e7,1e300,true,null,{"":""},[]],"b\u0000\"\\\n":"\ud83d\ude00\u2028"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var raw map[string]any
		if json.Unmarshal([]byte(text), &raw) != nil || raw == nil {
			return
		}
		v := pcommon.NewValueMap()
		require.NoError(t, v.Map().FromRaw(raw))
		got := appendJSON(nil, v)
		var back map[string]any
		require.NoError(t, json.Unmarshal(got, &back), "%s", got)
		if bounded(raw, 0) && len(text) < maxMembers {
			assert.Equal(t, raw, back)
		}
	})
}

// bounded reports whether appendJSON can encode all of a value within its limits.
func bounded(v any, depth int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if !bounded(member, depth+1) {
				return false
			}
		}
		return depth < maxNested
	case []any:
		for _, item := range v {
			if !bounded(item, depth+1) {
				return false
			}
		}
		return depth < maxNested
	case float64:
		return !math.IsInf(v, 0)
	case string:
		return !strings.Contains(v, "\ufffd")
	}
	return true
}
