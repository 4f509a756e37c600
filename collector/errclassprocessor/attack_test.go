package errclassprocessor

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/errclass/errclass/internal/evidence"
)

// Loggers of Node and Python write an error as a map, and several errors as a list.
func TestErrorsInAttributes(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	tests := []struct {
		name string
		fill func(pcommon.Map)
		want string
	}{
		{"a map", func(m pcommon.Map) { m.PutEmptyMap("err").PutStr("message", refused) }, "retryable/network"},
		{"a map with a stack trace", func(m pcommon.Map) {
			m.PutEmptyMap("exception").PutStr("stack", "Error: "+refused+"\n    at f (a.js:1:2)")
		}, "retryable/network"},
		{"a cause", func(m pcommon.Map) {
			err := m.PutEmptyMap("err")
			err.PutStr("message", "query failed")
			err.PutEmptyMap("cause").PutStr("message", refused)
		}, "retryable/network"},
		{"a list of texts", func(m pcommon.Map) { m.PutEmptySlice("error").AppendEmpty().SetStr(refused) }, "retryable/network"},
		{"a list of maps", func(m pcommon.Map) { m.PutEmptySlice("error").AppendEmpty().SetEmptyMap().PutStr("message", refused) }, "retryable/network"},
		{"a map in a list in a map", func(m pcommon.Map) {
			m.PutEmptyMap("jobs").PutEmptySlice("failed").AppendEmpty().SetEmptyMap().PutStr("error", refused)
		}, "retryable/network"},
		{"the message of something else", func(m pcommon.Map) { m.PutEmptyMap("request").PutStr("message", refused) }, "fatal/unknown"},
		{"the message of something in an error", func(m pcommon.Map) {
			m.PutEmptyMap("err").PutEmptyMap("request").PutStr("message", refused)
		}, "fatal/unknown"},
		{"a list of something else", func(m pcommon.Map) { m.PutEmptySlice("args").AppendEmpty().SetStr(refused) }, "fatal/unknown"},
		{"too many items", func(m pcommon.Map) {
			s := m.PutEmptySlice("error")
			for range evidence.MaxMembers + 1 {
				s.AppendEmpty().SetStr(refused)
			}
		}, "fatal/unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ld, r := oneLog("request failed")
			tt.fill(r.Attributes())
			_, err := p.logs(t.Context(), ld)
			require.NoError(t, err)
			assert.Equal(t, tt.want, answer(r.Attributes()))
		})
	}
}

// If the message in a map has the type bytes, the processor reads it like a text.
func TestBytesInMap(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	assert.Equal(t, "retryable/network", classifyBody(t, p, func(v pcommon.Value) {
		m := v.SetEmptyMap()
		m.PutStr("level", "error")
		m.PutEmptyBytes("msg").FromRaw([]byte(refused))
	}))
}

// A severity text may name no level, for example in a different language. Then the
// severity number or the body decides.
func TestSeverityTextInOtherLanguages(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	for _, text := range []string{"FEHLER", "Błąd", "ОШИБКА", "エラー", "错误", "erreur critique", "\xff\xfe", "Ｅrror"} {
		for _, tt := range []struct {
			number     plog.SeverityNumber
			body, want string
		}{
			{plog.SeverityNumberUnspecified, refused, ""},
			{plog.SeverityNumberUnspecified, "ERROR: " + refused, "retryable/network"},
			{plog.SeverityNumberError, refused, "retryable/network"},
			{plog.SeverityNumberWarn, "ERROR: " + refused, ""},
		} {
			ld, r := oneLog(tt.body)
			r.SetSeverityNumber(tt.number)
			r.SetSeverityText(text)
			_, err := p.logs(t.Context(), ld)
			require.NoError(t, err)
			assert.Equal(t, tt.want, answer(r.Attributes()), "%q %v %q", text, tt.number, tt.body)
		}
	}
}

// Records, resources and spans without content are not errors.
func TestEmptyEverything(t *testing.T) {
	t.Parallel()
	logs, traces := newTest(t, nil, signalLog), newTest(t, nil, signalSpan)
	for _, ld := range []plog.Logs{plog.NewLogs(), plog.NewLogs(), plog.NewLogs(), plog.NewLogs()} {
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
		ld.ResourceLogs().AppendEmpty()
		r := records.AppendEmpty()
		r.Attributes().PutEmpty("")
		r.Body().SetEmptyMap().PutEmpty("")
		before := plog.NewLogs()
		ld.CopyTo(before)
		_, err := logs.logs(t.Context(), ld)
		require.NoError(t, err)
		assert.Equal(t, before, ld)
	}
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	td.ResourceSpans().AppendEmpty()
	spans.AppendEmpty().Events().AppendEmpty().Attributes().PutEmpty("")
	before := ptrace.NewTraces()
	td.CopyTo(before)
	_, err := traces.traces(t.Context(), td)
	require.NoError(t, err)
	assert.Equal(t, before, td)
}

// On a span that has not failed, only the exception events get the attributes.
func TestExceptionsOfSpansWithoutError(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalSpan)
	for _, code := range []ptrace.StatusCode{ptrace.StatusCodeUnset, ptrace.StatusCodeOk} {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.Status().SetCode(code)
		s.Attributes().PutInt("http.response.status_code", 503)
		exception := s.Events().AppendEmpty()
		exception.Attributes().PutStr("exception.message", refused)
		other := s.Events().AppendEmpty()
		other.SetName("exception")
		other.Attributes().PutStr("error", refused)
		_, err := p.traces(t.Context(), td)
		require.NoError(t, err)
		assert.Empty(t, answer(s.Attributes()))
		assert.Equal(t, "retryable/network", answer(exception.Attributes()))
		assert.Equal(t, 1, other.Attributes().Len())
	}
}

// The second of two processors in a pipeline changes and counts nothing.
func TestTwoProcessors(t *testing.T) {
	t.Parallel()
	first, second := newTest(t, nil, signalLog), newTest(t, nil, signalLog)
	other := newTest(t, func(c *Config) { c.Keys.Category, c.Keys.Reason = "category", "reason" }, signalLog)
	for _, line := range shapeLines(t) {
		ld, r := oneLog(line.text)
		r.SetSeverityNumber(plog.SeverityNumberUnspecified)
		_, err := first.logs(t.Context(), ld)
		require.NoError(t, err)
		once := plog.NewLogs()
		ld.CopyTo(once)
		j := second.jobs.Get().(*job)
		j.log(r)
		assert.Equal(t, once, ld)
		assert.Zero(t, j.classified)
		_, err = other.logs(t.Context(), ld)
		require.NoError(t, err)
		got := pcommon.NewMap()
		for own, key := range map[string]string{"category": "error.category", "reason": "error.reason"} {
			if v, ok := r.Attributes().Get(own); ok {
				v.CopyTo(got.PutEmpty(key))
			}
		}
		assert.Equal(t, answer(r.Attributes()), answer(got), line.text)
	}
}

// The rules file is replaced while 1,000 goroutines classify. Each record's result
// comes from one version of the file.
func TestRulesFileReplacedWhileInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(rules string) {
		require.NoError(t, os.WriteFile(path+".new", []byte(rules), 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
	rule := func(reason string) string {
		return "rules:\n  - id: shop/closed\n    reason: " + reason + "\n    pattern: 'warehouse is closed'\n"
	}
	write(rule("policy"))
	synctest.Test(t, func(t *testing.T) {
		p := newTest(t, func(c *Config) { c.RulesFile = path }, signalLog)
		var mu sync.Mutex
		seen := map[string]int{}
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() {
				for range 60 {
					ld, r := oneLog("the warehouse is closed")
					_, err := p.logs(t.Context(), ld)
					assert.NoError(t, err)
					mu.Lock()
					seen[answer(r.Attributes())]++
					mu.Unlock()
					time.Sleep(time.Second) // of the test's clock
				}
			})
		}
		for _, reason := range []string{"transient", "sometimes", "logic", "policy"} {
			time.Sleep(10 * time.Second)
			write(rule(reason))
		}
		all.Wait()
		require.Len(t, seen, 3, "the faulty version keeps the earlier rules")
		for _, want := range []string{"fatal/policy", "retryable/transient", "fatal/logic"} {
			assert.GreaterOrEqual(t, seen[want], 1000, want)
		}
	})
}
