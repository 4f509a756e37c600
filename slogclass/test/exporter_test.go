package test

import (
	"context"

	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// exporter is a log exporter that stores the records.
type exporter struct{ records []sdklog.Record }

func (e *exporter) Export(_ context.Context, records []sdklog.Record) error {
	for _, r := range records {
		e.records = append(e.records, r.Clone())
	}
	return nil
}

func (*exporter) Shutdown(context.Context) error   { return nil }
func (*exporter) ForceFlush(context.Context) error { return nil }
