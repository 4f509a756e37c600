package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// deadline is an error that wraps context.DeadlineExceeded. No rule matches its
// text.
type deadline struct{}

func (deadline) Error() string { return "gone" }
func (deadline) Unwrap() error { return context.DeadlineExceeded }

// brittle is an error with methods that panic on a nil pointer.
type brittle struct{ text string }

func (b *brittle) Error() string { return b.text }

func TestRecordError(t *testing.T) {
	t.Parallel()
	caller := trace.WithAttributes(attribute.String("error.category", "mine"), attribute.Int("attempt", 3))
	tests := []struct {
		name   string
		do     func(trace.Span)
		want   string
		events []string
	}{
		{name: "more than the span keeps", do: func(s trace.Span) { otelclass.RecordError(s, fmt.Errorf("call: %w", deadline{})) },
			want: "timeout/timeout", events: []string{"timeout/timeout"}},
		{name: "the same without", do: func(s trace.Span) { s.RecordError(fmt.Errorf("call: %w", deadline{})); fail(s) },
			want: unknown, events: []string{unknown}},
		{name: "the last one's stay", do: func(s trace.Span) {
			otelclass.RecordError(s, deadline{})
			otelclass.RecordError(s, fs.ErrPermission)
			fail(s)
		}, want: beta, events: []string{"timeout/timeout", beta}},
		{name: "the processor leaves them", do: func(s trace.Span) {
			otelclass.RecordError(s, deadline{})
			s.RecordError(errors.New("alpha"))
			fail(s)
		}, want: "timeout/timeout", events: []string{"timeout/timeout", alpha}},
		{name: "the caller's own", do: func(s trace.Span) { otelclass.RecordError(s, deadline{}, caller) },
			want: "mine/timeout", events: []string{"mine/timeout"}},
		{name: "nil options", do: func(s trace.Span) { otelclass.RecordError(s, deadline{}, nil, caller, nil) },
			want: "mine/timeout", events: []string{"mine/timeout"}},
		{name: "nil error", do: func(s trace.Span) { otelclass.RecordError(s, nil) }, want: nothing, events: []string{}},
		{name: "nil pointer", do: func(s trace.Span) { otelclass.RecordError(s, (*brittle)(nil)) }, want: unknown, events: []string{unknown}},
		{name: "another recorder", do: func(s trace.Span) {
			otelclass.NewRecorder(otelclass.WithClassifier(testClassifier)).RecordError(s, errors.New("alpha"))
		}, want: alpha, events: []string{alpha}},
		{name: "other keys", do: func(s trace.Span) {
			otelclass.NewRecorder(otelclass.WithKeys("a", "b")).RecordError(s, deadline{})
		}, want: nothing, events: []string{unknown}}, // the processor classified the event
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := exportedSpan(t, tt.do)
			assert.Equal(t, tt.want, classified(t, got.Attributes))
			assert.Equal(t, tt.events, events(t, got))
		})
	}
}

func TestRecordErrorIsSpanRecordError(t *testing.T) {
	t.Parallel()
	got := exportedSpan(t, func(s trace.Span) {
		otelclass.RecordError(s, deadline{}, trace.WithStackTrace(true), trace.WithAttributes(attribute.Int("attempt", 3)))
	})
	require.Len(t, got.Events, 1)
	assert.Equal(t, "exception", got.Events[0].Name)
	attrs := attribute.NewSet(got.Events[0].Attributes...)
	for key, want := range map[attribute.Key]string{
		"exception.message": "gone",
		"exception.type":    "github.com/errclass/errclass/otelclass_test.deadline",
		"attempt":           "3",
	} {
		v, _ := attrs.Value(key)
		assert.Equal(t, want, v.String(), "%s", key)
	}
	stack, _ := attrs.Value("exception.stacktrace")
	assert.Contains(t, stack.AsString(), "TestRecordErrorIsSpanRecordError")
	assert.Equal(t, codes.Unset, got.Status.Code, "the status stays as it is")
}

func TestRecordErrorNilPointer(t *testing.T) {
	t.Parallel()
	got := exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, (*brittle)(nil)) })
	require.Len(t, got.Events, 1)
	attrs := attribute.NewSet(got.Events[0].Attributes...)
	v, _ := attrs.Value("exception.type")
	assert.Equal(t, "*otelclass_test.brittle", v.AsString())
}

// RecordError does not change the caller's slice of options, or a span that does
// not record.
func TestRecordErrorLeavesAlone(t *testing.T) {
	t.Parallel()
	otelclass.RecordError(nil, deadline{})
	otelclass.RecordError(noop.Span{}, deadline{})

	opts := make([]trace.EventOption, 1, 4)
	opts[0] = trace.WithStackTrace(false)
	exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, deadline{}, opts...) })
	assert.Nil(t, opts[:4][1])
}

// The counter uses the Recorder's result instead of classifying the text.
func TestRecordErrorIsCounted(t *testing.T) {
	t.Parallel()
	var got []classify.Result
	observe := otelclass.WithObserver(func(_ context.Context, s otelclass.Signal, res classify.Result) {
		assert.Equal(t, otelclass.SignalSpan, s)
		got = append(got, res)
	})
	exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, deadline{}); fail(s) }, observe)
	exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, deadline{}) }, observe)
	exportedSpan(t, func(s trace.Span) {
		s.SetAttributes(attribute.String("error.category", "fatal"), attribute.String("error.reason", "vault_sealed"))
		s.SetStatus(codes.Error, "alpha")
	}, observe)
	require.Len(t, got, 2, "once for each span that failed")
	assert.Equal(t, classify.Result{Category: classify.CategoryTimeout, Reason: classify.ReasonTimeout}, got[0])
	assert.Equal(t, classify.ReasonRateLimit, got[1].Reason, "the caller's own values are not used as labels")
}
