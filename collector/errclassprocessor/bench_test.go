package errclassprocessor

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
	"github.com/errclass/errclass/internal/cputime"
)

// batch is the number of records of a batch in benchmarks.
const batch = 1000

// newTest returns a started processor. It is stopped at the end of the test.
func newTest(tb testing.TB, change func(*Config), signal string) *errclassProcessor {
	tb.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	require.NoError(tb, cfg.Validate())
	p, err := newProcessor(processortest.NewNopSettings(metadata.Type), cfg, signal)
	require.NoError(tb, err)
	require.NoError(tb, p.start(tb.Context(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, p.shutdown(tb.Context())) })
	return p
}

// newBatch returns a batch of n records, like those from the Collector's receivers.
func newBatch(n int, fill func(i int, r plog.LogRecord)) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "shop")
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		r := records.AppendEmpty()
		m := r.Attributes()
		m.PutStr("log.file.path", "/var/log/pods/shop_0/shop/0.log")
		m.PutStr("log.iostream", "stdout")
		m.PutStr("k8s.pod.name", "shop-7d9c")
		m.PutStr("thread.name", "http-nio-8080-exec-7")
		m.PutInt("thread.id", int64(i))
		m.PutStr("logger", "com.example.shop.OrderController")
		fill(i, r)
	}
	return ld
}

// bodies has the kinds of records for the benchmarks.
var bodies = []struct {
	name string
	fill func(i int, r plog.LogRecord)
}{
	{"no error", func(i int, r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberInfo)
		r.Body().SetStr("order " + strconv.Itoa(i) + " accepted, 3 items, total 47.10 EUR, shipping to warehouse 4, customer notified by mail after 12 ms")
	}},
	{"no error, JSON with severity", func(i int, r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberInfo)
		r.Body().SetStr(fmt.Sprintf(`{"time":"2026-11-23T10:00:00.000Z","level":"INFO","msg":"order accepted","order":%d,"items":3,"total":47.1,"logger":"shop.orders"}`, i))
	}},
	{"no error, JSON without severity", func(i int, r plog.LogRecord) {
		r.Body().SetStr(fmt.Sprintf(`{"time":"2026-11-23T10:00:00.000Z","level":"INFO","msg":"order accepted","order":%d,"items":3,"total":47.1,"logger":"shop.orders"}`, i))
	}},
	{"no error, text without severity", func(i int, r plog.LogRecord) {
		r.Body().SetStr("2026-11-23 10:00:00,000 INFO  [http-nio-8080-exec-7] c.e.s.OrderController - order " + strconv.Itoa(i) + " accepted, 3 items, total 47.10 EUR")
	}},
	{"no error, map without severity", func(i int, r plog.LogRecord) {
		m := r.Body().SetEmptyMap()
		m.PutStr("level", "INFO")
		m.PutStr("msg", "order accepted")
		m.PutInt("order", int64(i))
		m.PutDouble("total", 47.1)
	}},
	{"error, seen", func(_ int, r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberError)
		r.Body().SetStr("failed to charge order: POST https://api.stripe.com/v1/charges: 429 Too Many Requests, request req_8Zk0x1")
	}},
	{"error, unseen", func(i int, r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberError)
		r.Body().SetStr("failed to charge order " + word(i) + ": POST https://api.stripe.com/v1/charges: dial tcp 10.1." + strconv.Itoa(i%250) + ".3:443: connect: connection refused " + word(i*7))
	}},
	{"error, unseen, JSON", func(i int, r plog.LogRecord) {
		r.Body().SetStr(fmt.Sprintf(`{"time":"2026-11-23T10:00:00.000Z","level":"ERROR","msg":"charge failed","order":%d,"error":"POST https://api.stripe.com/v1/charges %s: dial tcp 10.1.%d.3:443: connect: connection refused"}`, i, word(i), i%250))
	}},
	{"error, unseen, no rule", func(i int, r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberError)
		r.Body().SetStr("the widget " + word(i) + " could not be placed next to " + word(i*3) + " because the layout engine gave up after " + word(i*5))
	}},
}

// word returns a word of letters that is different for each i.
func word(i int) string {
	n := uint32(i)*2654435761 + 12345
	var b [7]byte
	for k := range b {
		b[k] = 'a' + byte(n%26)
		n /= 26
		if n == 0 {
			n = uint32(i) + 7919
		}
	}
	return string(b[:])
}

// BenchmarkLogs classifies batches of 1,000 records of about 120 bytes each. In
// cases named "unseen", every text is new.
func BenchmarkLogs(b *testing.B) {
	for _, body := range bodies {
		b.Run(body.name, func(b *testing.B) {
			p := newTest(b, nil, signalLog)
			var cpu float64
			records, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				ld := newBatch(batch, func(i int, r plog.LogRecord) { body.fill(n+i, r) })
				n += batch
				b.StartTimer()
				cpu += float64(cputime.Of(func() { _, _ = p.logs(b.Context(), ld) }))
				records += batch
			}
			b.ReportMetric(cpu/float64(records), "cpu-ns/record")
		})
	}
}

// BenchmarkTraces classifies batches of spans.
func BenchmarkTraces(b *testing.B) {
	spans := []struct {
		name string
		fill func(i int, s ptrace.Span)
	}{
		{"no error", func(int, ptrace.Span) {}},
		{"no error, one event", func(_ int, s ptrace.Span) { s.Events().AppendEmpty().SetName("cache miss") }},
		{"error, exception, unseen", func(i int, s ptrace.Span) {
			s.Status().SetCode(ptrace.StatusCodeError)
			m := s.Events().AppendEmpty().Attributes()
			m.PutStr("exception.type", "java.net.ConnectException")
			m.PutStr("exception.message", "Connection refused: "+word(i)+" "+word(i*3))
		}},
		{"error, HTTP status", func(_ int, s ptrace.Span) {
			s.Status().SetCode(ptrace.StatusCodeError)
			s.Attributes().PutInt("http.response.status_code", 503)
		}},
	}
	for _, row := range spans {
		b.Run(row.name, func(b *testing.B) {
			p := newTest(b, nil, signalSpan)
			var cpu float64
			records, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				td := ptrace.NewTraces()
				all := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
				for i := range batch {
					s := all.AppendEmpty()
					s.Attributes().PutStr("http.request.method", "POST")
					s.Attributes().PutStr("url.path", "/v1/charges")
					s.Attributes().PutStr("server.address", "api.example.com")
					row.fill(n+i, s)
				}
				n += batch
				b.StartTimer()
				cpu += float64(cputime.Of(func() { _, _ = p.traces(b.Context(), td) }))
				records += batch
			}
			b.ReportMetric(cpu/float64(records), "cpu-ns/span")
		})
	}
}
