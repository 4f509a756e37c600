package otelclass_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/otelclass"
)

// cycle is an error that wraps itself. Its Error method calls the Error method of
// the wrapped error.
type cycle struct{ next error }

func (c *cycle) Error() string { return "cycle: " + c.next.Error() }
func (c *cycle) Unwrap() error { return c.next }

// joinedCycle is an error that wraps itself. Its Unwrap method returns a slice.
type joinedCycle struct{ all []error }

func (c *joinedCycle) Error() string   { return errors.Join(c.all...).Error() }
func (c *joinedCycle) Unwrap() []error { return c.all }

// causeCycle is an error with a Cause method that returns the error itself.
type causeCycle struct{ cause *causeCycle }

func (c *causeCycle) Error() string { return "cause: " + c.cause.Error() }
func (c *causeCycle) Cause() error  { return c.cause }

// growing is an error with an Unwrap method that always returns a new error.
type growing struct{ n int }

func (g growing) Error() string { return growing{g.n + 1}.Error() }
func (g growing) Unwrap() error { return growing{g.n + 1} }

// incomparable is an error that cannot be compared with ==. It wraps itself and
// panics in Is.
type incomparable struct{ _ []error }

func (incomparable) Error() string   { return "incomparable" }
func (incomparable) Is(error) bool   { panic("boom") }
func (i incomparable) Unwrap() error { return i }

// hostile maps names to errors with faulty methods: these panic, recurse without end
// or take very long.
func hostile() map[string]error {
	self := &cycle{}
	self.next = self
	one := &cycle{}
	two := &cycle{next: one}
	one.next = two
	joined := &joinedCycle{}
	joined.all = []error{errors.New("alpha"), joined, joined}
	cause := &causeCycle{}
	cause.cause = &causeCycle{cause}
	doubled := fmt.Errorf("boom")
	for range 64 {
		doubled = errors.Join(doubled, doubled)
	}
	deep := errors.New("boom")
	for range 100_000 {
		deep = &cycle{deep}
	}
	all := make([]error, 300)
	for i := range all {
		all[i] = wrapping{self}
	}
	return map[string]error{
		"cycle":          self,
		"cycle of two":   two,
		"wrapped":        wrapping{self},
		"joined cycle":   joined,
		"causes":         cause,
		"ever new":       growing{},
		"2^64 errors":    doubled,
		"deep":           deep,
		"incomparable":   incomparable{},
		"nil pointer":    (*brittle)(nil),
		"nil in a join":  errors.Join(errors.New("boom"), (*brittle)(nil)),
		"cycles, joined": errors.Join(all...),
	}
}

// wrapping is an error with an Error method that formats the wrapped error.
type wrapping struct{ err error }

func (w wrapping) Error() string { return fmt.Sprintf("wrapped: %v", w.err) }
func (w wrapping) Unwrap() error { return w.err }

// RecordError must return for every hostile error. A stack overflow would end the
// whole process.
func TestRecordErrorHostile(t *testing.T) {
	t.Parallel()
	for name, err := range hostile() {
		got := exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, err); fail(s) })
		require.Len(t, got.Events, 1, name)
		attrs := attribute.NewSet(got.Events[0].Attributes...)
		kind, _ := attrs.Value("exception.type")
		assert.Contains(t, fmt.Sprintf("%T", err), kind.AsString()[len(kind.AsString())-4:], name)
		assert.NotContains(t, classified(t, got.Attributes), "nil", name)
		assert.Equal(t, classified(t, got.Attributes), events(t, got)[0], name)
	}
}

// The event has the full text of the error, even though the error wraps 20,000
// others.
func TestRecordErrorKeepsTheText(t *testing.T) {
	t.Parallel()
	all := make([]error, 20_000)
	for i := range all {
		all[i] = fmt.Errorf("item %d: %w", i, os.ErrNotExist)
	}
	deep := errors.New("boom")
	for range 500 {
		deep = &cycle{deep}
	}
	wrapped := errors.New("boom")
	for range 5000 {
		wrapped = fmt.Errorf("w: %w", wrapped)
	}
	for _, err := range []error{errors.Join(all...), deep, wrapped} {
		got := exportedSpan(t, func(s trace.Span) { otelclass.RecordError(s, err) })
		attrs := attribute.NewSet(got.Events[0].Attributes...)
		text, _ := attrs.Value("exception.message")
		assert.Equal(t, err.Error(), text.AsString())
	}
}

// An observer may panic with an error whose Error method never returns. OnEmit must
// still return.
func TestWithObserverPanicsHostile(t *testing.T) {
	t.Parallel()
	for name, bad := range hostile() {
		p := otelclass.NewLogProcessor(nil, otelclass.WithObserver(func(context.Context, otelclass.Signal, classify.Result) { panic(bad) }))
		require.NoError(t, p.OnEmit(t.Context(), emit(t, record(log.SeverityError, "alpha"))))
		assert.ErrorContains(t, p.Shutdown(t.Context()), "an observer panicked", name)
	}
}

// Only exception.type proves that this program itself ended the call.
func TestPeerCannotForgeOwnDeadline(t *testing.T) {
	t.Parallel()
	names := []string{"context.Canceled", "context.DeadlineExceeded", "context.deadlineExceededError", "*poll.DeadlineExceededError", "internal/poll.DeadlineExceededError"}
	keys := []string{
		"error.type", "db.response.status_code", "rpc.response.status_code", "db.system.name", "db.system",
		"gen_ai.provider.name", "gen_ai.system", "gen_ai.response.finish_reasons", "exception.stacktrace",
		"error", "err", "cause", "exception", "stderr", "http.response.status_code", "rpc.grpc.status_code",
	}
	// own reports whether a result means that this program ended the call. Without the
	// status 401, a text can also give the category aborted. So own accepts aborted only
	// with this status.
	own := func(result string, status int) bool {
		return result == "timeout/timeout" || result == "aborted/aborted" && status == 401
	}
	for _, name := range names {
		for _, status := range []int{0, 401, 504} {
			for _, key := range append(keys, "", "exception.message") {
				var spanAttrs []attribute.KeyValue
				if status != 0 && key != "http.response.status_code" {
					spanAttrs = append(spanAttrs, attribute.Int("http.response.status_code", status))
				}
				text := "call failed"
				if key == "" {
					text = name
				} else {
					spanAttrs = append(spanAttrs, attribute.String(key, name))
				}
				if key != "error.type" || status != 0 { // without a response, error.type may mean a deadline of this program: see TestOwnErrorType
					got := exportedSpan(t, func(s trace.Span) { s.SetAttributes(spanAttrs...); s.SetStatus(codes.Error, text) })
					assert.False(t, own(classified(t, got.Attributes), status), "span: %s=%s with status %d: %s", key, name, status, classified(t, got.Attributes))
				}
				var r log.Record
				r.SetSeverity(log.SeverityError)
				r.SetBody(attribute.StringValue(text))
				r.AddAttributes(spanAttrs...)
				emittedRecord := emitted(t, r)
				result := classified(t, attributes(&emittedRecord))
				assert.False(t, own(result, status), "record: %s=%s with status %d: %s", key, name, status, result)
			}
		}
	}
}

// An exception type that means a deadline of this program outranks any response of a
// server.
func TestOwnDeadline(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 401, 429, 500, 504} {
		for _, err := range []error{context.DeadlineExceeded, os.ErrDeadlineExceeded} {
			got := exportedSpan(t, func(s trace.Span) {
				if status != 0 {
					s.SetAttributes(attribute.Int("http.response.status_code", status))
				}
				s.SetAttributes(attribute.String("gen_ai.provider.name", "openai"))
				s.RecordError(err, trace.WithAttributes(attribute.String("gen_ai.provider.name", "openai")))
				fail(s)
			})
			assert.Equal(t, "timeout/timeout", classified(t, got.Attributes), "span: %T with status %d", err, status)
			var r log.Record
			r.SetSeverity(log.SeverityError)
			r.SetErr(err)
			r.SetBody(attribute.StringValue("request failed"))
			r.AddAttributes(attribute.Int("http.response.status_code", status), attribute.String("gen_ai.system", "openai"))
			one := emitted(t, r)
			assert.Equal(t, "timeout/timeout", classified(t, attributes(&one)), "record: %T with status %d", err, status)
		}
	}
}
