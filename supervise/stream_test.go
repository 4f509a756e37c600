package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/supervise"
)

// Error events on standard output are classified like standard error.
func TestStreamErrors(t *testing.T) {
	t.Parallel()
	const (
		claudeLimit  = `{"type":"result","subtype":"success","is_error":true,"duration_ms":401,"result":"API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}"}`
		claudeRetry  = `{"type":"system","subtype":"api_retry","attempt":1,"error_status":429,"error":"rate_limit","session_id":"401"}`
		claudeAnswer = `{"type":"assistant","message":{"content":[{"type":"text","text":"I saw an error: HTTP 401"}]}}`
		toolError    = `{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"HTTP 401 Unauthorized"}]}}`
		codexKey     = `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}`
		codexTool    = `{"type":"item.completed","item":{"type":"command_execution","status":"failed","aggregated_output":"HTTP 401"}}`
	)
	for _, tt := range []struct {
		name, stderr string
		lines        []string
		reason       classify.Reason
	}{
		{"claude, a limit", "", []string{`{"type":"system","subtype":"init"}`, claudeLimit}, classify.ReasonRateLimit},
		{"claude, a key", "", []string{`{"type":"assistant","error":"authentication_failed","message":{"content":[{"type":"text","text":"Invalid API key · Please run /login"}]}}`}, classify.ReasonAuthentication},
		{"claude, retries", "exit", []string{claudeRetry}, classify.ReasonRateLimit},
		{"codex, a key", "", []string{`{"type":"thread.started"}`, codexKey}, classify.ReasonAuthentication},
		{"codex, an item", "", []string{`{"type":"item.completed","item":{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests"}}`}, classify.ReasonRateLimit},
		{"codex, an envelope", "", []string{`{"id":"0","msg":{"type":"error","message":"unexpected status 401 Unauthorized"}}`}, classify.ReasonAuthentication},
		{"the API's event", "", []string{`{"type":"stream_event","event":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`}, classify.ReasonTransient},
		{"gemini, a status", "", []string{`{"type":"result","status":"error","error":{"code":429,"message":"x"}}`}, classify.ReasonRateLimit},
		{"a long line before it", "", []string{`{"type":"user","error":"` + strings.Repeat("x", 100_000) + `"}`, codexKey}, classify.ReasonAuthentication},
		{"the event before standard error", "connect ECONNRESET", []string{codexKey}, classify.ReasonAuthentication},
		{"a tool's error", "", []string{toolError, codexTool}, classify.ReasonSpawn},
		{"an error that passed", "", []string{claudeRetry, claudeAnswer}, classify.ReasonSpawn},
		{"text that is no event", "", []string{"HTTP 401", `{"level":"error","error":"HTTP 401"}`, `["error"]`, `{"type":"error"`}, classify.ReasonSpawn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := supervise.Run(t.Context(), self(t, "events", append([]string{"1", tt.stderr}, tt.lines...)...))
			require.Error(t, err)
			assert.Equal(t, tt.reason, o.Result.Reason, "%s: %q", o.Result.Rule, o.StreamError)
			assert.Equal(t, o.Result, classify.Error(err))
		})
	}
	t.Run("a child that succeeds", func(t *testing.T) {
		t.Parallel()
		o, err := supervise.Run(t.Context(), self(t, "events", "0", "", codexKey))
		require.NoError(t, err)
		assert.Equal(t, classify.Result{}, o.Result)
		assert.Empty(t, o.StreamError)
	})
	t.Run("a secret", func(t *testing.T) {
		t.Parallel()
		o, err := supervise.Run(t.Context(), self(t, "events", "1", "", `{"type":"error","message":"HTTP 401: key sk-ant-REDACTED"}`))
		require.Error(t, err)
		assert.Equal(t, "HTTP 401: key "+supervise.Masked, o.StreamError)
		assert.Equal(t, o.StreamError, supervise.NewEvent("", "", 1, o).Diagnostics.Stderr)
	})
	t.Run("a secret at the cut", func(t *testing.T) {
		t.Parallel()
		for _, secret := range []string{"ghp_Kx9vQ1ZpTn7LmW2rB8cFgH4jYuIoE5sDaXeR", "postgres://app:hunter2,zz4@db:5432/x"} {
			for _, before := range []int{8, 19, 23, 25} { // bytes of the secret before the cut
				fill := strings.Repeat("fill ", 1000)[:4<<10-before-1] + " "
				o, err := supervise.Run(t.Context(), self(t, "events", "1", "", `{"type":"error","message":"`+fill+secret+` and more"}`))
				require.Error(t, err)
				assert.Contains(t, o.StreamError, "fill")
				assert.NotContains(t, o.StreamError, "ghp_")
				assert.NotContains(t, o.StreamError, "hunter")
			}
		}
	})
	t.Run("into a file", func(t *testing.T) {
		t.Parallel()
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		defer f.Close()
		c := self(t, "events", "1", "", "--json", codexKey)
		c.Stdout, c.Silence = f, -1
		o, err := supervise.Run(t.Context(), c)
		require.Error(t, err)
		assert.Equal(t, classify.ReasonAuthentication, o.Result.Reason)
		got, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		assert.Equal(t, codexKey+"\n", string(got))
	})
}
