package compat_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errclass/errclass/classify"
)

// callGRPC calls a method of target. It needs no generated code.
func callGRPC(ctx context.Context, t *testing.T, target string, opts ...grpc.DialOption) error {
	t.Helper()
	conn, err := grpc.NewClient(target, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry(), grpc.WithNoProxy(),
	}, opts...)...)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.Invoke(ctx, "/shop.Stock/Take", &emptypb.Empty{}, &emptypb.Empty{})
}

// serveGRPC starts a server and returns the address. Every method calls the given
// function.
func serveGRPC(t *testing.T, handle func(ctx context.Context) error) (target string) {
	t.Helper()
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error { return handle(s.Context()) }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-done })
	return listener.Addr().String()
}

func TestGRPCCodes(t *testing.T) {
	t.Parallel()
	for code, reason := range map[codes.Code]classify.Reason{
		codes.Canceled: classify.ReasonAborted, codes.InvalidArgument: classify.ReasonInvalidRequest,
		codes.DeadlineExceeded: classify.ReasonTimeout, codes.NotFound: classify.ReasonInvalidRequest,
		codes.AlreadyExists: classify.ReasonInvalidRequest, codes.PermissionDenied: classify.ReasonAuthentication,
		codes.ResourceExhausted: classify.ReasonRateLimit, codes.FailedPrecondition: classify.ReasonInvalidRequest,
		codes.Aborted: classify.ReasonTransient, codes.OutOfRange: classify.ReasonInvalidRequest,
		codes.Unimplemented: classify.ReasonInvalidRequest, codes.Internal: classify.ReasonTransient,
		codes.Unavailable: classify.ReasonTransient, codes.DataLoss: classify.ReasonParsing,
		codes.Unauthenticated: classify.ReasonAuthentication, codes.Unknown: classify.ReasonUnknown,
	} {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			target := serveGRPC(t, func(context.Context) error { return status.Error(code, "boom") })
			check(t, callGRPC(t.Context(), t, target), want{reason: reason})
		})
	}
}

// The message or the details of a gRPC status may name a more specific cause than its
// code.
func TestGRPCCauses(t *testing.T) {
	t.Parallel()
	info := func(reason string) *errdetails.ErrorInfo {
		return &errdetails.ErrorInfo{Reason: reason, Domain: "googleapis.com", Metadata: map[string]string{"service": "x.googleapis.com"}}
	}
	quota := func(id string) *errdetails.QuotaFailure {
		return &errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "project:1", Description: "limit", QuotaId: id}}}
	}
	for _, tt := range []struct {
		name    string
		code    codes.Code
		message string
		details []protoadapt.MessageV1
		want    want
	}{
		{"a certificate behind Unavailable", codes.Unavailable, "tls: failed to verify certificate: x509: certificate signed by unknown authority", nil,
			want{reason: classify.ReasonNetworkPermanent}},
		{"a key behind Internal", codes.Internal, "upstream returned 401: invalid api key", nil,
			want{reason: classify.ReasonAuthentication}},
		{"a prompt behind InvalidArgument", codes.InvalidArgument, "The input token count (1200334) exceeds the maximum number of tokens allowed (1048576).", nil,
			want{reason: classify.ReasonContextOverflow}},
		{"a deadline behind Unknown", codes.Unknown, "context deadline exceeded", nil,
			want{reason: classify.ReasonTimeout}},
		{"a message over the limit", codes.ResourceExhausted, "grpc: received message larger than max (5242880 vs. 4194304)", nil,
			want{reason: classify.ReasonInvalidRequest}},
		{"retry in 34 s", codes.ResourceExhausted, "so it goes", []protoadapt.MessageV1{&errdetails.RetryInfo{RetryDelay: durationpb.New(34 * time.Second)}},
			want{reason: classify.ReasonRateLimit, wait: 34 * time.Second}},
		{"quota of a minute", codes.ResourceExhausted, "so it goes", []protoadapt.MessageV1{quota("RequestsPerMinutePerProject")},
			want{reason: classify.ReasonRateLimit}},
		{"quota of a day", codes.ResourceExhausted, "so it goes", []protoadapt.MessageV1{quota("RequestsPerDayPerProject")},
			want{reason: classify.ReasonBudgetExceeded, text: classify.ReasonRateLimit}}, // the text has no details
		{"key", codes.InvalidArgument, "so it goes", []protoadapt.MessageV1{info("API_KEY_INVALID")},
			want{reason: classify.ReasonAuthentication, text: classify.ReasonInvalidRequest, provider: "google"}},
		{"billing", codes.PermissionDenied, "so it goes", []protoadapt.MessageV1{info("BILLING_DISABLED")},
			want{reason: classify.ReasonBudgetExceeded, text: classify.ReasonAuthentication, provider: "google"}},
		{"rate", codes.ResourceExhausted, "so it goes", []protoadapt.MessageV1{info("RATE_LIMIT_EXCEEDED")},
			want{reason: classify.ReasonRateLimit, provider: "google"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := serveGRPC(t, func(context.Context) error {
				s, err := status.New(tt.code, tt.message).WithDetails(tt.details...)
				if err != nil {
					return err
				}
				return s.Err()
			})
			check(t, callGRPC(t.Context(), t, target), tt.want)
		})
	}
}

// A gRPC code does not say whether the client or the server ended a call. So an exceeded
// deadline is classified as retryable, unless the caller passes the cause of its ended
// context in classify.Evidence.
func TestGRPCEnds(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		check(t, callGRPC(ctx, t, serveGRPC(t, wait)), want{reason: classify.ReasonTimeout})
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		target := serveGRPC(t, func(ctx context.Context) error { cancel(); return wait(ctx) })
		check(t, callGRPC(ctx, t, target), want{reason: classify.ReasonAborted})
	})
	t.Run("the caller knows its context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		err := callGRPC(ctx, t, serveGRPC(t, wait))
		got := classify.Standard.Classify(classify.Evidence{Err: err, Cause: context.Cause(ctx)})
		require.Equal(t, classify.ReasonTimeout, got.Reason, got.Rule)
	})
}

func TestGRPCTransport(t *testing.T) {
	t.Parallel()
	dialing := func(err error) grpc.DialOption {
		return grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, err })
	}
	opError := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, tt := range []struct {
		name string
		run  func(t *testing.T) error
		want want
	}{
		{"nobody listens", func(t *testing.T) error {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			require.NoError(t, listener.Close())
			return callGRPC(t.Context(), t, listener.Addr().String())
		}, want{reason: classify.ReasonNetwork}},
		{"unknown authority", func(t *testing.T) error {
			url, _ := secure(t, false, noEdit, &tls.Config{NextProtos: []string{"h2"}})
			return callGRPC(t.Context(), t, url[len("https://"):], grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{})))
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"no TLS over there", func(t *testing.T) error {
			return callGRPC(t.Context(), t, serveGRPC(t, nil), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{})))
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"a server of HTTP/1", func(t *testing.T) error {
			url, _ := secure(t, false, noEdit, &tls.Config{NextProtos: []string{"http/1.1"}})
			return callGRPC(t.Context(), t, url[len("https://"):],
				grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"no credentials", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "127.0.0.1:1", grpc.WithTransportCredentials(nil))
		}, want{reason: classify.ReasonInvalidRequest}},
		{"no such host", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "passthrough:///stock.example:443",
				dialing(opError(&net.DNSError{Err: "no such host", Name: "stock.example", IsNotFound: true})))
		}, want{reason: classify.ReasonNetworkPermanent}},
		{"name server misbehaves", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "passthrough:///stock.example:443",
				dialing(opError(&net.DNSError{Err: "server misbehaving", Name: "stock.example", IsTemporary: true})))
		}, want{reason: classify.ReasonNetwork}},
		{"no route", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "passthrough:///stock.example:443", dialing(opError(syscall.EHOSTUNREACH)))
		}, want{reason: classify.ReasonNetwork}},
		{"nobody answers", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "passthrough:///stock.example:443", dialing(opError(syscall.ETIMEDOUT)))
		}, want{reason: classify.ReasonTimeout}},
		{"dropped midway", func(t *testing.T) error {
			var server *grpc.Server
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			server = grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
				go server.Stop() // in a goroutine, because Stop waits for this handler
				<-s.Context().Done()
				return s.Context().Err()
			}))
			done := make(chan struct{})
			go func() { defer close(done); _ = server.Serve(listener) }()
			t.Cleanup(func() { server.Stop(); <-done })
			return callGRPC(t.Context(), t, listener.Addr().String())
		}, want{reason: classify.ReasonNetwork}},
		{"bad target", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "unix://authority/not/empty")
		}, want{reason: classify.ReasonInvalidRequest}},
		{"a port that is none", func(t *testing.T) error {
			return callGRPC(t.Context(), t, "dns:///127.0.0.1:")
		}, want{reason: classify.ReasonInvalidRequest}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.run(t), tt.want)
		})
	}
}

// If a proxy responds with an HTTP error, the gRPC client maps the HTTP status to a gRPC
// code (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
func TestGRPCProxy(t *testing.T) {
	t.Parallel()
	for code, reason := range map[int]classify.Reason{
		400: classify.ReasonInvalidRequest, 401: classify.ReasonAuthentication, 403: classify.ReasonAuthentication,
		404: classify.ReasonInvalidRequest, 429: classify.ReasonRateLimit, 502: classify.ReasonTransient,
		503: classify.ReasonTransient, 504: classify.ReasonTimeout,
	} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(errorPage(code))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			t.Cleanup(server.Close)
			check(t, callGRPC(t.Context(), t, server.Listener.Addr().String()), want{reason: reason})
		})
	}
}
