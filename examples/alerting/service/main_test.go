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

	metrics := do("GET", "/metrics").Body.String()
	assert.Contains(t, metrics, auth+"1\n")
	assert.Contains(t, metrics, `errclass_calls_total{provider="openai"} 2`)
	assert.Contains(t, metrics, `errclass_breaker_state{endpoint="https://a.example",state="open"} 1`)
}
