// Command traces sends traces over OTLP. Each trace is a request with a call to a
// provider:
//
//	traces -endpoint 127.0.0.1:4318 -ok 4000 -retryable 1000 -fatal 30
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func main() {
	endpoint := flag.String("endpoint", "127.0.0.1:4318", "address of the Collector")
	ok := flag.Int("ok", 4000, "traces without an error")
	retryable := flag.Int("retryable", 1000, "traces with a retryable error")
	fatal := flag.Int("fatal", 30, "traces with a fatal error")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kinds := []kind{
		{"ok", *ok, nil},
		{"retryable", *retryable, errors.New("503 Service Unavailable: overloaded_error")},
		{"fatal", *fatal, errors.New("401 Unauthorized: invalid x-api-key")},
	}
	if err := send(ctx, *endpoint, kinds); err != nil {
		fmt.Fprintln(os.Stderr, "traces:", err)
		os.Exit(1)
	}
}

type kind struct {
	name  string
	count int
	err   error
}

func send(ctx context.Context, endpoint string, kinds []kind) error {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpoint(endpoint), otlptracehttp.WithInsecure())
	if err != nil {
		return err
	}
	var failed atomic.Pointer[error]
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { failed.Store(&err) }))
	provider := sdktrace.NewTracerProvider(
		// If the queue is full, this processor waits instead of dropping spans.
		sdktrace.WithSpanProcessor(sdktrace.NewBatchSpanProcessor(exporter, sdktrace.WithBlocking())),
		sdktrace.WithIDGenerator(&ids{rand.New(rand.NewPCG(1, 2))}),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "assistant"))),
	)
	tracer := provider.Tracer("assistant")
	for _, k := range kinds {
		for range k.count {
			request(ctx, tracer, k)
		}
		fmt.Println(k.name, k.count)
	}
	if err := provider.Shutdown(ctx); err != nil {
		return err
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// request sends the trace of one request. The request succeeds even if its call
// fails.
func request(ctx context.Context, tracer trace.Tracer, k kind) {
	ctx, root := tracer.Start(ctx, "POST /ask", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attribute.String("kind", k.name)))
	defer root.End()
	_, call := tracer.Start(ctx, "chat", trace.WithSpanKind(trace.SpanKindClient))
	defer call.End()
	if k.err != nil {
		call.RecordError(k.err)
		call.SetStatus(codes.Error, k.err.Error())
	}
}

// ids generates the same ids in each run, so that the same traces are sampled.
type ids struct{ random *rand.Rand }

func (g *ids) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	binary.BigEndian.PutUint64(id[:8], g.random.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.random.Uint64())
	return id, g.NewSpanID(ctx, id)
}

func (g *ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], g.random.Uint64())
	return id
}
