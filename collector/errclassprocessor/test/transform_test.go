package test_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/transformprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/errclass/errclass/collector/errclassprocessor"
	"github.com/errclass/errclass/internal/cputime"
)

// rules are typical rules for the transform processor, written in OTTL.
var rules = []struct{ pattern, category, reason string }{
	{"rate.?limit", "retryable", "rate_limit"},
	{"too many requests", "retryable", "rate_limit"},
	{"\\b429\\b", "retryable", "rate_limit"},
	{"service unavailable|\\b503\\b", "retryable", "transient"},
	{"overloaded", "retryable", "transient"},
	{"ECONNRESET|connection reset", "retryable", "network"},
	{"ECONNREFUSED|connection refused", "retryable", "network"},
	{"ETIMEDOUT|timed out", "retryable", "timeout"},
	{"context length|maximum context", "context_overflow", "context_overflow"},
	{"invalid.?api.?key|unauthorized|\\b401\\b", "fatal", "authentication"},

	{"permission denied|forbidden|\\b403\\b", "fatal", "authentication"},
	{"token (is )?expired", "fatal", "authentication"},
	{"certificate (has expired|is not trusted)|x509", "fatal", "network_permanent"},
	{"no such host|NXDOMAIN|ENOTFOUND", "fatal", "network_permanent"},
	{"insufficient.?quota|billing|payment required|\\b402\\b", "fatal", "budget_exceeded"},
	{"content.?filter|safety", "fatal", "policy"},
	{"unexpected end of json|cannot unmarshal", "fatal", "parsing"},
	{"no space left on device|disk quota", "fatal", "resource"},
	{"out of memory|OutOfMemoryError|cannot allocate memory", "fatal", "resource"},
	{"too many open files", "fatal", "resource"},
	{"nil pointer|NullPointerException", "fatal", "logic"},
	{"index out of (range|bounds)", "fatal", "logic"},
	{"assertion failed", "fatal", "logic"},
	{"deadlock (found|detected)|40P01", "retryable", "transient"},
	{"could not serialize access|40001", "retryable", "transient"},
	{"duplicate key|unique constraint", "fatal", "invalid_request"},
	{"bad request|\\b400\\b", "fatal", "invalid_request"},
	{"not found|\\b404\\b", "fatal", "invalid_request"},
	{"method not allowed|\\b405\\b", "fatal", "invalid_request"},
	{"unprocessable|\\b422\\b", "fatal", "invalid_request"},
	{"bad gateway|\\b502\\b", "retryable", "transient"},
	{"gateway timeout|\\b504\\b", "retryable", "timeout"},
	{"i/o timeout", "retryable", "timeout"},
	{"broken pipe|EPIPE", "retryable", "network"},
	{"network is unreachable", "retryable", "network"},
	{"temporary failure in name resolution|EAI_AGAIN", "retryable", "network"},
	{"unexpected EOF", "retryable", "network"},
	{"context canceled|AbortError", "aborted", "aborted"},
	{"executable file not found|ENOENT.*spawn", "fatal", "spawn"},
	{"mcp server (crashed|exited)", "fatal", "mcp"},
}

// transform returns a transform processor with the first n rules.
func transform(tb testing.TB, n int) processor.Logs {
	tb.Helper()
	var statements []any
	for _, r := range rules[:n] {
		for key, value := range map[string]string{"error.category": r.category, "error.reason": r.reason} {
			statements = append(statements, fmt.Sprintf(`set(log.attributes[%q], %q) where IsMatch(log.body, %q)`, key, value, "(?i)"+r.pattern))
		}
	}
	f := transformprocessor.NewFactory()
	cfg := f.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(map[string]any{"log_statements": []any{map[string]any{
		"conditions": []any{"log.severity_number >= SEVERITY_NUMBER_ERROR"},
		"statements": statements,
	}}}).Unmarshal(cfg))
	p, err := f.CreateLogs(tb.Context(), processortest.NewNopSettings(f.Type()), cfg, consumertest.NewNop())
	return started(tb, p, err)
}

// errclass returns the errclass processor with its default configuration.
func errclass(tb testing.TB) processor.Logs {
	tb.Helper()
	f := errclassprocessor.NewFactory()
	p, err := f.CreateLogs(tb.Context(), processortest.NewNopSettings(f.Type()), f.CreateDefaultConfig(), consumertest.NewNop())
	return started(tb, p, err)
}

// The function nothing returns a processor that only reads the severity of each record.
func nothing(tb testing.TB) processor.Logs {
	tb.Helper()
	errs := 0
	p, err := processorhelper.NewLogs(tb.Context(), processortest.NewNopSettings(component.MustNewType("nothing")), nil, consumertest.NewNop(),
		func(_ context.Context, ld plog.Logs) (plog.Logs, error) {
			for _, rl := range ld.ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, r := range sl.LogRecords().All() {
						if r.SeverityNumber() >= plog.SeverityNumberError {
							errs++
						}
					}
				}
			}
			return ld, nil
		}, processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}))
	tb.Cleanup(func() { require.Positive(tb, errs) })
	return started(tb, p, err)
}

func started(tb testing.TB, p processor.Logs, err error) processor.Logs {
	tb.Helper()
	require.NoError(tb, err)
	require.NoError(tb, p.Start(tb.Context(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, p.Shutdown(tb.Context())) })
	return p
}

// records is the number of records of a batch.
const records = 1000

// logs returns a batch of different log records of about 150 bytes each. percent is
// the percentage of errors. No pattern in rules matches any body.
func logs(first, percent int) plog.Logs {
	ld := plog.NewLogs()
	all := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for i := range records {
		r := all.AppendEmpty()
		r.Attributes().PutStr("log.file.path", "/var/log/pods/shop_0/shop/0.log")
		r.Attributes().PutStr("log.iostream", "stdout")
		r.Attributes().PutStr("thread.name", "http-nio-8080-exec-7")
		n := first + i
		if i%100 < percent {
			r.SetSeverityNumber(plog.SeverityNumberError)
			r.Body().SetStr(fmt.Sprintf("failed to charge order %d of customer %x at the payment provider after 3 attempts: the card was declined by its issuer, code do_not_honor, ref %d", n, n*2654435761, n*7))
		} else {
			r.SetSeverityNumber(plog.SeverityNumberInfo)
			r.Body().SetStr(fmt.Sprintf("charged order %d of customer %x at the payment provider after 3 attempts: the card was accepted by its issuer, total 47.10 EUR, ref %d", n, n*2654435761, n*7))
		}
	}
	return ld
}

// The transform processor and the errclass processor add the same attributes to a record.
func TestTransformAddsTheSame(t *testing.T) {
	t.Parallel()
	for _, p := range []processor.Logs{transform(t, len(rules)), errclass(t)} {
		ld := plog.NewLogs()
		r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		r.SetSeverityNumber(plog.SeverityNumberError)
		r.Body().SetStr("dial tcp 10.0.0.7:5432: connect: connection refused")
		require.NoError(t, p.ConsumeLogs(t.Context(), ld))
		assert.Equal(t, map[string]any{"error.category": "retryable", "error.reason": "network"}, r.Attributes().AsRaw())
	}
}

// BenchmarkTransform compares the CPU time per record. The metrics are:
//
//   - nothing-ns: a processor that only reads the severity
//   - errclass-ns: the errclass processor
//   - transform10-ns, transform40-ns: the transform processor with 10 and 40 rules
//   - x-10, x-40: transform10-ns and transform40-ns, divided by errclass-ns
//   - own-x-40: x-40 after nothing-ns is subtracted from both times
func BenchmarkTransform(b *testing.B) {
	for _, percent := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("errors=%d%%", percent), func(b *testing.B) {
			processors := []processor.Logs{nothing(b), errclass(b), transform(b, 10), transform(b, 40)}
			for _, p := range processors { // builds tables at first use
				require.NoError(b, p.ConsumeLogs(b.Context(), logs(-records, 1)))
			}
			var ns [4]float64
			n := 0
			for b.Loop() {
				for i, p := range processors {
					b.StopTimer()
					ld := logs(n*records, percent)
					b.StartTimer()
					ns[i] += float64(cputime.Of(func() { _ = p.ConsumeLogs(b.Context(), ld) })) / records
				}
				n++
			}
			b.ReportMetric(0, "ns/op")
			for i, name := range []string{"nothing-ns", "errclass-ns", "transform10-ns", "transform40-ns"} {
				b.ReportMetric(ns[i]/float64(n), name)
			}
			b.ReportMetric(ns[2]/ns[1], "x-10")
			b.ReportMetric(ns[3]/ns[1], "x-40")
			b.ReportMetric((ns[3]-ns[0])/(ns[1]-ns[0]), "own-x-40")
		})
	}
}
