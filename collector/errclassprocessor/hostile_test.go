package errclassprocessor

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/errclass/errclass/internal/cputime"
	"github.com/errclass/errclass/internal/evidence"
	"github.com/errclass/errclass/internal/race"
)

const mib = 1 << 20

// nested sets v to a map of n levels. The innermost map contains a text.
func nested(v pcommon.Value, n int, text string) {
	m := v.SetEmptyMap()
	for range n {
		m = m.PutEmptyMap("error")
	}
	m.PutStr("error", text)
}

// hostile has unusual bodies and attributes, and the expected "category/reason". If
// want is "", any result is valid.
var hostile = []struct {
	name string
	want string
	fill func(r plog.LogRecord)
}{
	{"10 MB of text, the error at the end", "retryable/network", func(r plog.LogRecord) {
		r.Body().SetStr(strings.Repeat("a", 10*mib) + " " + refused)
	}},
	{"10 MB of lines, the error at the start", "retryable/network", func(r plog.LogRecord) {
		r.Body().SetStr(refused + strings.Repeat("\n\tat a.B.c(D.java:1)", 10*mib/20))
	}},
	{"10 MB of JSON", "", func(r plog.LogRecord) {
		r.Body().SetStr(`{"level":"error","msg":"` + strings.Repeat("a", 10*mib) + `"}`)
	}},
	{"a map with 10 MB", "retryable/network", func(r plog.LogRecord) {
		m := r.Body().SetEmptyMap()
		m.PutStr("pad", strings.Repeat("a", 10*mib))
		m.PutStr("error", refused)
	}},
	{"an attribute of 10 MB", "retryable/network", func(r plog.LogRecord) {
		r.Attributes().PutStr("exception.message", refused+strings.Repeat(" a", 5*mib))
	}},
	{"JSON of 10,000 levels", "", func(r plog.LogRecord) {
		r.Body().SetStr(strings.Repeat(`{"error":`, 10_000) + `"x"` + strings.Repeat("}", 10_000))
	}},
	{"JSON of 100,000 open brackets", "", func(r plog.LogRecord) {
		r.Body().SetStr(strings.Repeat(`{"error":[`, 100_000))
	}},
	{"a map of 10,000 levels", "", func(r plog.LogRecord) { nested(r.Body(), 10_000, refused) }},
	{"an attribute of 10,000 levels", "fatal/unknown", func(r plog.LogRecord) { nested(r.Attributes().PutEmpty("a"), 10_000, refused) }},
	{"JSON within JSON within JSON", "retryable/network", func(r plog.LogRecord) {
		text := refused
		for range 12 {
			text = `{"level":"error","msg":` + strconv.Quote(text) + `}`
		}
		r.Body().SetStr(text)
	}},
	{"invalid UTF-8", "retryable/network", func(r plog.LogRecord) {
		r.Body().SetStr("\xff\xfe\x80 " + refused + " \xc3\x28\xed\xa0\x80")
		r.Attributes().PutStr("\xff\xfe", "\xff")
	}},
	{"invalid UTF-8 in a map", "retryable/network", func(r plog.LogRecord) {
		m := r.Body().SetEmptyMap()
		m.PutStr("\xff", "\xfe")
		m.PutStr("error", "\xff "+refused+" \x00")
	}},
	{"zero bytes", "", func(r plog.LogRecord) { r.Body().SetStr(strings.Repeat("\x00", mib)) }},
	{"10,000 attributes", "retryable/network", func(r plog.LogRecord) {
		raw := map[string]any{"exception.message": refused}
		for i := range 9_999 {
			raw["attribute."+strconv.Itoa(i)] = "value"
		}
		_ = r.Attributes().FromRaw(raw)
	}},
	{"a map of 10,000 members", "", func(r plog.LogRecord) {
		m := r.Body().SetEmptyMap()
		m.EnsureCapacity(10_000)
		for i := range 10_000 {
			m.PutEmptyMap("error"+strconv.Itoa(i)).PutStr("error", "x")
		}
	}},
	{"a list of 100,000 items", "", func(r plog.LogRecord) {
		s := r.Body().SetEmptySlice()
		s.EnsureCapacity(100_000)
		for range 100_000 {
			s.AppendEmpty().SetEmptyMap()
		}
	}},
	{"a list of 100,000 numbers", "", func(r plog.LogRecord) {
		m := r.Body().SetEmptyMap()
		s := m.PutEmptySlice("msg")
		for range 100_000 {
			s.AppendEmpty().SetInt(104)
		}
	}},
	{"100,000 lines of text", "", func(r plog.LogRecord) { r.Body().SetStr(strings.Repeat("x: y\n", 100_000)) }},
}

// maxCost is the longest time that an unusual record may take. The limit is
// generous: quadratic time would take minutes.
const maxCost = 500e6 // nanoseconds

// An unusual record takes little time and causes no error. The processor adds no
// attributes except error.category and error.reason.
func TestHostileLogs(t *testing.T) {
	p := newTest(t, func(c *Config) { c.ErrorMode = ErrorModePropagate }, signalLog)
	for _, tt := range hostile {
		for _, severity := range []plog.SeverityNumber{plog.SeverityNumberError, plog.SeverityNumberUnspecified} {
			ld, r := oneLog("call failed")
			tt.fill(r)
			r.SetSeverityNumber(severity)
			before := r.Attributes().Len()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			allocated := memory.TotalAlloc
			cost := cputime.Of(func() {
				_, err := p.logs(t.Context(), ld)
				require.NoError(t, err, tt.name)
			})
			runtime.ReadMemStats(&memory)
			assert.Less(t, float64(cost), maxCost, tt.name)
			assert.Less(t, memory.TotalAlloc-allocated, uint64(32*mib), tt.name)
			got := answer(r.Attributes())
			if severity == plog.SeverityNumberError {
				require.NotEmpty(t, got, tt.name)
				if tt.want != "" {
					assert.Equal(t, tt.want, got, tt.name)
				}
			}
			if got != "" {
				before += 2
			}
			assert.Equal(t, before, r.Attributes().Len(), tt.name)
		}
	}
}

func TestHostileSpans(t *testing.T) {
	t.Parallel()
	p := newTest(t, func(c *Config) { c.ErrorMode = ErrorModePropagate }, signalSpan)
	tests := []struct {
		name string
		fill func(s ptrace.Span)
	}{
		{"10,000 exceptions", func(s ptrace.Span) {
			for range 10_000 {
				s.Events().AppendEmpty().Attributes().PutStr("exception.message", refused)
			}
		}},
		{"10,000 events of 100 attributes", func(s ptrace.Span) {
			for range 10_000 {
				m := s.Events().AppendEmpty().Attributes()
				for i := range 100 {
					m.PutStr("a"+strconv.Itoa(i), "b")
				}
			}
			s.Events().AppendEmpty().Attributes().PutStr("exception.message", refused)
		}},
		{"texts of 10 MB", func(s ptrace.Span) {
			for range 10 {
				s.Events().AppendEmpty().Attributes().PutStr("exception.message", refused+strings.Repeat(" a", mib))
			}
			s.Status().SetMessage(strings.Repeat("a ", 5*mib))
		}},
		{"a status of 10 MB and no exception", func(s ptrace.Span) { s.Status().SetMessage(strings.Repeat("a ", 5*mib) + refused) }},
		{"invalid UTF-8", func(s ptrace.Span) { s.Status().SetMessage("\xff" + refused + "\xfe") }},
	}
	for _, tt := range tests {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.Status().SetCode(ptrace.StatusCodeError)
		tt.fill(s)
		cost := cputime.Of(func() {
			_, err := p.traces(t.Context(), td)
			require.NoError(t, err, tt.name)
		})
		assert.Less(t, float64(cost), maxCost, tt.name)
		assert.Equal(t, "retryable/network", answer(s.Attributes()), tt.name)
	}
}

// A span with too many events stays unchanged and is reported as unreadable.
func TestUnreadableSpan(t *testing.T) {
	t.Parallel()
	p := newTest(t, func(c *Config) { c.ErrorMode = ErrorModePropagate }, signalSpan)
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.Status().SetCode(ptrace.StatusCodeError)
	for range evidence.MaxEvents + 1 {
		s.Events().AppendEmpty()
	}
	_, err := p.traces(t.Context(), td)
	require.ErrorContains(t, err, "1 span could not be read")
	assert.Zero(t, s.Attributes().Len())
}

// Memory use does not grow with the number of different texts.
func TestDistinctTexts(t *testing.T) {
	const texts = 1_000_000 / race.PoolFactor
	p := newTest(t, nil, signalLog)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	feed := func(from, to int) {
		for i := from; i < to; i += batch {
			ld := newBatch(batch, func(k int, r plog.LogRecord) {
				n := i + k
				if n%2 == 0 {
					r.SetSeverityNumber(plog.SeverityNumberError)
					r.Body().SetStr("call " + word(n) + " failed: " + word(n*3) + " " + strconv.Itoa(n))
				} else {
					r.Body().SetStr(`{"level":"error","msg":"` + word(n) + `","error":"` + word(n*5) + ` refused ` + strconv.Itoa(n) + `","k` + strconv.Itoa(n) + `":1}`)
				}
			})
			_, err := p.logs(t.Context(), ld)
			require.NoError(t, err)
		}
	}
	feed(0, texts/10)
	before := heap()
	feed(texts/10, texts)
	assert.Less(t, heap(), before+4*mib)
}
