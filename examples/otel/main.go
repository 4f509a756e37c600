// Command otel shows what errclass adds to the telemetry of a service: the two
// attributes on spans, on exception events and on log records, and a counter.
// It needs nothing installed, and ends by itself:
//
//	go run ./examples/otel
//
// What happens:
//
//	telemetry.go  the set-up: where otelclass and slogclass stand
//	service.go    a service on loopback calls an upstream that fails, and logs
//	              and records its errors as ever
//	receiver.go   takes what is exported, as an OpenTelemetry collector does
//	print.go      what has arrived, request by request
//
// To send it to a collector of yours instead, and print nothing of it:
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

// endpointVariable is what OpenTelemetry's exporters read, here and elsewhere:
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
const endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

// run makes the requests, exports what they leave behind and prints it.
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
	// What is still in batches is exported now; a collector that does not
	// answer gets ten seconds.
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
