package test_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/errclass/errclass/otelclass"
)

// spansOf calls the function use and returns "category/reason" of each exported
// span, by the kind of the span.
func spansOf(t *testing.T, use func(*sdktrace.TracerProvider)) map[trace.SpanKind]string {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter))))
	use(provider)
	result := map[trace.SpanKind]string{}
	for _, s := range exporter.GetSpans() {
		require.NotContains(t, result, s.SpanKind)
		result[s.SpanKind] = classified(t, attributes(s.Attributes))
	}
	require.NoError(t, provider.Shutdown(t.Context()))
	return result
}

// If an error is the client's fault, the server's span does not have the status
// Error.
func TestOtelhttp(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status         int
		server, client string
	}{
		{200, nothing, nothing},
		{401, nothing, "fatal/authentication"},
		{404, nothing, "fatal/invalid_request"},
		{429, nothing, "retryable/rate_limit"},
		{500, "retryable/transient", "retryable/transient"},
		{503, "retryable/transient", "retryable/transient"},
		{504, "retryable/timeout", "retryable/timeout"},
		{507, "fatal/resource", "fatal/resource"},
	}
	for _, tt := range tests {
		t.Run(strconv.Itoa(tt.status), func(t *testing.T) {
			t.Parallel()
			got := spansOf(t, func(provider *sdktrace.TracerProvider) {
				handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tt.status) })
				server := httptest.NewServer(otelhttp.NewHandler(handler, "serve", otelhttp.WithTracerProvider(provider)))
				assert.NoError(t, get(t, t.Context(), provider, server.URL))
				server.Close() // ends the server's span
			})
			assert.Equal(t, map[trace.SpanKind]string{trace.SpanKindServer: tt.server, trace.SpanKindClient: tt.client}, got)
		})
	}
}

// get calls a server through a client with otelhttp and returns the error.
func get(t *testing.T, ctx context.Context, provider *sdktrace.TracerProvider, url string) error { //nolint:revive // t first, as everywhere in tests
	t.Helper()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := http.Client{Transport: otelhttp.NewTransport(base, otelhttp.WithTracerProvider(provider))}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res.Body.Close()
}

// In each of these calls, the client gets no response from the server.
func TestOtelhttpTransport(t *testing.T) {
	t.Parallel()
	hang := func(t *testing.T) string { // hangs until the client disconnects
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		t.Cleanup(server.Close)
		return server.URL
	}
	tests := []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		url  func(*testing.T) string
		want string
	}{
		{"refused", context.WithCancel, func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			require.NoError(t, l.Close())
			return "http://" + l.Addr().String()
		}, "retryable/network"},
		{"hung up", context.WithCancel, func(t *testing.T) string {
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
			t.Cleanup(server.Close)
			return server.URL
		}, "retryable/network"},
		{"own deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 1)
		}, hang, "timeout/timeout"},
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, hang, "aborted/aborted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := tt.ctx(t.Context())
			defer cancel()
			got := spansOf(t, func(provider *sdktrace.TracerProvider) {
				assert.Error(t, get(t, ctx, provider, tt.url(t)))
			})
			assert.Equal(t, map[trace.SpanKind]string{trace.SpanKindClient: tt.want}, got)
		})
	}
}
