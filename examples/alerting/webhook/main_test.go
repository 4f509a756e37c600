package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	post := func(ctx context.Context, body string, to chan alert) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
		receive(ctx, to)(w, r)
		return w.Code
	}
	alerts := make(chan alert, 2)
	code := post(t.Context(), `{"receiver":"pager","alerts":[{"status":"firing","labels":{"a":"1"}},{"status":"resolved"}]}`, alerts)
	assert.Equal(t, http.StatusOK, code)
	assert.Equal(t, alert{Receiver: "pager", Status: "firing", Labels: map[string]string{"a": "1"}}, <-alerts)
	assert.Equal(t, alert{Receiver: "pager", Status: "resolved"}, <-alerts)

	assert.Equal(t, http.StatusBadRequest, post(t.Context(), `no JSON`, alerts))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	post(ended, `{"alerts":[{}]}`, make(chan alert)) // returns although nothing receives
}

func TestRunEndsInTime(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.EqualError(t, run(ended, "127.0.0.1:0", func(alert) bool { return true }), "the alert did not arrive")
}
