package logline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

func ExampleAnnotator_Annotate() {
	a := logline.NewAnnotator(classify.Minimal, false)
	line := []byte(`{"level":"error","msg":"ECONNRESET"}`)
	got := a.Annotate(line)
	fmt.Printf("%s%s%s\n", line[:got.At], got.Insert, line[got.At:])
	// Output: {"level":"error","msg":"ECONNRESET","error.category":"retryable","error.reason":"network"}
}

// annotated returns the line with what the annotator inserts.
func annotated(t *testing.T, a *logline.Annotator, line string) string {
	t.Helper()
	got := a.Annotate([]byte(line))
	return line[:got.At] + string(got.Insert) + line[got.At:]
}

// testRules returns a classifier that does not depend on the standard rules.
func testRules(t testing.TB) *classify.Classifier {
	t.Helper()
	c, err := classify.New(classify.WithRules(
		classify.Rule{ID: "t/rate", Reason: classify.ReasonRateLimit, Pattern: "slow down"},
		classify.Rule{ID: "t/net", Reason: classify.ReasonNetwork, Pattern: "econnreset|hung up"},
		classify.Rule{ID: "t/key", Reason: classify.ReasonAuthentication, Pattern: "bad key"},
		classify.Rule{ID: "t/null", Reason: classify.ReasonLogic, Pattern: `nil pointer|\xff`},
	))
	require.NoError(t, err)
	return c
}

// TestSamples annotates lines of loggers of several languages.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, reason string }{
		{"slog", `{"time":"2026-01-02T03:04:05.6Z","level":"ERROR","msg":"call failed","err":"slow down"}`, "rate_limit"},
		{"slog above error", `{"level":"ERROR+4","msg":"slow down"}`, "rate_limit"},
		{"slog warning", `{"level":"WARN","msg":"slow down","err":"x"}`, ""},
		{"slog below error", `{"level":"WARN+3","msg":"slow down"}`, ""},
		{"zap", `{"level":"error","ts":1735787045.123,"caller":"a/b.go:7","msg":"sync","error":"bad key","stacktrace":"main.main\n\t/a/b.go:7"}`, "authentication"},
		{"zap dpanic", `{"level":"dpanic","ts":1,"msg":"nil pointer"}`, "logic"},
		{"zap panic", `{"L":"x","level":"PANIC","msg":"nil pointer"}`, "logic"},
		{"zerolog", `{"level":"fatal","error":"read: econnreset","time":1735787045,"message":"cannot start"}`, "network"},
		{"zerolog without level", `{"error":"slow down","message":"retrying"}`, "rate_limit"},
		{"logrus", `{"error":"bad key","level":"error","msg":"login","time":"2026-01-02T03:04:05Z"}`, "authentication"},
		{"pino", `{"level":50,"time":1735787045123,"pid":7,"hostname":"h","err":{"type":"FetchError","message":"socket hung up","stack":"FetchError: socket hung up\n    at f (a.js:1:2)","code":"ECONNRESET"},"msg":"socket hung up"}`, "network"},
		{"pino fatal", `{"level":60,"msg":"bad key"}`, "authentication"},
		{"pino warning", `{"level":40,"msg":"bad key"}`, ""},
		{"pino error of code alone", `{"level":50,"err":{"code":"ECONNRESET"},"msg":"x"}`, "network"},
		{"pino error of stack alone", `{"level":50,"err":{"stack":"Error: bad key\n    at f (x.js:1:1)"},"msg":"x"}`, "authentication"},
		{"stack with a cause", `{"level":"error","err":{"stack":"E: so it goes\n\tat a.B.onTimeout(B.java:1)\nCaused by: java.net.ConnectException: Connection refused"}}`, "network"},
		{"stack without one", `{"level":"error","err":{"stack":"E: so it goes\n\tat a.B.onTimeout(B.java:1)"}}`, "unknown"},
		{"level too high for a float", `{"level":1e400,"msg":"slow down"}`, "rate_limit"},
		{"journald", `{"__REALTIME_TIMESTAMP":"1735787045123456","PRIORITY":"3","SYSLOG_IDENTIFIER":"app","MESSAGE":"slow down"}`, "rate_limit"},
		{"journald bytes", `{"PRIORITY":"2","MESSAGE":[110,105,108,32,112,111,105,110,116,101,114,27]}`, "logic"},
		{"journald emergency as a number", `{"PRIORITY":0,"MESSAGE":"bad key"}`, "authentication"},
		{"journald warning", `{"PRIORITY":"4","MESSAGE":"slow down"}`, ""},
		{"journald odd priority", `{"PRIORITY":"x","MESSAGE":"slow down"}`, ""},
		{"journald without message", `{"PRIORITY":3,"MESSAGE":null}`, "unknown"},
		{"syslog names", `{"severity":"crit","message":"bad key"}`, "authentication"},
		{"google cloud", `{"severity":"EMERGENCY","message":"bad key"}`, "authentication"},
		{"java", `{"lvl":"SEVERE","message":"nil pointer"}`, "logic"},
		{"otel", `{"severity":"ERROR2","exception.type":"x","exception.message":"bad key"}`, "authentication"},
		{"structlog", `{"event":"slow down","level":"critical"}`, "rate_limit"},
		{"container", `{"log":"slow down\n","stream":"stderr","level":"err"}`, "rate_limit"},
		{"child", `{"stderr":"bad key\n"}`, "authentication"},
		{"status", `{"level":"error","msg":"upstream","status":503}`, "transient"},
		{"status code", `{"level":"error","msg":"upstream","status_code":401}`, "authentication"},
		{"otel status", `{"level":"error","http.response.status_code":429}`, "rate_limit"},
		{"status of an error object", `{"level":"error","err":{"message":"x","statusCode":402}}`, "budget_exceeded"},
		{"code of an error object", `{"error":{"code":429,"message":"x"}}`, "rate_limit"},
		{"good status", `{"level":"error","msg":"odd","status":200}`, "unknown"},
		{"invalid status", `{"level":"error","msg":"odd","status":"503","status_code":12.5}`, "unknown"},
		{"error before message", `{"level":"error","error":"bad key","msg":"slow down"}`, "authentication"},
		{"message after an unknown error", `{"level":"error","error":"zzz","msg":"slow down"}`, "rate_limit"},
		{"second error", `{"level":"error","error":"zzz","err":"slow down"}`, "rate_limit"},
		{"list of errors", `{"level":"error","error":["zzz","slow down"]}`, "rate_limit"},
		{"error object of another form", `{"error":{"detail":"slow down"}}`, "rate_limit"},
		{"message object", `{"level":"error","msg":{"text":"slow down"}}`, "rate_limit"},
		{"first message with a text", `{"level":"error","msg":"","message":null,"event":"slow down"}`, "rate_limit"},
		{"no error in it", `{"error":null,"msg":"slow down"}`, ""},
		{"empty errors", `{"error":"","err":{},"stderr":"","exception.message":false,"msg":"slow down"}`, ""},
		{"error flag", `{"error":true,"msg":"slow down"}`, "rate_limit"},
		{"no level and no error", `{"msg":"slow down"}`, ""},
		{"empty levels", `{"level":null,"severity":"","error":"slow down"}`, "rate_limit"},
		{"level that is an object", `{"level":{"a":1},"error":"slow down"}`, ""},
		{"one of two levels", `{"level":"info","severity":"error","msg":"slow down"}`, "rate_limit"},
		{"last of two", `{"level":"error","level":"info","msg":"slow down"}`, ""},
		{"escaped key", `{"\u006cevel":"error","ms\u0067":"slow\u0020down"}`, "rate_limit"},
		{"nested level", `{"a":{"level":"error"},"msg":"slow down"}`, ""},
		{"nothing but a level", `{"level":"error"}`, "unknown"},
		{"empty", `{}`, ""},
		{"long level", `{"level":"error error error error error","msg":"slow down"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := logline.NewAnnotator(testRules(t), false)
			want := tt.line
			if tt.reason != "" {
				category := classify.Reason(tt.reason).Policy().Category
				want = fmt.Sprintf(`%s,"error.category":%q,"error.reason":%q}`, strings.TrimSuffix(tt.line, "}"), category, tt.reason)
			}
			got := annotated(t, a, tt.line)
			assert.Equal(t, want, got)
			assert.True(t, json.Valid([]byte(got)))
		})
	}
}

func TestAnnotateKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"white space", " { \"level\" : \"error\" , \"msg\":\"slow down\" } \r\n",
			" { \"level\" : \"error\" , \"msg\":\"slow down\",\"error.category\":\"retryable\",\"error.reason\":\"rate_limit\" } \r\n"},
		{"category", `{"level":"error","error.category":"mine","msg":"slow down"}`, `{"level":"error","error.category":"mine","msg":"slow down","error.reason":"rate_limit"}`},
		{"reason", `{"level":"error","error.reason":null,"msg":"slow down"}`, `{"level":"error","error.reason":null,"msg":"slow down","error.category":"retryable"}`},
		{"both", `{"level":"error","error.reason":"a","error.category":"b","msg":"slow down"}`, `{"level":"error","error.reason":"a","error.category":"b","msg":"slow down"}`},
		{"byte order mark", "\ufeff{\"error\":\"slow down\"}\n", "\ufeff{\"error\":\"slow down\",\"error.category\":\"retryable\",\"error.reason\":\"rate_limit\"}\n"},
		{"no UTF-8", "{\"error\":\"slow down \xff\xfe\"}", "{\"error\":\"slow down \xff\xfe\",\"error.category\":\"retryable\",\"error.reason\":\"rate_limit\"}"},
		{"braces in texts", `{"error":"slow down }","a":"}{\"}"}`, `{"error":"slow down }","a":"}{\"}","error.category":"retryable","error.reason":"rate_limit"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, annotated(t, logline.NewAnnotator(testRules(t), false), tt.line))
		})
	}
}

func TestAnnotateKinds(t *testing.T) {
	t.Parallel()
	a := logline.NewAnnotator(nil, false)
	for line, want := range map[string]logline.Kind{
		"": logline.Blank, "\n": logline.Blank, " \t\r\n": logline.Blank, "\ufeff": logline.Blank,
		"{}": logline.Other, `{"error":"x"}`: logline.Classified,
		"x": logline.NotJSON, "[1]": logline.NotJSON, `{"error":"x"`: logline.NotJSON, `{"error":"x",}`: logline.NotJSON, `{} {}`: logline.NotJSON, "\x00": logline.NotJSON,
	} {
		assert.Equal(t, want, a.Annotate([]byte(line)).Kind, "%q", line)
	}
	all := logline.NewAnnotator(nil, true)
	assert.Equal(t, `{"error.category":"fatal","error.reason":"unknown"}`, annotated(t, all, `{}`))
	assert.Equal(t, `{"level":"info","error.category":"fatal","error.reason":"unknown"}`, annotated(t, all, `{"level":"info"}`))
}

func TestAnnotateOtherLinesAllocateNothing(t *testing.T) {
	a := logline.NewAnnotator(nil, false)
	line := []byte(`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"done","error":"","n":[1,2,{"a":"b"}]}` + "\n")
	assert.Zero(t, testing.AllocsPerRun(100, func() { a.Annotate(line) }))
}

func TestAnnotateWithMinimal(t *testing.T) {
	t.Parallel()
	a := logline.NewAnnotator(classify.Minimal, false)
	assert.Equal(t, `{"level":"error","status":503,"error.category":"fatal","error.reason":"unknown"}`, annotated(t, a, `{"level":"error","status":503}`))
	assert.Equal(t, `{"error":"HTTP 503","error.category":"retryable","error.reason":"transient"}`, annotated(t, a, `{"error":"HTTP 503"}`))
}
