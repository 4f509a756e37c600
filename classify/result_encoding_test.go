package classify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
)

func ExampleResult_MarshalJSON() {
	res := classify.Message("429 Too Many Requests, try again in 1.5s")
	line, err := json.Marshal(res)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", line)
	// Output: {"category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95,"status":429,"retry_after_ms":1500}
}

func ExampleResult_UnmarshalJSON() {
	var res classify.Result
	if err := json.Unmarshal([]byte(`{"category":"retryable","reason":"rate_limit","retry_after_ms":1500}`), &res); err != nil {
		panic(err)
	}
	fmt.Println(res.Retryable(), res.RetryAfter)
	// Output: true 1.5s
}

func ExampleResult_LogValue() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.Info("will call again", "result", classify.Message("429 Too Many Requests, try again in 1.5s"))
	// Output: level=INFO msg="will call again" result.category=retryable result.reason=rate_limit result.rule=http/429 result.confidence=0.95 result.status=429 result.retry_after_ms=1500
}

func TestResultJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		res  classify.Result
		want string
	}{
		{"no error", classify.Result{}, `{"category":"","reason":"","rule":"","status":0}`},
		{"no hint", classify.Result{Category: "fatal", Reason: "logic", Rule: "go/x"}, `{"category":"fatal","reason":"logic","rule":"go/x","status":0}`},
		{"a hint of 0", classify.Result{Category: "retryable", Reason: "rate_limit", Rule: "http/429", Status: 429, HasRetryAfter: true},
			`{"category":"retryable","reason":"rate_limit","rule":"http/429","status":429,"retry_after_ms":0}`},
		{"everything", classify.Result{
			Category: "retryable", Reason: "rate_limit", Rule: "http/429", Confidence: 0.95, Status: 429,
			RetryAfter: 1500 * time.Millisecond, HasRetryAfter: true, Derived: true, Provider: "openai",
		}, `{"category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95,"status":429,"retry_after_ms":1500,"retry_after_derived":true,"provider":"openai"}`},
		{"the user's own words", classify.Result{Category: "fatal", Reason: "logic", Rule: `shop/"x"`}, `{"category":"fatal","reason":"logic","rule":"shop/\"x\"","status":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line, err := json.Marshal(tt.res)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(line))
			back := classify.Result{Provider: "left over", HasRetryAfter: true}
			require.NoError(t, json.Unmarshal(line, &back))
			assert.Equal(t, tt.res, back)
		})
	}
}

// TestResultJSONRoundsUp checks that a fraction of a millisecond is rounded up.
func TestResultJSONRoundsUp(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(classify.Result{HasRetryAfter: true, RetryAfter: 34074824224})
	require.NoError(t, err)
	assert.Contains(t, string(line), `"retry_after_ms":34075`)
}

func TestResultJSONErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text string }{
		{"no object", `[]`},
		{"a number as category", `{"category":1}`},
		{"longer than a Duration", `{"retry_after_ms":9223372036855}`},
		{"shorter than a Duration", `{"retry_after_ms":-9223372036855}`},
		{"half a millisecond", `{"retry_after_ms":0.5}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := classify.Message("429 Too Many Requests")
			got := want
			require.Error(t, json.Unmarshal([]byte(tt.text), &got))
			assert.Equal(t, want, got, "a fault changed the result")
		})
	}
}

// drawResult draws a random Result with a waiting time in whole milliseconds.
func drawResult(t *rapid.T) classify.Result {
	res := classify.Result{
		Category: rapid.SampledFrom(append(classify.Categories(), "")).Draw(t, "category"),
		Reason:   rapid.SampledFrom(append(classify.Reasons(), "")).Draw(t, "reason"),
		Rule:     rapid.String().Draw(t, "rule"),
		Status:   rapid.IntRange(0, 599).Draw(t, "status"),
		Provider: rapid.String().Draw(t, "provider"),
	}
	if rapid.Bool().Draw(t, "hint") {
		res.HasRetryAfter = true
		res.RetryAfter = time.Duration(rapid.Int64Range(0, math.MaxInt64/int64(time.Millisecond)).Draw(t, "ms")) * time.Millisecond
		res.Derived = rapid.Bool().Draw(t, "derived")
	}
	return res
}

func TestResultJSONRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		res := drawResult(t)
		line, err := json.Marshal(res)
		require.NoError(t, err)
		var back classify.Result
		require.NoError(t, json.Unmarshal(line, &back))
		assert.Equal(t, res, back, string(line))
	})
}

// TestResultLogValueAgreesWithJSON checks that LogValue and MarshalJSON use the
// same names and values.
func TestResultLogValueAgreesWithJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		res := drawResult(t)
		res.Derived = false // the log value does not have Derived
		var out bytes.Buffer
		slog.New(slog.NewJSONHandler(&out, nil)).Info("", "result", res)
		var line struct{ Result classify.Result }
		require.NoError(t, json.Unmarshal(out.Bytes(), &line), out.String())
		assert.Equal(t, res, line.Result, out.String())
	})
}

// TestResultLogValueOfNoError checks that a zero Result adds no group to a log
// record.
func TestResultLogValueOfNoError(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("", "result", classify.Error(nil))
	assert.NotContains(t, out.String(), "result")
}
