package otelclass_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/otelclass"
)

// ownType is the attribute that otelhttp writes if a deadline of this program ended
// a call.
var ownType = attribute.String("error.type", "context.deadlineExceededError")

// If no attribute describes a response, the type in error.type determines the
// result. This matters because instrumentations such as otelhttp record no
// exception.
func TestOwnErrorType(t *testing.T) {
	t.Parallel()
	str, num := attribute.String, attribute.Int
	const own, somebodys = "timeout/timeout", "retryable/timeout"
	tests := []struct {
		name string
		kvs  []attribute.KeyValue
		want string
	}{
		{"alone", nil, own},
		{"beside a request", []attribute.KeyValue{
			str("http.request.method", "GET"), str("url.full", "http://a/status_code?b.response.c"), str("server.address", "a"), num("server.port", 80),
			str("network.protocol.version", "1.1"), num("http.request.resend_count", 1), num("http.request.body.size", 7),
			str("rpc.system.name", "grpc"), str("rpc.method", "a.B/C"), str("db.system.name", "mysql"), str("db.query.text", "select 1"),
			str("messaging.system", "kafka"), str("graphql.operation.name", "a"), str("code.function.name", "f"), num("process.exit.code", 1),
		}, own},
		{"beside a status", []attribute.KeyValue{num("http.response.status_code", 401)}, "fatal/authentication"},
		{"beside a status as a string", []attribute.KeyValue{str("http.response.status_code", "401")}, "fatal/authentication"},
		{"beside an old status", []attribute.KeyValue{num("http.status_code", 401)}, "fatal/authentication"},
		{"beside an old status as a string", []attribute.KeyValue{str("http.status_code", "401")}, "fatal/authentication"},
		{"beside a status that is no failure", []attribute.KeyValue{num("http.response.status_code", 200)}, somebodys},
		{"beside an RPC status", []attribute.KeyValue{str("rpc.response.status_code", "UNAUTHENTICATED")}, "fatal/authentication"},
		{"beside a gRPC number as a string", []attribute.KeyValue{str("rpc.grpc.status_code", "16")}, "fatal/authentication"},
		{"beside gRPC OK", []attribute.KeyValue{num("rpc.grpc.status_code", 0)}, somebodys},
		{"beside a number of a database", []attribute.KeyValue{num("db.response.status_code", 28000)}, "fatal/authentication"},
		{"beside the size of an answer", []attribute.KeyValue{num("http.response.body.size", 7)}, somebodys},
		{"beside the old size of an answer", []attribute.KeyValue{num("http.response_content_length", 7)}, somebodys},
		{"beside a header of an answer", []attribute.KeyValue{attribute.StringSlice("http.response.header.server", []string{"a"})}, somebodys},
		{"beside rows", []attribute.KeyValue{num("db.response.returned_rows", 0)}, somebodys},
		{"beside an old code of JSON-RPC", []attribute.KeyValue{num("rpc.jsonrpc.error_code", -32000)}, somebodys},
		{"beside a code of Connect", []attribute.KeyValue{str("rpc.connect_rpc.error_code", "internal")}, somebodys},
		{"beside a code of a broker", []attribute.KeyValue{num("messaging.kafka.error.code", 3)}, somebodys},
		{"beside an error of GraphQL", []attribute.KeyValue{str("graphql.errors.0.extensions.code", "A")}, somebodys},
		{"beside a code of the program's own instrumentation", []attribute.KeyValue{str("acme.statusCode", "A")}, somebodys},
		{"of a provider", []attribute.KeyValue{str("gen_ai.provider.name", "openai")}, somebodys},
		{"beside a finish reason", []attribute.KeyValue{attribute.StringSlice("gen_ai.response.finish_reasons", []string{"stop"})}, somebodys},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, kvs := range [][]attribute.KeyValue{append([]attribute.KeyValue{ownType}, tt.kvs...), append(tt.kvs, ownType)} {
				got := exportedSpan(t, func(s trace.Span) { s.SetAttributes(kvs...); fail(s) })
				assert.Equal(t, tt.want, classified(t, got.Attributes))
			}
			onEvent := exportedSpan(t, func(s trace.Span) {
				s.SetAttributes(ownType)
				s.AddEvent("answer", trace.WithAttributes(tt.kvs...))
				fail(s)
			})
			assert.Equal(t, tt.want == own, classified(t, onEvent.Attributes) == own, "on an event")
		})
	}
}

// TestOwnErrorTypeWithAnswer draws attributes, one of which describes a response.
// The result must not be a timeout of this program.
func TestOwnErrorTypeWithAnswer(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[a-z]{1,8}`)
	key := rapid.OneOf(
		rapid.Map(word, func(w string) string { return w + ".status_code" }),
		rapid.Map(word, func(w string) string { return w + "_error_code" }),
		rapid.Map(word, func(w string) string { return w + ".response." + w }),
		rapid.Map(word, func(w string) string { return "rpc." + w + ".code" + w }),
		rapid.Map(word, func(w string) string { return "db.response" + w }),
		rapid.Map(word, func(w string) string { return "messaging." + w + ".error_code" }),
		rapid.Map(word, func(w string) string { return "gen_ai." + w }),
		rapid.SampledFrom([]string{"status_code", "http.status_code", "error.code", strings.Repeat("a", 1000)}),
	)
	value := rapid.SampledFrom([]attribute.Value{
		{}, attribute.StringValue(""), attribute.StringValue("200"), attribute.IntValue(0), attribute.IntValue(401), attribute.BoolValue(false),
		attribute.Float64Value(401), attribute.StringSliceValue(nil), attribute.MapValue(attribute.Int("a", 1)),
	})
	rapid.Check(t, func(t *rapid.T) {
		kvs := many(rapid.IntRange(0, 5).Draw(t, "others"), plain)
		kvs = append(kvs, ownType, attribute.KeyValue{Key: attribute.Key(key.Draw(t, "key")), Value: value.Draw(t, "value")})
		kvs = rapid.Permutation(kvs).Draw(t, "attributes")
		if rapid.Bool().Draw(t, "many") {
			kvs = append(many(1<<14, plain), kvs...)
		}
		next := &keeper{}
		otelclass.NewSpanProcessor(next).OnEnd(tracetest.SpanStub{Attributes: kvs, Status: sdktrace.Status{Code: codes.Error}}.Snapshot())
		require.Len(t, next.spans, 1)
		for _, kv := range next.spans[0].Attributes() {
			require.NotEqual(t, otelclass.CategoryKey.String("timeout"), kv)
		}
	})
}

// On a log record, error.type never proves that a deadline of this program has
// passed.
func TestOwnErrorTypeOnLogRecords(t *testing.T) {
	t.Parallel()
	r := record(log.SeverityError, "call failed")
	r.AddAttributes(ownType)
	got := emitted(t, r)
	assert.Equal(t, "retryable/timeout", classified(t, attributes(&got)))
}
