package endtoend

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/race"
	"github.com/errclass/errclass/otelclass"
)

// FuzzError builds an error from the fuzzer's input. Logs, spans and "errclass logs" must
// show the same category and reason for the error.
func FuzzError(f *testing.F) {
	for kind := range byte(16) { // each kind of error alone, as a wrapper, and wrapped
		f.Add([]byte{kind, 1, 9, 9, 1, 3, 5})
		f.Add([]byte{5, 0, 1, kind, 1, 2, 1, 3, 3, 15, 1})
		f.Add([]byte{7, 1, 4, 1, 11, 12, 0, kind, 0, 3, 1, 12, 13, 14, 15, 8})
		f.Add([]byte{3, 3, 12, kind, 0, 1, 1, 20, kind, 1, 30, 13, 8, kind})
	}
	s := newSignals()
	f.Fuzz(func(t *testing.T, data []byte) {
		s.check(t, &bytesSource{data})
	})
}

// TestError is like FuzzError, but package rapid makes the random choices.
func TestError(t *testing.T) {
	s := newSignals()
	rapid.Check(t, func(t *rapid.T) { s.check(t, rapidSource{t}) })
}

// check builds an error and requires the same category and reason from package classify,
// slog, a span and "errclass logs".
func (s *signals) check(t require.TestingT, src source) {
	b := &builder{source: src}
	err := b.build(0)
	if err == nil {
		return
	}
	s.observed = s.observed[:0]

	want := answerOf(t, classify.Error(err))
	require.LessOrEqual(t, b.calls, maxCalls, "calls of the error's methods")
	require.LessOrEqual(t, cost(t, err), race.PoolFactor*mayAllocate(b), "bytes to classify %+v", b.weight())

	line, inRecord := s.record(context.Background(), t, "n", 7, "err", err)
	require.Equal(t, want, inRecord, "slog, of the value")
	inSpan, inEvent := s.span(t, func(span trace.Span) { otelclass.RecordError(span, err) })
	require.Equal(t, inSpan, inEvent, "span and event, of the value")
	// RecordError wraps some errors once more. The classifier reads a limited number of
	// wrapped errors. If it could not read all, the answer may differ from that for err.
	if len(classify.Standard.Explain(classify.Evidence{Err: err}).Omitted) == 0 {
		require.Equal(t, want, inSpan, "span, of the value")
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(err)
	_, ended := s.record(ctx, t, "err", err)
	require.True(t, classify.Reason(ended.reason).Valid(), "reason %q", ended.reason)

	// In slogclass, all texts of a record share one limit, so the answer for a long text
	// may differ.
	if words := rendered(line); len(words) > bound.MaxText/2 {
		_, inRecord := s.record(context.Background(), t, "err", words)
		require.True(t, classify.Reason(inRecord.reason).Valid(), "reason %q", inRecord.reason)
	} else if words != "" {
		require.Equal(t, answerOf(t, classify.Message(words)), logs(t, line), "errclass logs, of the text %.300q", words)
		s.checkText(t, words)
		s.checkStatus(t, words, [...]int{400, 401, 404, 429, 500, 503, 599}[src.pick(7)])
	}
	for _, r := range s.observed {
		answerOf(t, r)
	}
}

// rendered returns the text of the error in a line that slog's JSON handler wrote.
func rendered(line string) string {
	var m struct{ Err string }
	_ = json.Unmarshal([]byte(line), &m) // Err stays empty if it is not a string
	return m.Err
}

// checkText logs a text instead of an error value. slog, "errclass logs", an
// OpenTelemetry log record, a span and its event must show the same answer.
func (s *signals) checkText(t require.TestingT, words string) {
	want := answerOf(t, classify.Message(words))
	line, inRecord := s.record(context.Background(), t, "err", words)
	require.Equal(t, want, inRecord, "slog, of a text")
	require.Equal(t, want, logs(t, line), "errclass logs, of a text")
	require.Equal(t, want, s.logRecord(t, attribute.String("err", words)), "log record, of a text")
	span, event := s.span(t, func(span trace.Span) {
		span.AddEvent("exception", trace.WithAttributes(attribute.String("exception.message", words)))
	})
	require.Equal(t, want, span, "span, of a text")
	require.Equal(t, want, event, "event, of a text")
}

// checkStatus logs a text and an HTTP status. slog, "errclass logs" and an OpenTelemetry
// log record must show the same answer.
func (s *signals) checkStatus(t require.TestingT, words string, status int) {
	want := answerOf(t, classify.Standard.Classify(classify.Evidence{Message: words, Status: status}))
	line, inRecord := s.record(context.Background(), t, "err", words, "status", status)
	require.Equal(t, want, inRecord, "slog, with a status")
	require.Equal(t, want, logs(t, line), "errclass logs, with a status")
	require.Equal(t, want, s.logRecord(t, attribute.String("err", words), attribute.Int("http.response.status_code", status)), "log record, with a status")
}

// answerOf returns the answer of r. If the classifier has panicked, it fails the
// test.
func answerOf(t require.TestingT, r classify.Result) answer {
	require.False(t, strings.HasSuffix(r.Rule, "+panic"), "rule %s", r.Rule)
	require.NotEmpty(t, r.Category)
	require.True(t, r.Reason.Valid(), "reason %q", r.Reason)
	return answer{string(r.Category), string(r.Reason)}
}

// These are limits on the cost of one classification.
const (
	maxCalls = 1<<14 + 256*4*methods
	scratch  = 256 << 10 // memory that is kept between calls
	perError = 4 << 10
	perByte  = 64
)

// mayAllocate returns how many bytes may be allocated to classify the error.
func mayAllocate(b *builder) uint64 {
	w := b.weight()
	return uint64(scratch + perError*w.errors + perByte*w.bytes)
}

// cost returns the bytes allocated to classify err. No other goroutine may allocate
// meanwhile.
func cost(t require.TestingT, err error) uint64 {
	c, newErr := classify.New()
	require.NoError(t, newErr)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.Error(err)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
