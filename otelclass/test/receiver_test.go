package test_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// receiver receives OTLP over HTTP and gRPC. It stores "category/reason" of each
// span, event and record.
type receiver struct {
	mu     sync.Mutex
	spans  map[string]string   // by name
	events map[string][]string // by the span's name
	logs   map[string]string   // by body
}

func newReceiver() *receiver {
	return &receiver{spans: map[string]string{}, events: map[string][]string{}, logs: map[string]string{}}
}

// overHTTP starts a server for OTLP over HTTP, in the protobuf encoding. It returns
// host:port.
func (r *receiver) overHTTP(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, req *http.Request) {
		accept(t, w, req, &tracepb.ExportTraceServiceRequest{}, &tracepb.ExportTraceServiceResponse{}, r.keepTraces)
	})
	mux.HandleFunc("POST /v1/logs", func(w http.ResponseWriter, req *http.Request) {
		accept(t, w, req, &logspb.ExportLogsServiceRequest{}, &logspb.ExportLogsServiceResponse{}, r.keepLogs)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// accept decodes a request into message, passes message to the function keep, and
// responds with answer.
func accept[M proto.Message](t *testing.T, w http.ResponseWriter, req *http.Request, message M, answer proto.Message, keep func(*testing.T, M)) {
	body, err := io.ReadAll(req.Body)
	assert.NoError(t, err)
	assert.NoError(t, proto.Unmarshal(body, message))
	keep(t, message)
	body, err = proto.Marshal(answer)
	assert.NoError(t, err)
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, err = w.Write(body)
	assert.NoError(t, err)
}

// overGRPC starts a server for OTLP over gRPC. It returns host:port.
func (r *receiver) overGRPC(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	tracepb.RegisterTraceServiceServer(server, traces{t: t, to: r})
	logspb.RegisterLogsServiceServer(server, logs{t: t, to: r})
	var wg sync.WaitGroup
	wg.Go(func() { assert.NoError(t, server.Serve(listener)) })
	t.Cleanup(func() { server.Stop(); wg.Wait() })
	return listener.Addr().String()
}

// traces and logs are two types, because their methods have the same name.
type traces struct {
	tracepb.UnimplementedTraceServiceServer
	t  *testing.T
	to *receiver
}

func (s traces) Export(_ context.Context, req *tracepb.ExportTraceServiceRequest) (*tracepb.ExportTraceServiceResponse, error) {
	s.to.keepTraces(s.t, req)
	return &tracepb.ExportTraceServiceResponse{}, nil
}

type logs struct {
	logspb.UnimplementedLogsServiceServer
	t  *testing.T
	to *receiver
}

func (s logs) Export(_ context.Context, req *logspb.ExportLogsServiceRequest) (*logspb.ExportLogsServiceResponse, error) {
	s.to.keepLogs(s.t, req)
	return &logspb.ExportLogsServiceResponse{}, nil
}

func (r *receiver) keepTraces(t *testing.T, req *tracepb.ExportTraceServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range req.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				r.spans[s.Name] = classifiedOTLP(t, s.Attributes)
				for _, e := range s.Events {
					r.events[s.Name] = append(r.events[s.Name], classifiedOTLP(t, e.Attributes))
				}
			}
		}
	}
}

func (r *receiver) keepLogs(t *testing.T, req *logspb.ExportLogsServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range req.ResourceLogs {
		for _, scope := range resource.ScopeLogs {
			for _, l := range scope.LogRecords {
				r.logs[l.Body.GetStringValue()] = classifiedOTLP(t, l.Attributes)
			}
		}
	}
}

func classifiedOTLP(t *testing.T, attrs []*commonpb.KeyValue) string {
	all := map[string][]string{}
	for _, kv := range attrs {
		all[kv.Key] = append(all[kv.Key], kv.Value.GetStringValue())
	}
	return classified(t, all)
}
