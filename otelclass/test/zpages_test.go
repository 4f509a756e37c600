package test_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/zpages"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/otelclass"
)

// Package zpages needs the SDK's own span in OnStart. In OnEnd it needs the span
// with the added attributes.
func TestZpages(t *testing.T) {
	t.Parallel()
	pages := zpages.NewSpanProcessor()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(pages)))
	handler := zpages.NewTracezHandler(pages)
	page := func(query string) string {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/tracez?"+query, nil))
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.String()
	}
	const running, failed = "zspanname=work&ztype=0", "zspanname=work&ztype=2"

	_, span := tracers.Tracer("test").Start(t.Context(), "work")
	id := span.SpanContext().SpanID().String()
	assert.Contains(t, page(running), id)
	span.SetStatus(codes.Error, "connection refused")
	span.End()
	assert.NotContains(t, page(running), id)
	assert.Contains(t, page(failed), id)
	assert.Contains(t, page(failed), "error.category=retryable")
	assert.Contains(t, page(failed), "error.reason=network")
	require.NoError(t, tracers.Shutdown(t.Context()))
}
