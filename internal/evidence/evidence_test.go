package evidence_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

func TestFieldOf(t *testing.T) {
	t.Parallel()
	for _, n := range evidence.Names {
		assert.Equal(t, n.Field, evidence.FieldOf(n.Key), n.Key)
		assert.Equal(t, evidence.None, evidence.FieldOf(n.Key+"s"), n.Key)
		assert.Equal(t, evidence.None, evidence.FieldOf("x"+n.Key[1:]), n.Key)
	}
	assert.Equal(t, evidence.None, evidence.FieldOf(""))
	assert.Equal(t, evidence.None, evidence.FieldOf("exception.type.of.a.very.long.name"))
}

func TestIsException(t *testing.T) {
	t.Parallel()
	for _, n := range evidence.Names {
		want := n.Key == "exception.type" || n.Key == "exception.message" || n.Key == "exception.stacktrace"
		assert.Equal(t, want, evidence.IsException(n.Key), n.Key)
	}
	for _, key := range []string{"", "exception.Type", "container.name", strings.Repeat("x", 64+len("exception.type"))} {
		assert.False(t, evidence.IsException(key), key)
	}
}

// attr is an attribute. Its value is a text or an int64.
type attr struct {
	key   string
	value any
}

func facts(attrs []attr) *evidence.Facts {
	f := new(evidence.Facts)
	for _, a := range attrs {
		switch v := a.value.(type) {
		case int:
			f.SetInt(evidence.FieldOf(a.key), int64(v))
		case string:
			f.SetText(evidence.FieldOf(a.key), v)
		}
	}
	return f
}

// The value of a code attribute can be an integer or a text. The code 0 means
// success.
func TestOutcome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		attrs []attr
		want  classify.Reason
	}{
		{"nothing", nil, classify.ReasonUnknown},
		{"HTTP", []attr{{"http.response.status_code", 429}}, classify.ReasonRateLimit},
		{"HTTP as text", []attr{{"http.response.status_code", "429"}}, classify.ReasonRateLimit},
		{"the new name first", []attr{{"http.response.status_code", 401}, {"http.status_code", 503}}, classify.ReasonAuthentication},
		{"the new name last", []attr{{"http.status_code", 503}, {"http.response.status_code", 401}}, classify.ReasonAuthentication},
		{"no error status", []attr{{"http.response.status_code", 200}, {"http.status_code", 503}}, classify.ReasonTransient},
		{"gRPC", []attr{{"rpc.grpc.status_code", 14}}, classify.ReasonTransient},
		{"gRPC as text", []attr{{"rpc.response.status_code", "UNAUTHENTICATED"}}, classify.ReasonAuthentication},
		{"gRPC OK", []attr{{"rpc.grpc.status_code", 0}}, classify.ReasonUnknown},
		{"MySQL", []attr{{"db.system.name", "mysql"}, {"db.response.status_code", 1045}}, classify.ReasonAuthentication},
		{"SQLSTATE", []attr{{"db.system", "postgresql"}, {"db.response.status_code", "28P01"}}, classify.ReasonAuthentication},
		{"a code", []attr{{"error.type", "insufficient_quota"}}, classify.ReasonBudgetExceeded},
		{"a name that is a number", []attr{{"error.type", 429}}, classify.ReasonUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := facts(tt.attrs)
			var d evidence.Decision
			d.AddOutcome(classify.Standard, f, "")
			assert.Equal(t, tt.want, d.Complete(classify.Standard, f).Reason)
		})
	}
}

// A deadline that this program recorded as its own outranks a status.
func TestOwnDeadline(t *testing.T) {
	t.Parallel()
	f := facts([]attr{{"exception.type", "context.deadlineExceededError"}, {"exception.message", "context deadline exceeded"}})
	var texts bound.Texts
	e := f.ExceptionEvidence(&texts, bound.MaxText)
	e.Status = 503
	require.Error(t, e.Err)
	assert.Equal(t, classify.CategoryTimeout, classify.Standard.Classify(e).Category)
	assert.NoError(t, errors.Unwrap(facts(nil).ExceptionEvidence(&texts, 0).Err))
}

func TestExisting(t *testing.T) {
	t.Parallel()
	for _, p := range evidence.Pairs {
		_, ok := evidence.Existing(string(p.Category), string(p.Reason), facts(nil))
		assert.True(t, ok, "%v", p)
	}
	_, ok := evidence.Existing("retryable", "authentication", facts(nil))
	assert.False(t, ok)
}

func TestFingerprintOfWhatDecided(t *testing.T) {
	t.Parallel()
	sum := func(sources ...classify.Evidence) string {
		var d evidence.Decision
		for _, e := range sources {
			d.Add(classify.Standard, e)
		}
		return d.Fingerprint()
	}
	assert.Empty(t, sum())
	refused := classify.Evidence{Message: "dial tcp 10.0.0.1:443: connect: connection refused"}
	assert.Equal(t, sum(refused), sum(classify.Evidence{Message: "request 17 failed"}, refused))
	assert.Equal(t, sum(refused), sum(refused, classify.Evidence{Message: "invalid api key"}))
	assert.NotEqual(t, sum(refused), sum(classify.Evidence{Status: 401}))
}

func BenchmarkFieldOf(b *testing.B) {
	keys := []string{"service.name", "http.request.method", "url.path", "thread.name", "log.file.path", "k8s.pod.name", "app.order_id", "exception.message"}
	b.ReportAllocs()
	for b.Loop() {
		for _, k := range keys {
			_ = evidence.FieldOf(k)
		}
	}
}
