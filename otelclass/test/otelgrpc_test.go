package test_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// failing is a health service that returns err.
type failing struct {
	grpc_health_v1.UnimplementedHealthServer
	err error
}

func (f failing) Check(context.Context, *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	return &grpc_health_v1.HealthCheckResponse{}, f.err
}

// If an error is the client's fault, the server's span does not have the status
// Error.
func TestOtelgrpc(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		err            error
		server, client string
	}{
		{"OK", nil, nothing, nothing},
		{"Unavailable", status.Error(codes.Unavailable, "try later"), "retryable/transient", "retryable/transient"},
		{"Unavailable for good", status.Error(codes.Unavailable, "x509: certificate has expired"), "fatal/network_permanent", "fatal/network_permanent"},
		{"Internal", status.Error(codes.Internal, ""), "retryable/transient", "retryable/transient"},
		{"Internal, with a cause", status.Error(codes.Internal, "invalid api key"), "fatal/authentication", "fatal/authentication"},
		{"DeadlineExceeded", status.Error(codes.DeadlineExceeded, ""), "retryable/timeout", "retryable/timeout"},
		{"Unknown", status.Error(codes.Unknown, "odd"), "fatal/unknown", "fatal/unknown"},
		{"Unimplemented", status.Error(codes.Unimplemented, ""), "fatal/invalid_request", "fatal/invalid_request"},
		{"Unauthenticated", status.Error(codes.Unauthenticated, ""), nothing, "fatal/authentication"},
		{"PermissionDenied", status.Error(codes.PermissionDenied, ""), nothing, "fatal/authentication"},
		{"ResourceExhausted", status.Error(codes.ResourceExhausted, ""), nothing, "retryable/rate_limit"},
		{"NotFound", status.Error(codes.NotFound, ""), nothing, "fatal/invalid_request"},
		{"Canceled", status.Error(codes.Canceled, ""), nothing, "aborted/aborted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := spansOf(t, func(provider *sdktrace.TracerProvider) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				server := grpc.NewServer(grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(provider))))
				grpc_health_v1.RegisterHealthServer(server, failing{err: tt.err})
				var wg sync.WaitGroup
				wg.Go(func() { assert.NoError(t, server.Serve(listener)) })

				conn, err := grpc.NewClient(listener.Addr().String(),
					grpc.WithTransportCredentials(insecure.NewCredentials()),
					grpc.WithStatsHandler(otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(provider))))
				require.NoError(t, err)
				_, err = grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
				assert.Equal(t, status.Code(tt.err), status.Code(err))
				require.NoError(t, conn.Close())
				server.GracefulStop() // ends the server's span
				wg.Wait()
			})
			assert.Equal(t, map[trace.SpanKind]string{trace.SpanKindServer: tt.server, trace.SpanKindClient: tt.client}, got)
		})
	}
}
