package main

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver accepts OTLP over HTTP as uncompressed protobuf and stores it. The zero
// receiver is ready to use. It is safe for concurrent use.
type receiver struct {
	mu      sync.Mutex
	spans   []*trace.Span
	logs    []*logs.LogRecord
	metrics []*metrics.Metric
}

// ServeHTTP handles one export.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err == nil {
		err = r.store(req.URL.Path, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// A response needs no fields, so the body stays empty.
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// store keeps the items of an export and drops their resource and scope.
func (r *receiver) store(path string, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch path {
	case "/v1/traces":
		var got tracepb.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			return err
		}
		for _, resource := range got.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	case "/v1/logs":
		var got logspb.ExportLogsServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			return err
		}
		for _, resource := range got.ResourceLogs {
			for _, scope := range resource.ScopeLogs {
				r.logs = append(r.logs, scope.LogRecords...)
			}
		}
	case "/v1/metrics":
		var got metricspb.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			return err
		}
		for _, resource := range got.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				r.metrics = append(r.metrics, scope.Metrics...)
			}
		}
	default:
		return fmt.Errorf("no signal of OTLP has the path %q", path)
	}
	return nil
}
