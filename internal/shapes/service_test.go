package shapes_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/shapes"
)

func TestService(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"OpenTelemetry", `{"level":"error","service.name":"api"}`, "api"},
		{"ECS", `{"service":{"name":"api"},"message":"x"}`, "api"},
		{"plain", `{"app":"x","service":"api"}`, "api"},
		{"escaped", `{"service":"a\u0070i"}`, "api"},
		{"a key that repeats", `{"service":"shop","service":"api"}`, "api"},
		{"not a text", `{"service":7,"app":"shop"}`, "shop"},
		{"empty", `{"service":""}`, ""},
		{"Fluent Bit", `{"log":"x","stream":"stderr","kubernetes":{"pod_name":"api-5d","container_name":"api"}}`, "api"},
		{"Google Cloud", `{"severity":"ERROR","textPayload":"x","resource":{"type":"k8s_container","labels":{"container_name":"api"}}}`, "api"},
		{"journald", `{"MESSAGE":"x","_SYSTEMD_UNIT":"api.service","SYSLOG_IDENTIFIER":"api"}`, "api"},
		{"OTLP", `{"resourceLogs":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"h"}},{"key":"service.name","value":{"stringValue":"api"}}]},"scopeLogs":[]}]}`, "api"},
		{"OTLP, one resource a line", `{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]},"scopeLogs":[]}`, "api"},
		{"console exporter", `{"body":"x","severity_number":17,"resource":{"attributes":{"service.name":"api"}}}`, "api"},
		{"logfmt", `level=error service="the api" msg=x`, "the api"},
		{"no logfmt", `service=api is down`, ""},
		{"compose", `api-1  | {"msg":"x"}`, "api-1"},
		{"compose, coloured", "\x1b[36mapi-1  | \x1b[0m" + `{"msg":"x"}`, "api-1"},
		{"kubectl", `[pod/api-5d/api] panic: x`, "api"},
		{"syslog", `Jan  2 03:04:05 host api[7]: boom`, "api"},
		{"a field beats a prefix", `api-1  | {"service":"shop"}`, "shop"},
		{"none", `boom`, ""},
		{"nothing", ``, ""},
		{"broken", `{"service":"api"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := []byte(tt.line + "\n")
			assert.Equal(t, tt.want, shapes.Service(line))
			shapes.NewReader(nil).Read(line, func(rec *shapes.Record) { assert.Equal(t, tt.want, rec.Service(line)) })
		})
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"plain", `{"level":"error","msg":"boom","err":"x"}`, "boom"},
		{"none", `{"level":"error","err":"x"}`, ""},
		{"a line of log in a message", `{"MESSAGE":"{\"level\":\"error\",\"msg\":\"boom\"}","PRIORITY":"6"}`, "boom"},
		{"a body in a message", `{"level":"error","msg":"{\"error\":\"boom\"}"}`, `{"error":"boom"}`},
		{"text in a message", `{"log":"2026-01-02 03:04:05 ERROR boom\n","stream":"stdout"}`, "boom\n"},
		{"logfmt", `level=error msg="it went boom" n=1`, "it went boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			shapes.NewReader(nil).Read([]byte(tt.line+"\n"), func(rec *shapes.Record) {
				n++
				assert.Equal(t, tt.want, rec.Message())
			})
			assert.Equal(t, 1, n)
		})
	}
	assert.Equal(t, len("2026-01-02 03:04:05 ERROR "), shapes.MessageStart([]byte("2026-01-02 03:04:05 ERROR boom")))
	assert.Zero(t, shapes.MessageStart([]byte("boom")))
}
