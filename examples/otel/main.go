// Command otel shows what errclass adds to the telemetry of a service: two
// attributes on spans, exception events and log records, and a counter. It needs
// nothing else installed:
//
//	go run ./examples/otel
//
// The files:
//
//	telemetry.go  the set-up with otelclass and slogclass
//	service.go    a service on loopback that calls a failing upstream, and logs
//	              and records its errors as usual
//	receiver.go   receives the exports, as an OpenTelemetry collector does
//	print.go      prints the received telemetry, request by request
//
// To export to your own collector, and print nothing:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 go run ./examples/otel
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// endpointVariable is the environment variable that configures OpenTelemetry's
// exporters: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
const endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

// run makes the requests, exports their telemetry and prints it.
func run(ctx context.Context, out io.Writer) error {
	var built *receiver
	if os.Getenv(endpointVariable) == "" {
		built = &receiver{}
		url, stop, err := listen(built)
		if err != nil {
			return err
		}
		defer stop()
		if err := os.Setenv(endpointVariable, url); err != nil {
			return err
		}
	}
	t, err := newTelemetry(ctx)
	if err != nil {
		return err
	}
	err = makeRequests(ctx, t)
	// Shutdown exports the remaining batches. A collector has ten seconds to
	// answer.
	ending, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := errors.Join(err, t.shutdown(ending)); err != nil {
		return err
	}
	if built == nil {
		fmt.Fprintln(out, "exported to", os.Getenv(endpointVariable))
		return nil
	}
	return built.print(out)
}
