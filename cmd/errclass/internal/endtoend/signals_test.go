package endtoend

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
	"github.com/errclass/errclass/otelclass"
	"github.com/errclass/errclass/slogclass"
)

// answer is the category and the reason that an output, such as a log record or a span,
// shows for an error.
type answer struct{ category, reason string }

// signals has a slog logger, a tracer and an OpenTelemetry logger. It records the output
// of each twice: with errclass and, in the fields named bare, without.
type signals struct {
	observed []classify.Result // the results that observers got in one check

	bareLines, lines bytes.Buffer
	bareSlog, slog   *slog.Logger

	bareSpans, spans *tracetest.SpanRecorder
	tracer           trace.Tracer

	bareLogs, logs recorder
	logger         log.Logger
}

func newSignals() *signals {
	classify.Message(message) // load the tables, so that cost does not count them
	s := &signals{bareSpans: tracetest.NewSpanRecorder(), spans: tracetest.NewSpanRecorder()}
	observe := otelclass.WithObserver(func(_ context.Context, _ otelclass.Signal, r classify.Result) {
		s.observed = append(s.observed, r)
	})
	s.bareSlog = slog.New(slog.NewJSONHandler(&s.bareLines, nil))
	s.slog = slog.New(slogclass.New(slog.NewJSONHandler(&s.lines, nil),
		slogclass.WithObserver(func(_ context.Context, _ slog.Record, r classify.Result) { s.observed = append(s.observed, r) })))
	s.tracer = sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(s.bareSpans),
		sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(s.spans, observe)),
	).Tracer("endtoend")
	s.logger = sdklog.NewLoggerProvider(
		sdklog.WithProcessor(&s.bareLogs),
		sdklog.WithProcessor(otelclass.NewLogProcessor(&s.logs, observe)),
	).Logger("endtoend")
	return s
}

// message is the message of all records. No rule of the classifier matches it.
const message = "it went wrong"

// record logs args through slog. The returned line is from the logger without
// errclass.
func (s *signals) record(ctx context.Context, t require.TestingT, args ...any) (string, answer) {
	s.bareLines.Reset()
	s.lines.Reset()
	s.bareSlog.ErrorContext(ctx, message, args...)
	s.slog.ErrorContext(ctx, message, args...)
	want, got := members(t, s.bareLines.String()), members(t, s.lines.String())
	a := answer{text(got[slogclass.CategoryKey]), text(got[slogclass.ReasonKey])}
	for _, m := range []map[string]json.RawMessage{want, got} {
		delete(m, slog.TimeKey)
	}
	delete(got, slogclass.CategoryKey)
	delete(got, slogclass.ReasonKey)
	require.Equal(t, want, got, "the rest of the line")
	return s.bareLines.String(), a
}

// members decodes a JSON object and requires that it is exactly one line.
func members(t require.TestingT, line string) map[string]json.RawMessage {
	require.Equal(t, 1, strings.Count(line, "\n"), "one line: %.300q", line)
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(line), &m), "%.300q", line)
	return m
}

func text(v json.RawMessage) (s string) {
	_ = json.Unmarshal(v, &s) // s stays empty if v is not a string
	return s
}

// span records an error in a new span. It returns the answers that errclass adds to the
// span and to the span's event.
func (s *signals) span(t require.TestingT, record func(trace.Span)) (span, event answer) {
	s.bareSpans.Reset()
	s.spans.Reset()
	_, live := s.tracer.Start(context.Background(), "work", trace.WithAttributes(attribute.Int("n", 7)))
	live.SetStatus(codes.Error, "")
	record(live)
	live.End()
	require.Len(t, s.bareSpans.Ended(), 1)
	require.Len(t, s.spans.Ended(), 1, "the span arrives")
	want, got := s.bareSpans.Ended()[0], s.spans.Ended()[0]
	require.Equal(t, want.Name(), got.Name())
	require.Equal(t, want.Status(), got.Status())
	require.Equal(t, others(want.Attributes()), others(got.Attributes()), "the rest of the span")
	require.Len(t, got.Events(), len(want.Events()))
	for i, e := range got.Events() {
		require.Equal(t, others(want.Events()[i].Attributes), others(e.Attributes), "the rest of the event")
		event = answerIn(t, e.Attributes)
	}
	return answerIn(t, got.Attributes()), event
}

// logRecord emits an OpenTelemetry log record. It returns the answer that errclass
// adds.
func (s *signals) logRecord(t require.TestingT, attrs ...attribute.KeyValue) answer {
	s.bareLogs, s.logs = nil, nil
	var r log.Record
	r.SetSeverity(log.SeverityError)
	r.SetBody(attribute.StringValue(message))
	r.AddAttributes(attrs...)
	s.logger.Emit(context.Background(), r)
	require.Len(t, s.bareLogs, 1)
	require.Len(t, s.logs, 1, "the record arrives")
	want, got := attributes(&s.bareLogs[0]), attributes(&s.logs[0])
	require.Equal(t, others(want), others(got), "the rest of the record")
	require.Equal(t, s.bareLogs[0].Body(), s.logs[0].Body())
	return answerIn(t, got)
}

// others returns the attributes that errclass did not add.
func others(attrs []attribute.KeyValue) []attribute.KeyValue {
	left := []attribute.KeyValue{}
	for _, kv := range attrs {
		if kv.Key != otelclass.CategoryKey && kv.Key != otelclass.ReasonKey {
			left = append(left, kv)
		}
	}
	return left
}

// answerIn returns the answer in attrs. Each of the two keys must occur once.
func answerIn(t require.TestingT, attrs []attribute.KeyValue) (a answer) {
	require.Len(t, attrs, len(others(attrs))+2, "category and reason")
	for _, kv := range attrs {
		switch kv.Key {
		case otelclass.CategoryKey:
			a.category = kv.Value.AsString()
		case otelclass.ReasonKey:
			a.reason = kv.Value.AsString()
		}
	}
	return a
}

func attributes(r *sdklog.Record) (all []attribute.KeyValue) {
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		all = append(all, kv)
		return true
	})
	return all
}

// recorder is a log processor that keeps all records.
type recorder []sdklog.Record

func (r *recorder) OnEmit(_ context.Context, record *sdklog.Record) error {
	*r = append(*r, record.Clone())
	return nil
}

func (*recorder) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (*recorder) Shutdown(context.Context) error                         { return nil }
func (*recorder) ForceFlush(context.Context) error                       { return nil }

// logs annotates a line, as "errclass logs" does, and returns the answer.
func logs(t require.TestingT, line string) answer {
	var out bytes.Buffer
	p := logline.NewProcessor(logline.NewAnnotator(nil, false), &out, true)
	require.NoError(t, p.Process(strings.NewReader(line)))
	m := members(t, out.String())
	a := answer{text(m[logline.CategoryKey]), text(m[logline.ReasonKey])}
	added := `,"` + logline.CategoryKey + `":"` + a.category + `","` + logline.ReasonKey + `":"` + a.reason + `"}` + "\n"
	require.Equal(t, strings.TrimSuffix(line, "}\n")+added, out.String(), "the rest of the line")
	return a
}
