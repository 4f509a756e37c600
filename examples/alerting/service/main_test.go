package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCall(t *testing.T) {
	h, stop, err := newHandler()
	require.NoError(t, err)
	defer stop()
	do := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	const auth = `errclass_errors_total{error_category="fatal",error_reason="authentication",provider="openai",signal="log"} `
	assert.Contains(t, do("GET", "/metrics").Body.String(), auth+"0\n", "before the first failure")

	assert.Equal(t, http.StatusNoContent, do("POST", "/call?provider=openai&status=401").Code)
	assert.Equal(t, http.StatusNoContent, do("POST", "/call?provider=openai&status=200").Code)
	assert.Equal(t, http.StatusBadRequest, do("POST", "/call?status=no").Code)
	assert.Equal(t, http.StatusNoContent, do("POST", "/breaker?endpoint=https://a.example&state=open").Code)

	assert.Equal(t, http.StatusNoContent, do("POST", "/health?endpoint=https://a.example&state=unhealthy").Code)
	assert.Equal(t, http.StatusNoContent, do("POST", "/hold?endpoint=https://a.example&left=1h").Code)
	assert.Equal(t, http.StatusBadRequest, do("POST", "/hold?endpoint=https://a.example&left=long").Code)
	assert.Equal(t, http.StatusNoContent, do("POST", "/restart?state=parked").Code)

	metrics := do("GET", "/metrics").Body.String()
	assert.Contains(t, metrics, `errclass_endpoint_healthy{endpoint="https://a.example"} 0`)
	assert.Contains(t, metrics, `errclass_holds_total{endpoint="https://a.example"} 1`)
	assert.Contains(t, metrics, `errclass_restarts_total{state="parked"} 1`)
	assert.Contains(t, metrics, auth+"1\n")
	assert.Contains(t, metrics, `errclass_calls_total{provider="openai"} 2`)
	const attempts = `errclass_attempts_total{endpoint="https://api.openai.example",`
	assert.Contains(t, metrics, attempts+`error_reason="authentication",outcome="failure",provider="openai"} 1`)
	assert.Contains(t, metrics, attempts+`outcome="success",provider="openai"} 1`)
	assert.Contains(t, metrics, `errclass_breaker_state{endpoint="https://a.example",state="open"} 1`)
}

func TestRetriesAndFallbacks(t *testing.T) {
	const (
		transient = `error_category="retryable",error_reason="transient",provider="anthropic",signal="log"`
		handedOn  = `errclass_fallbacks_total{from="anthropic",to="openai"} `
		helped    = `errclass_retries_total{provider="anthropic",result="success"} `
		inVain    = `errclass_retries_total{provider="anthropic",result="failure"} `
	)
	tests := []struct {
		name, query                                 string
		calls, failed, inVain, helped, fallbackCall string
	}{
		{"no failure", "status=200,200", "1", "0", "0", "0", "0"},
		{"a retry helps", "status=503,200", "2", "1", "0", "1", "0"},
		{"no retry helps", "status=503,503,503", "3", "3", "2", "0", "0"},
		{"another takes over", "status=503,503&fallback=openai", "2", "2", "1", "0", "1"},
		{"no fallback is needed", "status=503,200&fallback=openai", "2", "1", "0", "1", "0"},
		{"a canceled call is not repeated", "status=canceled,200", "1", "0", "0", "0", "0"},
		{"repeating does not help", "status=401,200", "1", "0", "0", "0", "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, stop, err := newHandler()
			require.NoError(t, err)
			defer stop()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/call?"+tt.query, nil))
			assert.Equal(t, http.StatusNoContent, w.Code)
			w = httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			metrics := w.Body.String()
			assert.Contains(t, metrics, `errclass_calls_total{provider="anthropic"} `+tt.calls+"\n")
			assert.Contains(t, metrics, "errclass_errors_total{"+transient+"} "+tt.failed+"\n")
			assert.Contains(t, metrics, inVain+tt.inVain+"\n")
			assert.Contains(t, metrics, helped+tt.helped+"\n")
			assert.Contains(t, metrics, handedOn+tt.fallbackCall+"\n")
			assert.Contains(t, metrics, `errclass_calls_total{provider="openai"} `+tt.fallbackCall+"\n")
		})
	}
}
